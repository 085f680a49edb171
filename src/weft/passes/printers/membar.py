"""Insert the barriers that Triton inserts on AMD GPUs (test-tritonamdgpu-membar).

Before:  %t = ttg.async_wait                     After:  %t = ttg.async_wait
         %y = ttg.local_load %b token %t                 ttg.barrier local
         ttg.async_copy_global_to_local %p, %b           %y = … {ttg.amdg.syncedViaAsyncWait = true}
                                                         ttg.async_copy_global_to_local %p, %b

A load whose token comes from a wait has its elements when the wait returns, and the copy of the
next tile is issued after it. So the two need no barrier; the attribute marks such loads.
Source: Triton, Analysis/Membar.cpp; TritonAMDGPUToLLVM/AsyncUtility.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.shared_memory_offsets import shared_memory_offsets
from weft.ir import amdg, attributes, ttg
from weft.ir.builtin import Block, ModuleOp, Operation, SSAValue
from weft.ir.interfaces import BranchOpInterface
from weft.ir.rewriting import walk
from weft.passes.membar import amd_needs_no_barrier, insert_cta_barriers
from weft.passes.membar.cta_barriers import SYNCED_VIA_ASYNC_WAIT

__all__ = ["Membar"]

_WAITS = (amdg.AsyncTDMWaitOp, amdg.AsyncWaitOp, ttg.AsyncWaitOp)


class Membar(Struct, frozen=True):
    """Marks loads that a wait synchronizes, and inserts barriers between the threads of a CTA."""

    name: ClassVar[str] = "test-tritonamdgpu-membar"

    def run(self, module: ModuleOp) -> None:
        """Insert barriers in place."""
        for op in walk(module):
            if not isinstance(op, ttg.LocalLoadOp | amdg.LocalLoadPackedTransposedOp):
                continue
            if SYNCED_VIA_ASYNC_WAIT not in op.attributes:
                token = op.token
                is_synced = token is not None and _comes_from_wait(token, set())
                op.attributes[SYNCED_VIA_ASYNC_WAIT] = attributes.boolean(is_synced)
        insert_cta_barriers(shared_memory_offsets(module), amd_needs_no_barrier)


def _comes_from_wait(token: SSAValue, visited: set[SSAValue]) -> bool:
    """Check whether a token always is that of a wait, through the branches that pass it."""
    owner = token.owner
    if isinstance(owner, Operation):
        return isinstance(owner, _WAITS)
    if token in visited:
        return True
    visited.add(token)
    index = owner.args.index(token)
    return all(
        _comes_from_wait(branch.successor_operands(number)[index], visited)
        if isinstance(branch, BranchOpInterface)
        else False
        for branch, number in _branches_to(owner)
    )


def _branches_to(block: Block) -> list[tuple[Operation, int]]:
    """List the branches to a block, each with the number of the successor."""
    region = block.parent
    assert region is not None
    return [
        (source.last_op, number)
        for source in region.blocks
        if source.last_op is not None
        for number, target in enumerate(source.last_op.successors)
        if target is block
    ]
