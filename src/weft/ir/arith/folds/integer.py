"""Folds of integer arithmetic: `x + 0 → x`, `x * 0 → 0`, `x - x → 0`, `7 // 2 → 3`.

If only the left operand of a commutative operation is constant, the fold swaps the operands, so
that every other rule finds constants on the right.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.ir import arith
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue
from weft.ir.constants import (
    constant_attribute,
    integer_attribute,
    integer_value,
    integer_width,
    is_constant,
    signed,
    unsigned,
)
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op
from weft.ir.ub import PoisonOp

__all__ = ["FOLDS", "swap_constant"]

Compute = Callable[[int, int, int], int | None]
Identity = Callable[[Operation, SSAValue, SSAValue, int | None], Folded]


def swap_constant(op: Operation) -> Folded:
    """Move a constant left operand to the right, if the right operand is not constant."""
    lhs, rhs = operand_at(op, 0), operand_at(op, 1)
    if _is_constant(lhs) and not _is_constant(rhs):
        op.operands = (rhs, lhs)
        return IN_PLACE
    return None


def _is_constant(value: SSAValue) -> bool:
    return type(value) is OpResult and is_constant(value.op)


def _is_poison(value: SSAValue) -> bool:
    return type(value) is OpResult and type(value.op) is PoisonOp


def _binary(compute: Compute, identity: Identity | None, *, commutative: bool) -> Fold:
    """Build the fold of a binary operation.

    Args:
        compute: Computes the result of two constants and a width, None where it is undefined.
        identity: Simplifies the operation if one operand is constant or both are equal.
        commutative: Whether to swap operands.
    """

    def fold(op: Operation) -> Folded:
        lhs, rhs = operand_at(op, 0), operand_at(op, 1)
        right = integer_value(constant_attribute(rhs))
        if identity is not None and (same := identity(op, lhs, rhs, right)) is not None:
            return same
        if _is_poison(lhs):
            return lhs
        if _is_poison(rhs):
            return rhs
        if right is not None:
            left = integer_value(constant_attribute(lhs))
            if left is not None:
                type_ = op.results[0].type
                value = compute(left, right, integer_width(type_))
                if value is not None:
                    return integer_attribute(value, type_)
        return swap_constant(op) if commutative else None

    return fold


def _zero(op: Operation) -> Attribute:
    return integer_attribute(0, op.results[0].type)


# ------------------------------------------------------------------------------------- identities
def _add(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    if right == 0:
        return lhs
    for minus, other in ((lhs, rhs), (rhs, lhs)):
        difference = defining_op(minus, arith.SubIOp)
        if difference is not None and difference.operands[1] is other:
            return difference.operands[0]
    return None


def _sub(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    if lhs is rhs:
        return _zero(op)
    if right == 0:
        return lhs
    total = defining_op(lhs, arith.AddIOp)
    if total is not None:
        first, second = total.operands
        if second is rhs:
            return first
        if first is rhs:
            return second
    return None


def _mul(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    if right == 0:
        return rhs
    return lhs if _is_one(op, right) else None


def _is_one(op: Operation, right: int | None) -> bool:
    return right is not None and unsigned(right, integer_width(op.results[0].type)) == 1


def _div(flag: str) -> Identity:
    def identity(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
        if _is_one(op, right):
            return lhs
        product = defining_op(lhs, arith.MulIOp)
        if product is None or flag not in product.overflowFlags.data:
            return None
        first, second = product.operands
        if second is rhs:
            return first
        return second if first is rhs else None

    return identity


def _over_one(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    return lhs if _is_one(op, right) else None


def _rem(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    return _zero(op) if _is_one(op, right) else None


def _is_not(value: SSAValue, of: SSAValue) -> bool:
    """Check whether `value` is `of ^ -1`."""
    xor = defining_op(value, arith.XOrIOp)
    if xor is None:
        return False
    lhs, rhs = xor.operands
    return lhs is of and integer_value(constant_attribute(rhs)) == -1


def _and(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    if right == 0:
        return rhs
    if right == -1:
        return lhs
    if _is_not(rhs, lhs) or _is_not(lhs, rhs):
        return _zero(op)
    for inner, other in ((lhs, rhs), (rhs, lhs)):
        conjunction = defining_op(inner, arith.AndIOp)
        if conjunction is not None and any(operand is other for operand in conjunction.operands):
            return inner
    return None


def _or(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    if right == 0:
        return lhs
    if right == -1:
        return rhs
    if _is_not(rhs, lhs) or _is_not(lhs, rhs):
        return integer_attribute(-1, op.results[0].type)
    return None


def _xor(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    if right == 0:
        return lhs
    if lhs is rhs:
        return _zero(op)
    for inner, other in ((lhs, rhs), (rhs, lhs)):
        xor = defining_op(inner, arith.XOrIOp)
        if xor is not None:
            first, second = xor.operands
            if second is other:
                return first
            if first is other:
                return second
    return None


def _by_zero(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
    return lhs if right == 0 else None


def _bounded(absorbing: Callable[[int], int], neutral: Callable[[int], int]) -> Identity:
    """Build the identities of a minimum or maximum.

    Args:
        absorbing: Computes from the width the constant that is the result whatever the other
            operand is, as the least number for a minimum.
        neutral: Computes from the width the constant that leaves the other operand.
    """

    def identity(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
        if lhs is rhs:
            return rhs
        if right is not None:
            width = integer_width(op.results[0].type)
            if right == signed(absorbing(width), width):
                return rhs
            if right == signed(neutral(width), width):
                return lhs
        return None

    return identity


def _idempotent(identity: Identity) -> Identity:
    def idempotent(op: Operation, lhs: SSAValue, rhs: SSAValue, right: int | None) -> Folded:
        folded = identity(op, lhs, rhs, right)
        return lhs if folded is None and lhs is rhs else folded

    return idempotent


def _least_signed(width: int) -> int:
    return -1 << (width - 1)


def _greatest_signed(width: int) -> int:
    return (1 << (width - 1)) - 1


def _least_unsigned(width: int) -> int:
    return 0


def _greatest_unsigned(width: int) -> int:
    return (1 << width) - 1


# ------------------------------------------------------------------------------------- arithmetic
def _truncated(a: int, b: int) -> int:
    """Divide, rounding towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _div_signed(a: int, b: int, width: int) -> int | None:
    if b == 0 or (b == -1 and a == -(1 << (width - 1))):
        return None
    return _truncated(a, b)


