"""Follow the warps of a block through its instructions, in order, as a scoreboard lets them go on.

All warps of the block execute an instruction together: it keeps the unit of a partition busy for
each of the partition's warps, and the load-store unit, which partitions share, for each warp. The
first warp's result may be used while the unit serves the others. A barrier waits until the units
have served all warps.

An instruction starts when the one before has, the unit is free and the registers that it reads are
there. Asynchronous copies and MMAs of warp groups complete in order: a wait for all but the last n
groups waits for the group before those. Loops are followed for a few iterations, until copies that
are issued ahead are in flight; the others take as long as the last two.
"""

from __future__ import annotations

import re
from collections import defaultdict

from weft.explain.block_time.nested_loops import Body, Loop
from weft.explain.block_time.sass import SassInstruction
from weft.explain.block_time.unit_cycles import operand_cycles, unit_cycles
from weft.targets.instruction_timing import InstructionRow, InstructionTiming

__all__ = ["Scoreboard"]

_FOLLOWED_ITERATIONS = 4
_MOST_GROUPS = 16  # more than kernels have in flight
_OUTSTANDING = re.compile(r"(0x[0-9a-f]+)\s*$")


class Scoreboard:
    """When units are free and registers can be used, in cycles.

    Args:
        timing: The timing of the multiprocessor.
        rows: The row of each opcode.
        warps: The warps of the block.
        partitions: The parts of the multiprocessor among which warps are divided.
        load_latency: Cycles of a load.
    """

    def __init__(
        self,
        timing: InstructionTiming,
        rows: dict[str, InstructionRow],
        warps: int,
        partitions: int,
        load_latency: int,
    ) -> None:
        self._timing, self._rows, self._warps = timing, rows, warps
        self._of_partition = max(1.0, warps / partitions)
        self._is_cached = False
        self._load_latency = load_latency
        self._last_start = 0.0
        self._mma_end = 0.0
        self._free: defaultdict[str, float] = defaultdict(float)
        self._ready: dict[str, float] = {}
        self._copies: list[float] = []
        self._mmas: list[float] = []

    def run(self, body: Body) -> float:
        """Execute instructions and loops; return the cycle of the end."""
        for each in body:
            if isinstance(each, Loop):
                self._repeat(each)
            else:
                self._execute(each, self._rows[each.opcode])
        return max(self._now(), self._mma_end)

    def _now(self) -> float:
        return max(self._last_start, *self._free.values(), 0.0)

    @property
    def _issue_cycles(self) -> float:
        """Cycles until the next instruction: the partition's warps, or the fetch, take as long."""
        fetch = 0 if self._is_cached else self._timing.fetch_cycles
        return max(self._of_partition, fetch)

    def _repeat(self, loop: Loop) -> None:
        was_cached = self._is_cached
        self._is_cached = loop.code_bytes <= self._timing.instruction_cache_bytes
        ends = [self._now()]
        for _ in range(min(loop.trips, _FOLLOWED_ITERATIONS)):
            self.run(loop.body)
            ends.append(self._last_start)
        if loop.trips > _FOLLOWED_ITERATIONS:
            self._advance((loop.trips - _FOLLOWED_ITERATIONS) * (ends[-1] - ends[-3]) / 2)
        self._is_cached = was_cached

    def _advance(self, cycles: float) -> None:
        """Move all times ahead."""
        self._last_start += cycles
        self._mma_end += cycles
        for unit in self._free:
            self._free[unit] += cycles
        self._ready = {register: time + cycles for register, time in self._ready.items()}
        self._copies = [time + cycles for time in self._copies]
        self._mmas = [time + cycles for time in self._mmas]

    def _execute(self, instruction: SassInstruction, row: InstructionRow) -> None:
        if row.kind == "commit":
            self._copies = [*self._copies, self._last_start + self._load_latency][-_MOST_GROUPS:]
        elif row.kind == "wait":
            self._wait(self._copies, instruction)
        elif row.kind == "wait wgmma":
            self._wait(self._mmas, instruction)
        elif row.kind == "barrier":
            self._last_start = self._now() + row.latency
        elif row.kind == "wgmma":
            self._start_mma(instruction, row)
        else:
            self._start(instruction, row)

    def _wait(self, groups: list[float], instruction: SassInstruction) -> None:
        """Wait for all groups but the last ones; the operand is how many those are."""
        match = _OUTSTANDING.search(instruction.operands)
        complete = groups[: len(groups) - (int(match[1], 16) if match else 0)]
        self._last_start = max(self._last_start, *complete, 0.0)

    def _find_start(self, instruction: SassInstruction, ignored: tuple[str, ...] = ()) -> float:
        """Find when an instruction can start, but for its unit."""
        registers = (each for each in instruction.reads if each not in ignored)
        return max(
            self._last_start,
            self._free["issue"],
            max((self._ready.get(each, 0.0) for each in registers), default=0.0),
        )

    def _start(self, instruction: SassInstruction, row: InstructionRow) -> None:
        start = self._find_start(instruction)
        cycles = unit_cycles(instruction, row)
        if row.unit != "none":
            start = max(start, self._free[row.unit])
            serves = self._warps if row.unit == "lsu" else self._of_partition
            self._free[row.unit] = start + cycles * serves
        self._free["issue"] = start + self._issue_cycles
        latency = self._load_latency if row.kind == "load" else row.latency
        for register in instruction.writes:
            self._ready[register] = start + cycles + latency
        self._last_start = start

    def _start_mma(self, instruction: SassInstruction, row: InstructionRow) -> None:
        """Start an MMA of warp groups; the accumulator does not wait for the MMA before."""
        start = self._find_start(instruction, ignored=instruction.writes)
        shared = operand_cycles(instruction) * self._warps
        tensor = unit_cycles(instruction, row) * self._of_partition
        self._mma_end = max(start, self._mma_end) + max(tensor, shared)
        self._free["lsu"] = max(start, self._free["lsu"]) + shared
        self._free["issue"] = start + self._issue_cycles
        for register in instruction.writes:
            self._ready[register] = self._mma_end + row.latency
        if "gsb0" in instruction.operands:  # the last of a group
            self._mmas = [*self._mmas, self._mma_end + row.latency][-_MOST_GROUPS:]
        self._last_start = start
