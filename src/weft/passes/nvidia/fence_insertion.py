"""Insert proxy fences before MMAs that read shared memory (triton-nvidia-gpu-fence-insertion).

Before:  %m = ttg.local_alloc %x              After:  %m = ttg.local_alloc %x
         ttng.warp_group_dot … %m                     ttng.fence_async_shared
                                                      ttng.warp_group_dot … %m

wgmma and tcgen05 read shared memory through the async proxy; threads write it through the generic
proxy. A fence is inserted before each dot whose operands are, through views and loops, a buffer
that threads write or a block argument. It is hoisted out of loops that do not write the buffer, and
equal adjacent fences are merged. All stores to the buffer are considered; Triton 3.7.1 considers
one, so that a store before a loop hides one inside it (docs/decisions, 020).

Keeps: values. Source: measured with Triton 3.7.1; PTX ISA, "Async proxy".
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import attributes, scf, ttg, ttng
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.interfaces import forwarded_from
from weft.ir.rewriting import Builder, move_before, walk
from weft.ir.ttg import memdesc_views

__all__ = ["FenceInsertion"]

_DOTS = (ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
_LOOPS = (scf.ForOp, scf.WhileOp)


class FenceInsertion(Struct, frozen=True):
    """Insert a proxy fence between generic stores and MMA reads of shared memory.

    Attributes:
        compute_capability: accepted for Triton's pipelines; it has no effect, because only chips
            with wgmma or tcgen05 have such dots.
    """

    compute_capability: int = 90

    name: ClassVar[str] = "triton-nvidia-gpu-fence-insertion"

    def run(self, module: ModuleOp) -> None:
        """Insert fences in place."""
        for op in walk(module):
            if isinstance(op, _DOTS):
                writers = _writers(op)
                if writers:
                    _insert_fence(op, writers)


def _insert_fence(dot: Operation, writers: list[Operation]) -> None:
    """Insert a fence before a dot, hoisted out of loops that contain no writer."""
    properties = {"bCluster": attributes.boolean(False)}
    fence = Builder().before(dot).create(ttng.FenceAsyncSharedOp, (), (), properties)
    while (loop := _loop_around(fence)) is not None:
        if any(loop.is_ancestor(writer) for writer in writers):
            break
        move_before(fence, loop)
    if isinstance(fence.prev_op, ttng.FenceAsyncSharedOp):
        if fence.prev_op.properties == fence.properties:
            fence.detach()
            fence.erase()


def _loop_around(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, _LOOPS):
        parent = parent.parent_op()
    return parent


def _writers(dot: Operation) -> list[Operation]:
    """Find the operations through which threads write the operand buffers of a dot."""
    writers: dict[Operation, None] = {}
    visited: set[SSAValue] = set()
    worklist = [dot.operands[1], dot.operands[0]]
    while worklist:
        value = worklist.pop()
        if value in visited or not isinstance(value.type, ttg.MemDescType):
            continue
        visited.add(value)
        if isinstance(value, OpResult):
            stores = _stores_to(value.op) if isinstance(value.op, ttg.LocalAllocOp) else ()
            writers.update(dict.fromkeys(stores))
            worklist += value.op.operands
        elif isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ForOp | ttg.WarpSpecializePartitionsOp):
                worklist += forwarded_from(value) or ()
            elif loop is not None:
                writers[loop] = None  # a function argument: threads may have written it
    return list(writers)


def _stores_to(alloc: ttg.LocalAllocOp) -> list[Operation]:
    """List the writers of a buffer: its initialized allocation, and stores to it or its views."""
    writers: list[Operation] = [alloc] if alloc.src is not None else []
    for use in alloc.result.uses:
        user = use.operation
        while (
            isinstance(user, memdesc_views.OPERATIONS)
            and len(uses := tuple(user.results[0].uses)) == 1
        ):
            user = uses[0].operation
        if isinstance(user, ttg.LocalStoreOp):
            writers.append(user)
    return writers
