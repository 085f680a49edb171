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
from weft.ir.interfaces import forwarded_from, forwarded_to

__all__ = ["Readers", "definitions", "readers"]

_BRANCHING = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.ExecuteRegionOp)


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
        return list(forwarded_from(value) or ()) if isinstance(value.op, _BRANCHING) else []
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    if isinstance(loop, scf.ForOp) and value is loop.induction_variable:
        return [loop.lower_bound]
    sources = forwarded_from(value) if isinstance(loop, scf.ForOp | scf.WhileOp) else None
    return None if sources is None else list(sources)


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
            carriers = _carriers(use.operation, one)
            if carriers is None:
                return None
            if not carriers:
                found.ops.append(use.operation)
            found.carriers += carriers
            todo += carriers
    return found


def _carriers(op: Operation, value: SSAValue) -> list[SSAValue] | None:
    """Return where an operation passes an operand on; [] if it reads it, None if out of sight."""
    if isinstance(op, tt.ReturnOp):
        return None
    return list(forwarded_to(op, value))
