"""Folds of floating-point arithmetic that are exact for every input.

`x * 1.0 → x` and `x - 0.0 → x` hold for NaN, infinities and both zeros; `x + 0.0 → x` does not
(-0.0 + 0.0 is 0.0), so only `x + -0.0` folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from weft.ir import arith
from weft.ir.arith.folds.integer import swap_constant
from weft.ir.builtin import Operation, SSAValue
from weft.ir.constants import constant_attribute, float_attribute, float_value
from weft.ir.folding import Fold, Folded
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op

__all__ = ["FOLDS"]

Compute = Callable[[float, float], float]
Identity = Callable[[SSAValue, SSAValue, float | None], Folded]


def _binary(compute: Compute, identity: Identity | None, *, commutative: bool) -> Fold:
    def fold(op: Operation) -> Folded:
        lhs, rhs = operand_at(op, 0), operand_at(op, 1)
        right = float_value(constant_attribute(rhs))
        if identity is not None and (same := identity(lhs, rhs, right)) is not None:
            return same
        if right is not None:
            left = float_value(constant_attribute(lhs))
            if left is not None:
                value = _quiet_nan(compute(left, right), left, right)
                return float_attribute(value, op.results[0].type)
        return swap_constant(op) if commutative else None

    return fold


def _quiet_nan(value: float, a: float, b: float) -> float:
    """Choose the NaN of a result as LLVM's APFloat does, where processors differ.

    It is the first NaN among the operands, with its sign; of an invalid operation on numbers, such
    as inf - inf, the positive one.
    """
    if not math.isnan(value):
        return value
    return next((each for each in (a, b) if math.isnan(each)), math.nan)


def _is_zero(value: float | None, sign: float) -> bool:
    return value is not None and value == 0.0 and math.copysign(1.0, value) == sign


def _add(lhs: SSAValue, rhs: SSAValue, right: float | None) -> Folded:
    return lhs if _is_zero(right, -1.0) else None


def _sub(lhs: SSAValue, rhs: SSAValue, right: float | None) -> Folded:
    return lhs if _is_zero(right, 1.0) else None


def _by_one(lhs: SSAValue, rhs: SSAValue, right: float | None) -> Folded:
    return lhs if right == 1.0 else None


def _bounded(neutral: float) -> Identity:
    """Build the identities of a minimum or maximum.

    Args:
        neutral: The constant that is never the result.
    """

    def identity(lhs: SSAValue, rhs: SSAValue, right: float | None) -> Folded:
        if lhs is rhs:
            return rhs
        if right is None:
            return None
        if math.isnan(neutral):
            return lhs if math.isnan(right) else None
        return lhs if right == neutral else None

    return identity


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: float, b: float) -> float:
    if b == 0.0 or math.isinf(a):
        return math.nan
    return math.fmod(a, b)


def _multiply(a: float, b: float) -> float:
    return a * b


def _maximum(a: float, b: float) -> float:
    """Compute the maximum: NaN if either operand is, 0.0 of 0.0 and -0.0."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b == 0.0:
        return a if math.copysign(1.0, a) > 0 else b
    return max(a, b)


def _minimum(a: float, b: float) -> float:
    return -_maximum(-a, -b)


def _max_number(a: float, b: float) -> float:
    if math.isnan(a):
        return b
    return a if math.isnan(b) else _maximum(a, b)


def _negate(op: Operation) -> Folded:
    operand = operand_at(op, 0)
    inner = defining_op(operand, arith.NegFOp)
    if inner is not None:
        return inner.operands[0]
    value = float_value(constant_attribute(operand))
    return None if value is None else float_attribute(-value, op.results[0].type)


FOLDS: dict[type[Operation], Fold] = {
    arith.AddFOp: _binary(lambda a, b: a + b, _add, commutative=True),
    arith.SubFOp: _binary(lambda a, b: a - b, _sub, commutative=False),
    arith.MulFOp: _binary(_multiply, _by_one, commutative=True),
    arith.DivFOp: _binary(_divide, _by_one, commutative=False),
    arith.RemFOp: _binary(_remainder, None, commutative=False),
    arith.MaximumFOp: _binary(_maximum, _bounded(-math.inf), commutative=True),
    arith.MinimumFOp: _binary(_minimum, _bounded(math.inf), commutative=True),
    arith.MaxNumFOp: _binary(_max_number, _bounded(math.nan), commutative=True),
    arith.MinNumFOp: _binary(
        lambda a, b: -_max_number(-a, -b), _bounded(math.nan), commutative=True
    ),
    arith.NegFOp: _negate,
}
