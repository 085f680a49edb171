"""Follow use-def chains through loops and conditionals, to definitions or to users.

%b = ttg.memdesc_index %a[%c0]                    definitions(%arg): %arg, %b, %n
scf.for … iter_args(%arg = %b) {                  users(%b): the local_load; %arg and the
  %x = ttg.local_load %arg                        loop's result forward it
  %n = ttg.memdesc_index %a[%i]
  scf.yield %n
}
"""

from __future__ import annotations

from msgspec import Struct, field

from weft.ir import scf, tt
from weft.ir.builtin import BlockArgument, Operation, OpResult, SSAValue
from weft.ir.interfaces import forwarded_from, forwarded_to

__all__ = ["Users", "definitions", "users"]

_BRANCHING = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.ExecuteRegionOp)


class Users(Struct):
    """The users of a value.

    Attributes:
        ops: operations that use it.
        carriers: block arguments and results that forward it.
    """

    ops: list[Operation] = field(default_factory=list)
    carriers: list[SSAValue] = field(default_factory=list)


def definitions(value: SSAValue, seen: set[SSAValue]) -> list[SSAValue] | None:
    """List the values that a value may be, and those that forward them.

    Args:
        value: the value.
        seen: visited values, which are skipped; new ones are added.
    Returns: the values; None if a source is unknown.
    """
    result: list[SSAValue] = []
    worklist = [value]
    while worklist:
        current = worklist.pop()
        if current in seen:
            continue
        seen.add(current)
        sources = _sources(current)
        if sources is None:
            return None
        result.append(current)
        worklist += sources
    return result


def _sources(value: SSAValue) -> list[SSAValue] | None:
    """List the values forwarded to a value; [] if an operation defines it, None if unknown."""
    if isinstance(value, OpResult):
        return list(forwarded_from(value) or ()) if isinstance(value.op, _BRANCHING) else []
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    if isinstance(loop, scf.ForOp) and value is loop.induction_variable:
        return [loop.lower_bound]
    sources = forwarded_from(value) if isinstance(loop, scf.ForOp | scf.WhileOp) else None
    return None if sources is None else list(sources)


def users(value: SSAValue, seen: set[SSAValue]) -> Users | None:
    """Find the users of a value through block arguments and results.

    Args:
        value: the value.
        seen: visited values, which are skipped; new ones are added.
    Returns: the users; None if the value is returned from the function.
    """
    result = Users()
    worklist = [value]
    while worklist:
        current = worklist.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses:
            carriers = _carriers(use.operation, current)
            if carriers is None:
                return None
            if not carriers:
                result.ops.append(use.operation)
            result.carriers += carriers
            worklist += carriers
    return result


def _carriers(op: Operation, value: SSAValue) -> list[SSAValue] | None:
    """List the values to which an operation forwards an operand; None for a return."""
    if isinstance(op, tt.ReturnOp):
        return None
    return list(forwarded_to(op, value))
