"""Move the loads of a pipelined loop's prologue up (tritonamdgpu-move-up-prologue-loads).

Before:  %p = tt.addptr …                         After:  %p = tt.addptr …
         %b = ttg.local_alloc …                           %m = tt.splat %c
         %m = tt.splat %c                                 %x = tt.load %p, %m {amd.pipeliner_part…}
         %x = tt.load %p, %m {amd.pipeliner_part…}        %b = ttg.local_alloc …

Only loads that the pipeliner marked are moved, each with its backward slice in the block. A load is
not moved above the definition of its address, an atomic, a barrier, a loop, or a store through the
same argument, which may alias it.

Keeps: the relative order of the loads. Source: measured with Triton 3.7.1, which also moves a load
above a store through the same argument.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.slices import backward_slice
from weft.ir import gpu, scf, tt, ttg
from weft.ir.builtin import Block, BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.passes.pipelining.amd_schedules import PIPELINER_PART

__all__ = ["MoveUpPrologueLoads"]

_STOPS = (tt.AtomicRMWOp, tt.AtomicCASOp, ttg.BarrierOp, gpu.BarrierOp, scf.ForOp, scf.WhileOp)
_SAME_BASE = (tt.AddPtrOp, tt.SplatOp, tt.BroadcastOp, tt.ExpandDimsOp, ttg.ConvertLayoutOp)


class MoveUpPrologueLoads(Struct, frozen=True):
    """Move marked loads directly after the last operation that they must follow."""

    name: ClassVar[str] = "tritonamdgpu-move-up-prologue-loads"

    def run(self, module: ModuleOp) -> None:
        """Move loads and their backward slices in place."""
        loads = [
            op
            for op in module.walk()
            if isinstance(op, tt.LoadOp) and PIPELINER_PART in op.attributes
        ]
        for load in reversed(loads):
            _move_up(load)


def _move_up(load: tt.LoadOp) -> None:
    block = load.parent
    assert block is not None
    ops = backward_slice(
        load,
        keep=lambda op: op.parent is block,
        inclusive=True,
        omit_block_arguments=True,
        omit_uses_from_above=False,
    )
    stop = _last_barrier(block, load)
    if stop is not None:
        following = _following(stop, load)
        ops = [op for op in ops if op in following]
    position = block.first_op if stop is None else stop.next_op
    for op in ops:
        assert position is not None
        if op is position:
            position = position.next_op
            continue
        op.detach()
        block.insert_op_before(op, position)


def _last_barrier(block: Block, load: tt.LoadOp) -> Operation | None:
    """Find the last operation before a load that the load must follow."""
    base = _base(load.ptr)
    stop = None
    for op in block.ops:
        if op is load:
            break
        defines_address = load.ptr in op.results
        is_own_store = isinstance(op, tt.StoreOp) and base is not None and _base(op.ptr) is base
        if defines_address or isinstance(op, _STOPS) or is_own_store:
            stop = op
    return stop


def _following(stop: Operation, last: Operation) -> set[Operation]:
    """Collect the operations of a block after `stop`, up to and including `last`."""
    result: set[Operation] = set()
    op = stop.next_op
    while op is not None:
        result.add(op)
        if op is last:
            break
        op = op.next_op
    return result


def _base(pointer: SSAValue) -> SSAValue | None:
    """Find the kernel argument that a pointer is based on; None if it is unknown."""
    while True:
        if isinstance(pointer, OpResult):
            if not isinstance(pointer.op, _SAME_BASE):
                return None
            pointer = pointer.op.operands[0]
            continue
        assert isinstance(pointer, BlockArgument)
        parent = pointer.block.parent_op()
        if isinstance(parent, scf.ForOp):
            index = parent.iter_arg_index(pointer)
            if index is not None:
                pointer = parent.init_args[index]
                continue
        return pointer if isinstance(parent, tt.FuncOp) else None
