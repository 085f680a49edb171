"""Time a block alone on a multiprocessor, and add up the cycles that its units are busy.

    LDG R4, [R2]       starts at 0                          R4 can be used at 900
    FMUL R5, R4, R4    waits for R4: starts at 900          R5 can be used at 906
    STG [R2], R5       starts at 906

Other blocks of the multiprocessor fill the time between; they share the units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from weft.explain.block_time.nested_loops import Body, Loop
from weft.explain.block_time.scoreboard import Scoreboard
from weft.explain.block_time.unit_cycles import operand_cycles, unit_cycles
from weft.targets.instruction_timing import InstructionRow, InstructionTiming

__all__ = ["BlockTime", "time_block"]

_LANES = 32
_REGISTER_BYTES = 4


@dataclass(frozen=True, slots=True)
class BlockTime:
    """The time of a block, in cycles.

    Attributes:
        from_l2: Cycles of a block alone if all loads hit in L2.
        from_memory: Cycles of a block alone if no load does.
        units: For each unit of the multiprocessor, the cycles that a block keeps it busy.
        instructions: The instructions that its warps execute.
        spilled_bytes: Bytes of spilled registers that it stores and loads.
    """

    from_l2: float
    from_memory: float
    units: Mapping[str, float]
    instructions: int
    spilled_bytes: float


def time_block(body: Body, warps: int, timing: InstructionTiming, partitions: int) -> BlockTime:
    """Time a block.

    Args:
        body: The instructions of a warp, all of which the warps execute.
        warps: The warps of the block.
        timing: The timing of the multiprocessor.
        partitions: The parts of the multiprocessor among which warps are divided.
    """
    rows: dict[str, InstructionRow] = {}
    totals: defaultdict[str, float] = defaultdict(float)
    _add_up(body, 1, timing, rows, totals)
    latencies = timing.l2_latency, timing.memory_latency
    of_l2, of_memory = (
        Scoreboard(timing, rows, warps, partitions, latency).run(body) for latency in latencies
    )
    # Warps share the load-store unit; of the others every partition has one.
    units = {
        unit: cycles * warps / (1 if unit == "lsu" else partitions)
        for unit, cycles in totals.items()
        if unit not in ("instructions", "spilled", "none")
    }
    spilled = totals["spilled"] * warps * _LANES * _REGISTER_BYTES
    return BlockTime(of_l2, of_memory, units, round(totals["instructions"] * warps), spilled)


def _add_up(
    body: Body,
    times: int,
    timing: InstructionTiming,
    rows: dict[str, InstructionRow],
    totals: defaultdict[str, float],
) -> None:
    """Add up the cycles of the units for a warp, its instructions, and registers that it spills."""
    for each in body:
        if isinstance(each, Loop):
            _add_up(each.body, times * each.trips, timing, rows, totals)
            continue
        if each.opcode not in rows:
            rows[each.opcode] = timing.find(each.opcode)
        row = rows[each.opcode]
        totals["instructions"] += times
        totals["issue"] += times
        if row.unit != "issue":
            totals[row.unit] += times * unit_cycles(each, row)
        if row.kind == "wgmma":
            totals["lsu"] += times * operand_cycles(each)
        elif row.kind == "spill":
            totals["spilled"] += times * each.registers
