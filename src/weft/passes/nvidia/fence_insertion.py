"""Order what threads wrote to shared memory before what tensor cores read there.

Of `triton-nvidia-gpu-fence-insertion`:

Before:  %m = ttg.local_alloc %x              After:  %m = ttg.local_alloc %x
         ttng.warp_group_dot … %m                     ttng.fence_async_shared
                                                      ttng.warp_group_dot … %m

Tensor cores read shared memory by another path than threads write it. A fence stands before each
product whose operands come, through views and loops, from a buffer that threads fill, or that is an
argument; it moves out of loops that do not fill it, and needs no twin. Every store to the buffer
counts, where Triton 3.7.1 looks at one: a store before a loop does not hide another one in it.

Keeps: everything. Source: measured on Triton 3.7.1; PTX ISA, "Async proxy".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir import attributes, scf, ttg, ttng
from weft.ir.builtin import BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.interfaces import forwarded_from
from weft.ir.rewriting import Builder, move_before, walk
from weft.ir.ttg import views

__all__ = ["FenceInsertion"]

_DOTS = (ttng.WarpGroupDotOp, ttng.TCGen5MMAOp, ttng.TCGen5MMAScaledOp)
_LOOPS = (scf.ForOp, scf.WhileOp)


@dataclass(frozen=True, slots=True)
class FenceInsertion:
    """Post: a fence is between what threads write and what tensor cores read.

    compute_capability: as Triton's pipelines give it; chips without such tensor cores have no
    products that need a fence, so nothing depends on it here.
    """

    compute_capability: int = 90

    name: ClassVar[str] = "triton-nvidia-gpu-fence-insertion"

    def run(self, module: ModuleOp) -> None:
        """Insert fences in place."""
        for op in walk(module):
            if isinstance(op, _DOTS):
                writers = _writers(op)
                if writers:
                    _fence(op, writers)


def _fence(dot: Operation, writers: list[Operation]) -> None:
    """Put a fence before a product, in front of all loops that do not write."""
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
    """Return the operations by which threads fill the buffers of a product's operands."""
    found: dict[Operation, None] = {}
    seen: set[SSAValue] = set()
    todo = [dot.operands[1], dot.operands[0]]
    while todo:
        value = todo.pop()
        if value in seen or not isinstance(value.type, ttg.MemDescType):
            continue
        seen.add(value)
        if isinstance(value, OpResult):
            written = _written(value.op) if isinstance(value.op, ttg.LocalAllocOp) else ()
            found.update(dict.fromkeys(written))
            todo += value.op.operands
        elif isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ForOp | ttg.WarpSpecializePartitionsOp):
                todo += forwarded_from(value) or ()
            elif loop is not None:
                found[loop] = None  # given from outside: threads may have filled it
    return list(found)


def _written(alloc: ttg.LocalAllocOp) -> list[Operation]:
    """Return what writes a buffer from registers: its allocation, or a store to a view of it."""
    found: list[Operation] = [alloc] if alloc.src is not None else []
    for use in alloc.result.uses:
        user = use.operation
        while isinstance(user, views.OPERATIONS) and len(uses := tuple(user.results[0].uses)) == 1:
            user = uses[0].operation
        if isinstance(user, ttg.LocalStoreOp):
            found.append(user)
    return found
