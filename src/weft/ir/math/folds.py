"""Folds of math on constants: `math.sqrt 2.0 → 1.41421354`.

f32 and f64 only for functions that round (the host computes them in double precision and
rounds once); sign and rounding functions on every type.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from weft.ir import math as math_dialect
from weft.ir import types
from weft.ir.builtin import Attribute, Operation
from weft.ir.constants import (
    constant_attribute,
    float_like,
    float_number,
    integer_like,
    integer_number,
    width_of,
)
from weft.ir.folding import Fold, Folded

__all__ = ["FOLDS"]

_WIDE = (types.f32, types.f64)


def _constant(compute: Callable[[float], float], only: tuple[Attribute, ...] = ()) -> Fold:
    def fold(op: Operation) -> Folded:
        value = float_number(constant_attribute(op.operands[0]))
        result = op.results[0].type
        if value is None or (only and types.element(result) not in only):
            return None
        try:
            return float_like(compute(value), result)
        except (ValueError, OverflowError):
            return None

    return fold


def _keeping_special(compute: Callable[[float], float]) -> Callable[[float], float]:
    """Let NaN and infinities through, and keep the sign of a zero result."""

    def computed(value: float) -> float:
        if math.isnan(value) or math.isinf(value):
            return value
        return math.copysign(compute(value), value) if compute(value) == 0 else compute(value)

    return computed


def _or_infinity(compute: Callable[[float], float]) -> Callable[[float], float]:
    """Let what is too large for the host be infinite, as it is on the chip."""

    def computed(value: float) -> float:
        try:
            return compute(value)
        except OverflowError:
            return math.inf

    return computed


def _sqrt(value: float) -> float:
    """Return the root of what has no sign; -0.0 has one, and is left to the chip."""
    if math.copysign(1.0, value) < 0:
        raise ValueError(value)
    return math.sqrt(value)


def _absi(op: Operation) -> Folded:
    value = integer_number(constant_attribute(op.operands[0]))
    result = op.results[0].type
    if value is None or value == -(1 << (width_of(result) - 1)):
        return None
    return integer_like(abs(value), result)


FOLDS: dict[type[Operation], Fold] = {
    math_dialect.AbsFOp: _constant(abs),
    math_dialect.AbsIOp: _absi,
    math_dialect.FloorOp: _constant(_keeping_special(math.floor)),
    math_dialect.CeilOp: _constant(_keeping_special(math.ceil)),
    math_dialect.ExpOp: _constant(_or_infinity(math.exp), _WIDE),
    math_dialect.Exp2Op: _constant(_or_infinity(lambda x: 2.0**x), _WIDE),
    math_dialect.LogOp: _constant(math.log, _WIDE),
    math_dialect.Log2Op: _constant(math.log2, _WIDE),
    math_dialect.SqrtOp: _constant(_sqrt, _WIDE),
    math_dialect.SinOp: _constant(math.sin, _WIDE),
    math_dialect.CosOp: _constant(math.cos, _WIDE),
    math_dialect.TanhOp: _constant(math.tanh, _WIDE),
    math_dialect.ErfOp: _constant(math.erf, _WIDE),
}
