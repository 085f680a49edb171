"""The two kinds of schedules of loops on AMD's chips.

A loop has the *single-dot* schedule, unless it has four stages and two dots of which the second
uses the result of the first, as in attention. Such *chained* dots are a stage apart, so that each
runs beside the arithmetic that follows the other:

    stage 2    tt.dot %q, %k         cluster of the first dot
    stage 2    half of the softmax   beside the second dot of the iteration before
    stage 3    the other half        beside the first dot of the next iteration
    stage 3    tt.dot %p, %v         cluster of the second dot

Source: Triton, third_party/amd/lib/TritonAMDGPUTransforms/ScheduleLoops.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.slices import forward_slice
from weft.ir import scf, tt
from weft.ir.builtin import ModuleOp, Operation, StringAttr
from weft.ir.loop_attributes import NUM_STAGES
from weft.passes.pipelining.loads.load_levels import LoadLevel, load_levels
from weft.targets import Target, target

__all__ = [
    "BYPASS_LDS",
    "ChainedCluster",
    "ChainedStage",
    "PIPELINER_PART",
    "PROLOGUE",
    "SingleDotCluster",
    "chained_dots",
    "chip_of",
    "pipelined_loads",
]

BYPASS_LDS = "amdg.bypass_lds_load"
"""The attribute of a load that does not go through shared memory."""

PIPELINER_PART, PROLOGUE = "amd.pipeliner_part", "prologue"
"""The attribute by which a load says that it belongs to the prologue of a loop."""

_CHAINED_STAGES = 4
# Chips on which loads narrower than 32 bits are worth a buffer in shared memory.
_PIPELINES_NARROW_LOADS = ("cdna4", "rdna")


class SingleDotCluster(IntEnum):
    """The clusters of the single-dot schedule, in order.

    Before the accesses to shared memory exist, loads are in the first one: that separates them from
    the dots.
    """

    WAIT = 0
    COMPUTE = 1  # loads from global and shared memory, dots
    UNUSED = 2  # as in Triton: the indices show in the IR
    STORE = 3
    WAIT_AT_END = 4  # if tritonamdgpu-block-pingpong follows


class ChainedCluster(IntEnum):
    """The clusters of chained dots, in order. What ends in 1 is for the first dot, 2 the second."""

    DOT_1 = 0
    AFTER_DOT_1 = 1
    ASYNC_WAIT_2 = 2
    LOCAL_STORE_1 = 3
    LOCAL_LOAD_2 = 4
    GLOBAL_LOAD_1 = 5
    DOT_2 = 6
    AFTER_DOT_2 = 7
    ASYNC_WAIT_1 = 8
    LOCAL_STORE_2 = 9
    LOCAL_LOAD_1 = 10
    GLOBAL_LOAD_2 = 11


class ChainedStage:
    """The stages of chained dots."""

    DOT_1 = 2
    DOT_2 = 3
    GLOBAL_LOAD_1 = 0
    LOCAL_STORE_1 = 1
    LOCAL_LOAD_1 = 1
    GLOBAL_LOAD_2 = 1
    LOCAL_STORE_2 = 2
    LOCAL_LOAD_2 = 3


_DEFAULT_CHIP = "hip:gfx942"


def chip_of(module: ModuleOp) -> Target:
    """Look up the chip that a module is compiled for, gfx942 if it does not say.

    Raises:
        UnknownTargetError: The chip is unknown.
    """
    name = module.attributes.get("ttg.target")
    return target(name.data if isinstance(name, StringAttr) else _DEFAULT_CHIP)


def pipelined_loads(
    loop: scf.ForOp, infos: ModuleAxisInfo, num_stages: int, chip: Target
) -> dict[Operation, LoadLevel]:
    """Find the loads of a loop that are pipelined.

    Args:
        loop: The loop.
        infos: The axis info of its module.
        num_stages: The number of stages.
        chip: The chip.
    """
    return load_levels(
        loop,
        infos,
        num_stages,
        without_dot=NUM_STAGES in loop.attributes,
        filter_small=not chip.generation.startswith(_PIPELINES_NARROW_LOADS),
        by="tritonamdgpu-schedule-loops",
    )


def chained_dots(
    loop: scf.ForOp, num_stages: int, levels: Iterable[LoadLevel]
) -> tuple[tt.DotOp, tt.DotOp] | None:
    """Find the two dots of a loop that has the schedule for chained dots.

    Args:
        loop: The loop.
        num_stages: The number of stages.
        levels: How its pipelined loads are used.

    Returns:
        The dots, None if the loop has the single-dot schedule.
    """
    dots = [op for op in loop.block.ops if isinstance(op, tt.DotOp)]
    if num_stages != _CHAINED_STAGES or len(dots) != 2:
        return None
    first, second = dots
    if second not in forward_slice(first.results[0]) or any(use.level for use in levels):
        return None
    return first, second
