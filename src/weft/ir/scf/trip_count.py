"""The number of iterations of an scf.for with constant bounds.

scf.for %i = 0 to 10 step 4                     3 iterations
scf.for %i = %n to (addi %n, 8 overflow<nsw>)   8 iterations, whatever %n is
"""

from __future__ import annotations

from weft.ir.arith import AddIOp
from weft.ir.builtin import SSAValue
from weft.ir.constants import constant_attribute, integer_value, integer_width, unsigned
from weft.ir.rewriting import defining_op
from weft.ir.scf import ForOp

__all__ = ["bound_difference", "constant_step", "trip_count"]


def bound_difference(op: ForOp) -> int | None:
    """Compute the upper bound minus the lower bound, None if it is unknown.

    It is known for two constants, and for an upper bound `lower + constant` with the flag that
    rules out overflow: if the addition wrapped, the loop would not run.
    """
    lower, upper, _ = op.bounds
    first, last = _constant_bound(op, lower), _constant_bound(op, upper)
    if first is not None and last is not None:
        return last - first
    addition = defining_op(upper, AddIOp)
    if addition is None or addition.operands[0] is not lower:
        return None
    flag = "nuw" if "unsignedCmp" in op.properties else "nsw"
    if flag not in addition.overflowFlags.data:
        return None
    return _constant_bound(op, addition.operands[1])


def constant_step(op: ForOp) -> int | None:
    """Read the step of a loop, None if it is not constant."""
    return _constant_bound(op, op.bounds.step)


def _constant_bound(op: ForOp, value: SSAValue) -> int | None:
    """Read a constant; in a loop with unsigned comparison -1 : i32 is 4294967295."""
    constant = integer_value(constant_attribute(value))
    if constant is None or "unsignedCmp" not in op.properties:
        return constant
    return unsigned(constant, integer_width(value.type))


def trip_count(op: ForOp) -> int | None:
    """Compute the number of iterations of a loop, None if it is unknown."""
    lower, upper, _ = op.bounds
    if lower is upper:
        return 0
    difference, step = bound_difference(op), constant_step(op)
    if difference is None or step is None or step <= 0:
        return None
    return max(0, -(-difference // step))
