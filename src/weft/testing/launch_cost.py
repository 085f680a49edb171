"""What a launch reads, writes and computes, and the least time that a board needs for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from weft.interpreter import LaunchStatistics
from weft.kernel.specialization import specialize
from weft.launch.argument_views import view_arguments
from weft.launch.drivers.cpu import compile_for_cpu
from weft.targets.boards import Board
from weft.testing.argument_arrays import copy_to_host, map_arrays
from weft.testing.launch_recorder import RecordedLaunch, is_large

__all__ = ["LaunchCost", "LowerBound", "launch_cost", "lower_bound"]

_SAMPLE_SIZE = 64
# The operand type that a board without a unit for the first one computes with.
_WIDER_TYPE = {"tf32": "f32", "f8": "f16", "f4": "f16"}


@dataclass(frozen=True, slots=True)
class LaunchCost:
    """What a launch reads, writes and computes.

    Attributes:
        bytes_read: Bytes that are read at least once.
        bytes_written: Bytes that are written at least once.
        operations: Operations of dots by operand type; a multiply-add counts as two.
        counted_programs: How many programs were counted. If that is a sample, arrays that it
            accesses count in full.
        programs: How many programs the launch has.
        updated: Arrays that are read and written, and must be restored before another run.
    """

    bytes_read: int
    bytes_written: int
    operations: Mapping[str, float]
    counted_programs: int
    programs: int
    updated: tuple[str, ...]

    @property
    def bytes_moved(self) -> int:
        """Bytes that are read or written."""
        return self.bytes_read + self.bytes_written


@dataclass(frozen=True, slots=True)
class LowerBound:
    """The least time of a launch on a board.

    Attributes:
        milliseconds: The time.
        limiter: What limits it: "memory", or an operand type of dots.
    """

    milliseconds: float
    limiter: str


def launch_cost(launch: RecordedLaunch) -> LaunchCost:
    """Count what a launch reads, writes and computes, by running it on the interpreter.

    Of a large launch a sample of the programs is counted: programs across the grid, or the first
    ones if programs wait for others. Operations are then in proportion.
    """
    programs = prod(launch.grid)
    inputs = {name: map_arrays(copy_to_host, value) for name, value in launch.inputs.items()}
    values = view_arguments(inputs)
    signature = specialize(launch.kernel, list(values.values()))
    kernel = compile_for_cpu(launch.kernel, signature, launch.options)
    arrays, statistics = launch.arrays, LaunchStatistics()
    is_sampled = is_large(launch.grid, launch.inputs)
    counted = _sample(programs, kernel.kernel.program.in_order) if is_sampled else range(programs)
    kernel.launch(launch.grid, values, statistics, counted)
    traffic = statistics.traffic()

    def byte_count(name: str, counted_bytes: int) -> int:
        return arrays[name].nbytes if counted_bytes and is_sampled else counted_bytes

    scale = programs / len(counted) if len(counted) else 1.0
    return LaunchCost(
        sum(byte_count(name, each.read) for name, each in traffic.items()),
        sum(byte_count(name, each.written) for name, each in traffic.items()),
        {operand: count * scale for operand, count in statistics.operations.items()},
        len(counted),
        programs,
        tuple(name for name, each in traffic.items() if each.read and each.written),
    )


def _sample(programs: int, in_order: bool) -> Sequence[int]:
    if programs <= _SAMPLE_SIZE:
        return range(programs)
    if in_order:
        return range(_SAMPLE_SIZE)
    return [programs * n // _SAMPLE_SIZE for n in range(_SAMPLE_SIZE)]


def lower_bound(cost: LaunchCost, board: Board) -> LowerBound:
    """Compute the least time that a board needs: the larger of memory time and dot time."""
    bounds = [LowerBound(cost.bytes_moved / board.memory_gb_per_s * 1e-6, "memory")]
    for operand, operations in cost.operations.items():
        rate = board.tera(operand)
        if rate is None and operand in _WIDER_TYPE:
            rate = board.tera(_WIDER_TYPE[operand])
        if rate is not None:
            bounds.append(LowerBound(operations / rate * 1e-9, operand))
    return max(bounds, key=lambda bound: bound.milliseconds)
