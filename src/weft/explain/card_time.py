"""Predict the time of a launch from its block's time and its traffic, to order configurations.

    launch = LaunchWork(time_block(body, 4, timing, 4), find_global_traffic(...), programs=4096)
    predict_seconds(launch, 8, board("H200 SXM"), "cuda:90")

As many blocks as fit run at once on a multiprocessor. They hide the waits of each other and share
its units: a wave of blocks takes the time of the busiest unit for all of them, at least the time of
one block alone. Waves of all multiprocessors share the bandwidth of memory. The last wave has fewer
blocks, and is as long as one of its blocks at least.

By hand, 132 multiprocessors, 8 blocks at once, 4096 programs: three waves of 1056 and one of 928,
or 8 blocks on most multiprocessors. With 12,000 cycles of a block alone and 1,000 of its busiest
unit, a wave takes little more than 12,000 cycles.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.explain.block_time import BlockTime
from weft.explain.global_traffic import TensorTraffic
from weft.targets.boards import Board
from weft.targets.instruction_timing import InstructionTiming, instruction_timing
from weft.targets.multiprocessor import multiprocessor

__all__ = ["LaunchWork", "predict_seconds"]


@dataclass(frozen=True, slots=True)
class LaunchWork:
    """What a launch does.

    Attributes:
        block: The time of a block.
        traffic: The bytes of a program.
        programs: The blocks of the launch.
    """

    block: BlockTime
    traffic: tuple[TensorTraffic, ...]
    programs: int


@dataclass(frozen=True, slots=True)
class _Chip:
    """The multiprocessors that run a launch.

    Attributes:
        timing: Their timing.
        count: How many there are.
        resident: Blocks that one runs at once.
        memory_cycles: Cycles of memory for all blocks of the launch.
        alone: Cycles of a block alone.
        busy: Cycles of the busiest unit for a block.
    """

    timing: InstructionTiming
    count: int
    resident: int
    memory_cycles: float
    alone: float
    busy: float

    def wave(self, blocks: int, programs: int) -> float:
        """Compute the cycles of blocks that start together."""
        on_one = min(self.resident, -(-blocks // self.count))
        power, of_memory = self.timing.overlap, self.timing.memory_overlap
        # A block alone takes its time, whatever the units: the first is no competition.
        busy = (on_one * self.busy) ** power - min(self.busy, self.alone) ** power
        on_chip = (self.alone**power + busy) ** (1 / power)
        memory = self.memory_cycles * blocks / programs
        return (on_chip**of_memory + memory**of_memory) ** (1 / of_memory)


def predict_seconds(work: LaunchWork, resident: int, board: Board, chip: str) -> float | None:
    """Predict the time of a launch.

    Args:
        work: What the launch does.
        resident: The blocks that fit a multiprocessor at once.
        board: The board.
        chip: The chip: "cuda:90".

    Returns:
        The seconds; None if the number of the board's multiprocessors is not known, or no block
        fits.

    Raises:
        UnknownTargetError: The timing of the chip is not known.
    """
    timing, sm = instruction_timing(chip), multiprocessor(chip)
    count = sm.multiprocessors(board.name)
    if count is None or not resident:
        return None
    clock = board.f32_giga * 1e9 / (2 * sm.f32_lanes * count)
    bandwidth = board.memory_gb_per_s * 1e9 * timing.memory_percent / 100 / clock
    blocks = count * min(resident, -(-work.programs // count))
    from_memory, missed = _memory_bytes(work, blocks, timing)
    busy, spilled = _busiest(work, timing)
    alone = missed * work.block.from_memory + (1 - missed) * work.block.from_l2
    on_chip = _Chip(timing, count, blocks // count, from_memory / bandwidth, alone + spilled, busy)
    full, last = divmod(work.programs, blocks)
    cycles = full * on_chip.wave(blocks, work.programs)
    return (cycles + (on_chip.wave(last, work.programs) if last else 0.0)) / clock


def _busiest(work: LaunchWork, timing: InstructionTiming) -> tuple[float, float]:
    """Compute the cycles of the busiest unit, and those to move spilled registers to L2."""
    port = sum(each.loaded + each.stored for each in work.traffic) / timing.l2_bytes_per_cycle
    spilled = work.block.spilled_bytes / timing.l2_bytes_per_cycle
    return max(*work.block.units.values(), port + spilled), spilled


def _memory_bytes(work: LaunchWork, blocks: int, timing: InstructionTiming) -> tuple[float, float]:
    """Compute the bytes between memory and L2, and the part of loads that misses L2.

    Args:
        work: The launch.
        blocks: The blocks that run at once.
        timing: The timing of the chip.
    """
    loaded = stored = first = repeated = 0.0
    for each in work.traffic:
        size = float("inf") if each.size is None else each.size
        loaded += each.loaded * work.programs
        stored += min(size, each.stored * work.programs)
        footprint = min(size, each.loaded * work.programs)
        first += footprint
        # What blocks that run at once use of the tensor, against the size of L2.
        used = footprint * min(1.0, blocks / work.programs)
        evicted = min(1.0, max(0.0, used / timing.l2_resident_bytes - 1))
        repeated += (each.loaded * work.programs - footprint) * evicted
    from_memory = first + repeated
    return from_memory + stored, from_memory / loaded if loaded else 0.0
