"""What AMD's kernels tell the scheduler, and waits that are no news to threads in lock step."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, intrinsic, value
from weft.simulator.warp.lanes import first_of_warps

__all__: list[str] = []


@intrinsic(
    r"llvm\.amdgcn\.(?:sched\.barrier|sched\.group\.barrier|iglp\.opt|s\.setprio|s\.nop"
    r"|s\.wait\.(?:loadcnt|storecnt|expcnt))"
)
def _hint(call: Call) -> Step:
    """Return a step that does nothing.

    The order of the text is kept, so that nothing is scheduled; no clock runs; and what a thread
    itself loads and stores is done before its next instruction, so that it waits for nothing. What
    copies have under way, and stores that others are to see, is not among it: their waits are
    `direct_copies`' and `tensor_mover`'s.
    """
    return lambda block: None


@value("llvm.amdgcn.readfirstlane.i32")
def _first_lane(block: Block, given: np.ndarray) -> np.ndarray:
    return first_of_warps(block, given)


@value("llvm.amdgcn.workitem.id.y", "llvm.amdgcn.workitem.id.z")
def _other_axes(block: Block) -> np.ndarray:
    """Return 0: blocks are one thread deep along y and z."""
    return np.zeros(1, np.int32)
