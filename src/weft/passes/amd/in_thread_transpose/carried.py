"""Follow a value through loops and conditionals: to what makes it, or to what reads it.

%b = ttg.memdesc_index %a[%c0]                    definitions(%arg) are %arg, %b, %n
scf.for … iter_args(%arg = %b) {                  readers(%b) are the local_load and, of %n,
  %x = ttg.local_load %arg                        the same again; %arg and the loop's result
  %n = ttg.memdesc_index %a[%i]                   carry it
  scf.yield %n
}
"""

from __future__ import annotations

from dataclasses import dataclass, field

from weft.ir import scf, tt
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue

__all__ = ["Readers", "definitions", "readers"]

_BRANCHING = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.ExecuteRegionOp)
_BOUNDS = 3  # operands of a for in front of its initial values


@dataclass(slots=True)
class Readers:
    """What reads a value, and the arguments and results that carry it there."""

    ops: list[Operation] = field(default_factory=list)
    carriers: list[SSAValue] = field(default_factory=list)


def definitions(value: SSAValue, seen: set[SSAValue]) -> list[SSAValue] | None:
    """Return the values that a value may be, and those that carry them; None where one is unknown.

    Args: seen: values that were looked at before; what is found is added.
    """
    found: list[SSAValue] = []
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        sources = _sources(one)
        if sources is None:
            return None
        found.append(one)
        todo += sources
    return found


def _sources(value: SSAValue) -> list[SSAValue] | None:
    """Return the values that one is at first or next; [] where an operation makes it itself."""
    if isinstance(value, OpResult):
        op = value.op
        return _given(op, value.index) if isinstance(op, _BRANCHING) else []
    assert isinstance(value, BlockArgument)
    around, index = value.block.parent_op(), value.index
    if isinstance(around, scf.ForOp):
        if index == 0:
            return [around.operands[0]]
        return [around.operands[_BOUNDS + index - 1], _last(around, 0).operands[index - 1]]
    if isinstance(around, scf.WhileOp):
        if value.block is around.before_block:
            return [around.operands[index], _last(around, 1).operands[index]]
        return [_last(around, 0).operands[1 + index]]
    return None


def _given(op: Operation, index: int) -> list[SSAValue]:
    """Return what an operation with regions may give as a result."""
    if isinstance(op, scf.WhileOp):
        return [_last(op, 0).operands[1 + index]]
    ends = [block.last_op for region in op.regions for block in region.blocks]
    found = [end.operands[index] for end in ends if isinstance(end, scf.YieldOp)]
    if isinstance(op, scf.ForOp):
        found.append(op.operands[_BOUNDS + index])
    return found


def _last(op: Operation, region: int) -> Operation:
    last = op.regions[region].block.last_op
    assert last is not None
    return last


def readers(value: SSAValue, seen: set[SSAValue]) -> Readers | None:
    """Return what reads a value, through whatever carries it; None where it leaves the function.

    Args: seen: values that were looked at before; what is found is added.
    """
    found = Readers()
    todo = [value]
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        for use in one.uses:
            carriers = _carriers(use.operation, use.index)
            if carriers is None:
                return None
            if not carriers:
                found.ops.append(use.operation)
            found.carriers += carriers
            todo += carriers
    return found


def _carriers(op: Operation, index: int) -> list[SSAValue] | None:
    """Return where an operation passes an operand on; [] if it reads it, None if out of sight."""
    around = op.parent_op()
    if isinstance(op, tt.ReturnOp):
        return None
    if isinstance(op, scf.ForOp) and index >= _BOUNDS:
        return [op.block.args[1 + index - _BOUNDS], op.results[index - _BOUNDS]]
    if isinstance(op, scf.WhileOp):
        return [op.before_block.args[index]]
    if isinstance(op, scf.ConditionOp) and index and isinstance(around, scf.WhileOp):
        return [around.after_block.args[index - 1], around.results[index - 1]]
    if isinstance(op, scf.YieldOp):
        if isinstance(around, scf.ForOp):
            return [around.results[index], around.block.args[1 + index]]
        if isinstance(around, scf.WhileOp):
            return [around.before_block.args[index]]
        return [around.results[index]] if around is not None else None
    return []
