"""Start the loads in front of a pipelined loop as early as their addresses are known.

`tritonamdgpu-move-up-prologue-loads`.

Before:  %p = tt.addptr …                         After:  %p = tt.addptr …
         %b = ttg.local_alloc …                           %m = tt.splat %c
         %m = tt.splat %c                                 %x = tt.load %p, %m {amd.pipeliner_part…}
         %x = tt.load %p, %m {amd.pipeliner_part…}        %b = ttg.local_alloc …

Only loads that the pipeliner marked move, each with what it is computed from in its block. They
stop behind what makes the address, behind atomics, barriers and loops, and behind a store through
the same argument, which may write what they read.

Keeps: the order of the loads among themselves. Source: measured on Triton 3.7.1, which moves a
load over a store through its own argument, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.analysis.slices import backward_slice
from weft.ir import scf, tt, ttg
from weft.ir.builtin import Block, BlockArgument, ModuleOp, Operation, OpResult, SSAValue

__all__ = ["MoveUpPrologueLoads"]

_MARK = "amd.pipeliner_part"
_STOPS = (tt.AtomicRMWOp, tt.AtomicCASOp, ttg.BarrierOp, scf.ForOp, scf.WhileOp)
_SAME_BASE = (tt.AddPtrOp, tt.SplatOp, tt.BroadcastOp, tt.ExpandDimsOp, ttg.ConvertLayoutOp)


@dataclass(frozen=True, slots=True)
class MoveUpPrologueLoads:
    """Post: marked loads stand right behind what they have to wait for."""

    name: ClassVar[str] = "tritonamdgpu-move-up-prologue-loads"

    def run(self, module: ModuleOp) -> None:
        """Move loads and what they are computed from in place."""
        loads = [op for op in module.walk() if isinstance(op, tt.LoadOp) and _MARK in op.attributes]
        for load in reversed(loads):
            _move_up(load)


def _move_up(load: tt.LoadOp) -> None:
    block = load.parent
    assert block is not None
    moving = backward_slice(
        load,
        keep=lambda op: op.parent is block,
        inclusive=True,
        omit_block_arguments=True,
        omit_uses_from_above=False,
    )
    stop = _last_stop(block, load)
    if stop is not None:
        behind = _behind(stop, load)
        moving = [op for op in moving if op in behind]
    place = block.first_op if stop is None else stop.next_op
    for op in moving:
        assert place is not None
        if op is place:
            place = place.next_op
            continue
        op.detach()
        block.insert_op_before(op, place)


def _last_stop(block: Block, load: tt.LoadOp) -> Operation | None:
    """Return the last operation in front of a load that it has to stay behind."""
    base = _base(load.ptr)
    stop = None
    for op in block.ops:
        if op is load:
            break
        makes_address = load.ptr in op.results
        is_own_store = isinstance(op, tt.StoreOp) and base is not None and _base(op.ptr) is base
        if makes_address or isinstance(op, _STOPS) or is_own_store:
            stop = op
    return stop


def _behind(stop: Operation, last: Operation) -> set[Operation]:
    """Return the operations of a block behind one, up to another."""
    found: set[Operation] = set()
    op = stop.next_op
    while op is not None:
        found.add(op)
        if op is last:
            break
        op = op.next_op
    return found


def _base(pointer: SSAValue) -> SSAValue | None:
    """Return the argument of the kernel that addresses are counted from, None if not known."""
    while True:
        if isinstance(pointer, OpResult):
            if not isinstance(pointer.op, _SAME_BASE):
                return None
            pointer = pointer.op.operands[0]
            continue
        assert isinstance(pointer, BlockArgument)
        around = pointer.block.parent_op()
        if isinstance(around, scf.ForOp):
            index = around.iter_arg_index(pointer)
            if index is not None:
                pointer = around.init_args[index]
                continue
        return pointer if isinstance(around, tt.FuncOp) else None
