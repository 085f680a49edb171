"""Fences, the barrier of a warp, and programmatic dependent launch."""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.registry import Call, assembly, intrinsic
from weft.simulator.warp.shuffles import check_full_mask, check_whole_warps

__all__: list[str] = []


@assembly(r"fence\.proxy\.async\.shared::(?:cta|cluster);")
def _proxy_fence(call: Call) -> Step:
    """Compile a fence that makes stores of the active threads visible to the async proxy."""

    def step(block: Block) -> None:
        if block.shared.races is not None:
            block.shared.races.proxy_fence(block.active)

    return step


@assembly(r"fence\.mbarrier_init\.release\.cluster;")
def _mbarrier_init_fence(call: Call) -> Step:
    """Compile to nothing: an mbarrier is visible to all blocks as soon as it is initialized."""
    return lambda block: None


@intrinsic(r"llvm\.nvvm\.bar\.warp\.sync")
def _warp_barrier(call: Call) -> Step:
    """Compile a barrier of the threads of a warp, which arrive together."""

    def step(block: Block) -> None:
        check_full_mask(block.get(call.arguments[0]), "bar.warp.sync")
        check_whole_warps(block, "bar.warp.sync")
        for start in range(0, block.threads, block.warp_size):
            warp = np.zeros(block.threads, bool)
            warp[start : start + block.warp_size] = True
            if block.shared.races is not None and (warp & block.active).any():
                block.shared.races.barrier(warp)

    return step


@assembly(r"griddepcontrol\.(?:wait|launch_dependents);(?: // dummy \$0)?")
def _grid_dependency(call: Call) -> Step:
    """Compile to nothing: the simulator runs one launch at a time. The result has no meaning."""

    def step(block: Block) -> None:
        if call.result:
            block.set(call.result, np.zeros(1, np.int32))

    return step
