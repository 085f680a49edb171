"""Reorder instructions to shorten live ranges.

Before:  %0 = ttg.local_load %a → #dot_op      After:  scf.for … {
         scf.for … {                                     %0 = ttg.local_load %a → #dot_op
           tt.dot %0, …                                  tt.dot %0, …
         }                                             }

In this order:

1. Sink a layout conversion below deallocations before its first use, so that its scratch memory can
   reuse the freed buffers.
2. Sink a ttg.local_load or a conversion to a dot operand to its only use, if that is in another
   loop. This lowers register pressure.
3. Hoist a ttg.local_alloc with a source right after the producer of the source, so that the
   registers are free again. A constant or a splat needs no such registers: its buffer stays, as
   a longer live range of it would cost shared memory. Likewise hoist a transposition after the
   producer of its operand.
4. Move the local_load of the second dot operand right after that of the first, unless something
   writes memory in between.

Preserves values and the order of dependent memory accesses.
Source: measured on Triton 3.7.1 (`tritongpu-reorder-instructions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, TypeVar

from msgspec import Struct

from weft.ir import arith, llvm, scf, tt, ttg, types
from weft.ir.builtin import Block, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.dominance import is_before_in_block
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import ancestors, move_before, walk
from weft.layouts import DotOperandEncoding
from weft.passes.ledger import enabled, record_decision

__all__ = ["ReorderInstructions"]

_Op = TypeVar("_Op", bound=Operation)

# These declare writes so that nothing moves across them, but write no memory.
_WAITS = (llvm.AssumeOp, ttg.AsyncWaitOp, ttg.BarrierOp)


class ReorderInstructions(Struct, frozen=True):
    """Moves conversions, buffers and transpositions to shorten live ranges."""

    name: ClassVar[str] = "tritongpu-reorder-instructions"

    def run(self, module: ModuleOp) -> None:
        """Move operations in place."""
        for op in _all(module, ttg.ConvertLayoutOp):
            self._sink_below_deallocations(op)
        sinkable = [
            (op, user) for op in walk(module) if (user := _only_user_in_other_loop(op)) is not None
        ]
        for op, user in sinkable:
            move_before(op, user)
            self._record(op, f"before {user.name}", "its only use is in another loop")
        for op in _all(module, ttg.LocalAllocOp):
            if op.src is not None and not _is_uniform(op.src):
                _move_after_producer(op, op.src)
        for op in walk(module):
            if isinstance(op, tt.TransOp | ttg.MemDescTransOp):
                _move_after_producer(op, op.operands[0])
        for op in _all(module, ttg.LocalLoadOp):
            self._move_second_operand(op)

    def _sink_below_deallocations(self, op: ttg.ConvertLayoutOp) -> None:
        block = op.parent
        assert block is not None
        first_use = _first_use(op.result, block)
        current: Operation | None = op
        while current is not None and current is not first_use:
            if isinstance(current, ttg.LocalDeallocOp):
                _move_after(op, current)
                self._record(op, "below a deallocation", "its scratch memory can reuse the buffer")
            current = current.next_op

    def _move_second_operand(self, op: ttg.LocalLoadOp) -> None:
        """Load the second operand of a dot after the first."""
        layout = types.encoding(op.result.type)
        if not (isinstance(layout, DotOperandEncoding) and layout.op_idx == 1):
            return
        uses = list(op.result.uses)
        if len(uses) != 1 or not isinstance(uses[0].operation, tt.DotOp):
            return
        first = uses[0].operation.operands[0]
        if not (isinstance(first, OpResult) and isinstance(first.op, ttg.LocalLoadOp)):
            return
        if _dominates(op, first.op) and not _writes_between(op, first.op):
            _move_after(op, first.op)
            self._record(op, "after the first operand", "the operands of a dot are loaded in order")

    def _record(self, op: Operation, where: str, reason: str) -> None:
        if enabled():
            record_decision(self, op.results[0], f"moved {where}", reason)


def _all(module: ModuleOp, cls: type[_Op]) -> Iterator[_Op]:
    return (op for op in walk(module) if isinstance(op, cls))


def _ancestor_in(op: Operation, block: Block) -> Operation | None:
    """Find the operation of a block that is or contains another operation."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def _first_use(value: SSAValue, block: Block) -> Operation | None:
    users = {_ancestor_in(use.operation, block) for use in value.uses}
    if len(users) == 1:
        return users.pop()
    return next((op for op in block.ops if op in users), None)


def _loop(op: Operation) -> Operation | None:
    return next((parent for parent in ancestors(op) if isinstance(parent, scf.ForOp)), None)


def _only_user_in_other_loop(op: Operation) -> Operation | None:
    """Find the only user of a local_load or a dot operand, if it is in another loop."""
    if isinstance(op, ttg.ConvertLayoutOp):
        if not isinstance(types.encoding(op.result.type), DotOperandEncoding):
            return None
    elif not isinstance(op, ttg.LocalLoadOp):
        return None
    uses = list(op.results[0].uses)
    if len(uses) != 1 or _loop(uses[0].operation) is _loop(op):
        return None
    return uses[0].operation


def _move_after(op: Operation, other: Operation) -> None:
    op.detach()
    block = other.parent
    assert block is not None
    block.insert_op_after(op, other)


def _move_after_producer(op: Operation, value: SSAValue) -> None:
    if isinstance(value, OpResult) and value.op.next_op is not op:
        _move_after(op, value.op)


def _is_uniform(value: SSAValue) -> bool:
    """Check whether all elements of a tensor are one scalar."""
    return isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp | tt.SplatOp)


def _dominates(op: Operation, other: Operation) -> bool:
    """Check whether an operation precedes another one or contains it."""
    block = op.parent
    assert block is not None
    ancestor = _ancestor_in(other, block)
    return ancestor is not None and (ancestor is op or is_before_in_block(op, ancestor))


def _writes_between(op: Operation, other: Operation) -> bool:
    """Check whether an operation after one and up to another writes memory.

    If the other one is nested deeper, the whole operation around it counts.
    """
    block = op.parent
    assert block is not None
    last = _ancestor_in(other, block)
    current = op.next_op
    while current is not None:
        if get_effects(current) & Effect.WRITE and not isinstance(current, _WAITS):
            return True
        if current is last:
            return False
        current = current.next_op
    return False
