"""What AMD's kernels tell the scheduler, and waits that are no news to threads in lock step."""

from __future__ import annotations

import numpy as np

from weft.simulator.registry import Call, intrinsic, value
from weft.simulator.state import Block, Step

__all__: list[str] = []


@intrinsic(
    r"llvm\.amdgcn\.(?:sched\.barrier|sched\.group\.barrier|iglp\.opt|s\.setprio|s\.nop"
    r"|s\.wait\.(?:loadcnt|storecnt|dscnt|expcnt))"
)
def _hint(call: Call) -> Step:
    """Return a step that does nothing: the simulator keeps the order of the text."""
    return lambda block: None


@value("llvm.amdgcn.readfirstlane.i32")
def _first_lane(block: Block, given: np.ndarray) -> np.ndarray:
    """Give every lane the value of the first one of its warp that runs."""
    whole = np.broadcast_to(given, block.threads).reshape(-1, block.lanes)
    first = block.mask.reshape(-1, block.lanes).argmax(axis=1)
    return np.repeat(whole[np.arange(len(whole)), first], block.lanes)


@value("llvm.amdgcn.workitem.id.y", "llvm.amdgcn.workitem.id.z")
def _other_axes(block: Block) -> np.ndarray:
    """Return 0: blocks are one thread deep along y and z."""
    return np.zeros(1, np.int32)
