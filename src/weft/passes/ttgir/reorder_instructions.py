"""Move conversions to where their results live shortest (`tritongpu-reorder-instructions`).

Before:  %0 = ttg.local_load %a → #dot_op      After:  scf.for … {
         scf.for … {                                     %0 = ttg.local_load %a → #dot_op
           tt.dot %0, …                                  tt.dot %0, …
         }                                             }

In this order:
1. A layout conversion sinks behind buffers that are freed before its first use: what it needs in
   shared memory may then take their place.
2. What fills registers for one dot (a load of a buffer, a conversion to an operand) and is used
   once, in another loop, moves to that use.
3. A buffer that is filled from a tensor moves right behind that tensor, so that the registers are
   free again; so does a transposition (of a tensor or a buffer) behind what it transposes.
4. The second operand of a dot is loaded behind the first, unless something writes in between.

Keeps: values; moves nothing that writes past what reads. Source: measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from weft.ir import llvm, scf, tt, ttg, types
from weft.ir.builtin import Block, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.interfaces import Effect, get_effects
from weft.ir.rewriting import ancestors, move_before, walk
from weft.layouts import DotOperandEncoding
from weft.passes.ledger import enabled, record_decision

__all__ = ["ReorderInstructions"]

_Op = TypeVar("_Op", bound=Operation)

# What changes no memory itself, though nothing may be dropped or moved that waits for it.
_WAITS = (llvm.AssumeOp, ttg.AsyncWaitOp, ttg.BarrierOp)


@dataclass(frozen=True, slots=True)
class ReorderInstructions:
    """Post: conversions, buffers and transpositions stand where the rules above want them."""

    name: ClassVar[str] = "tritongpu-reorder-instructions"

    def run(self, module: ModuleOp) -> None:
        """Move operations in place."""
        for op in _all(module, ttg.ConvertLayoutOp):
            self._sink_behind_freed(op)
        into_loops = [
            (op, user) for op in walk(module) if (user := _single_use_elsewhere(op)) is not None
        ]
        for op, user in into_loops:
            move_before(op, user)
            self._tell(op, f"before {user.name}", "its one use is in another loop")
        for op in _all(module, ttg.LocalAllocOp):
            if op.src is not None:
                _move_behind_producer(op, op.src)
        for op in walk(module):
            if isinstance(op, tt.TransOp | ttg.MemDescTransOp):
                _move_behind_producer(op, op.operands[0])
        for op in _all(module, ttg.LocalLoadOp):
            self._second_operand(op)

    def _sink_behind_freed(self, op: ttg.ConvertLayoutOp) -> None:
        block = op.parent
        assert block is not None
        first_use = _first_use(op.result, block)
        current: Operation | None = op
        while current is not None and current is not first_use:
            if isinstance(current, ttg.LocalDeallocOp):
                _move_after(op, current)
                self._tell(op, "behind a freed buffer", "its scratch memory may take that place")
            current = current.next_op

    def _second_operand(self, op: ttg.LocalLoadOp) -> None:
        """Load the second operand of a dot behind the first."""
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
            self._tell(op, "behind the first operand", "a dot's operands are loaded in order")

    def _tell(self, op: Operation, where: str, why: str) -> None:
        if enabled():
            record_decision(self, op.results[0], f"moved {where}", why)


def _all(module: ModuleOp, cls: type[_Op]) -> Iterator[_Op]:
    return (op for op in walk(module) if isinstance(op, cls))


def _place(op: Operation, block: Block) -> Operation | None:
    """Return the operation of a block that is or holds another one, None if there is none."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current


def _first_use(value: SSAValue, block: Block) -> Operation | None:
    users = {_place(use.operation, block) for use in value.uses}
    if len(users) == 1:
        return users.pop()
    return next((op for op in block.ops if op in users), None)


def _loop(op: Operation) -> Operation | None:
    return next((around for around in ancestors(op) if isinstance(around, scf.ForOp)), None)


def _single_use_elsewhere(op: Operation) -> Operation | None:
    """Return the one use of what fills registers for a dot, if that is in another loop."""
    if isinstance(op, ttg.ConvertLayoutOp):
        if not isinstance(types.encoding(op.result.type), DotOperandEncoding):
            return None
    elif not isinstance(op, ttg.LocalLoadOp):
        return None
    uses = list(op.results[0].uses)
    if len(uses) != 1 or _loop(uses[0].operation) is _loop(op):
        return None
    return uses[0].operation


def _move_after(op: Operation, place: Operation) -> None:
    op.detach()
    block = place.parent
    assert block is not None
    block.insert_op_after(op, place)


def _move_behind_producer(op: Operation, value: SSAValue) -> None:
    if isinstance(value, OpResult) and value.op.next_op is not op:
        _move_after(op, value.op)


def _dominates(op: Operation, other: Operation) -> bool:
    """Tell whether an operation stands before another one, in its block or around it."""
    block = op.parent
    assert block is not None
    place = _place(other, block)
    return place is not None and (place is op or op.is_before_in_block(place))


def _writes_between(op: Operation, other: Operation) -> bool:
    """Tell whether an operation from one to another one, that stands in its block, writes."""
    block = op.parent
    assert block is not None
    last = _place(other, block)
    current = op.next_op
    while current is not None and current is not last:
        if get_effects(current) & Effect.WRITE and not isinstance(current, _WAITS):
            return True
        current = current.next_op
    return False