def _rem_signed(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else a - _truncated(a, b) * b


def _div_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else unsigned(a, width) // unsigned(b, width)


def _rem_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else unsigned(a, width) % unsigned(b, width)


def _ceil_signed(a: int, b: int, width: int) -> int | None:
    return None if _div_signed(a, b, width) is None else -(-a // b)


def _floor_signed(a: int, b: int, width: int) -> int | None:
    return None if _div_signed(a, b, width) is None else a // b


def _ceil_unsigned(a: int, b: int, width: int) -> int | None:
    return None if b == 0 else -(-unsigned(a, width) // unsigned(b, width))


def _shift(compute: Callable[[int, int, int], int]) -> Compute:
    def bounded(a: int, b: int, width: int) -> int | None:
        by = unsigned(b, width)
        return compute(a, by, width) if by < width else None

    return bounded


FOLDS: dict[type[Operation], Fold] = {
    arith.AddIOp: _binary(lambda a, b, w: a + b, _add, commutative=True),
    arith.SubIOp: _binary(lambda a, b, w: a - b, _sub, commutative=False),
    arith.MulIOp: _binary(lambda a, b, w: a * b, _mul, commutative=True),
    arith.DivSIOp: _binary(_div_signed, _div("nsw"), commutative=False),
    arith.DivUIOp: _binary(_div_unsigned, _div("nuw"), commutative=False),
    arith.RemSIOp: _binary(_rem_signed, _rem, commutative=False),
    arith.RemUIOp: _binary(_rem_unsigned, _rem, commutative=False),
    arith.CeilDivSIOp: _binary(_ceil_signed, _over_one, commutative=False),
    arith.CeilDivUIOp: _binary(_ceil_unsigned, _over_one, commutative=False),
    arith.FloorDivSIOp: _binary(_floor_signed, _over_one, commutative=False),
    arith.AndIOp: _binary(lambda a, b, w: a & b, _idempotent(_and), commutative=True),
    arith.OrIOp: _binary(lambda a, b, w: a | b, _idempotent(_or), commutative=True),
    arith.XOrIOp: _binary(lambda a, b, w: a ^ b, _xor, commutative=True),
    arith.ShLIOp: _binary(_shift(lambda a, b, w: a << b), _by_zero, commutative=False),
    arith.ShRSIOp: _binary(_shift(lambda a, b, w: a >> b), _by_zero, commutative=False),
    arith.ShRUIOp: _binary(
        _shift(lambda a, b, w: unsigned(a, w) >> b), _by_zero, commutative=False
    ),
    arith.MinSIOp: _binary(
        lambda a, b, w: min(a, b), _bounded(_least_signed, _greatest_signed), commutative=True
    ),
    arith.MaxSIOp: _binary(
        lambda a, b, w: max(a, b), _bounded(_greatest_signed, _least_signed), commutative=True
    ),
    arith.MinUIOp: _binary(
        lambda a, b, w: min(unsigned(a, w), unsigned(b, w)),
        _bounded(_least_unsigned, _greatest_unsigned),
        commutative=True,
    ),
    arith.MaxUIOp: _binary(
        lambda a, b, w: max(unsigned(a, w), unsigned(b, w)),
        _bounded(_greatest_unsigned, _least_unsigned),
        commutative=True,
    ),
}
