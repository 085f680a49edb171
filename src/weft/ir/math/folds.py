"""Folds of math on constants: `math.sqrt 2.0 → 1.41421354`.

Transcendental functions fold for f32 and f64 only: the host computes in double precision and rounds
once. `absf`, `floor` and `ceil` are exact and fold for every type.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from weft.ir import math as math_dialect
from weft.ir import types
from weft.ir.builtin import Attribute, Operation
from weft.ir.constants import (
    constant_attribute,
    float_attribute,
    float_value,
    integer_attribute,
    integer_value,
    integer_width,
)
from weft.ir.folding import Fold, Folded

__all__ = ["FOLDS"]

_F32_OR_F64 = (types.f32, types.f64)


def _constant(compute: Callable[[float], float], only: tuple[Attribute, ...] = ()) -> Fold:
    def fold(op: Operation) -> Folded:
        value = float_value(constant_attribute(op.operands[0]))
        result = op.results[0].type
        if value is None or (only and types.element(result) not in only):
            return None
        try:
            return float_attribute(compute(value), result)
        except (ValueError, OverflowError):
            return None

    return fold


def _preserve_special(compute: Callable[[float], float]) -> Callable[[float], float]:
    """Return NaN and infinities unchanged, and keep the sign of a zero result."""

    def computed(value: float) -> float:
        if math.isnan(value) or math.isinf(value):
            return value
        return math.copysign(compute(value), value) if compute(value) == 0 else compute(value)

    return computed


def _infinity_on_overflow(compute: Callable[[float], float]) -> Callable[[float], float]:
    """Return infinity on overflow."""

    def computed(value: float) -> float:
        try:
            return compute(value)
        except OverflowError:
            return math.inf

    return computed


def _sqrt(value: float) -> float:
    """Compute the root of a number without sign bit; like MLIR, do not fold -0.0."""
    if math.copysign(1.0, value) < 0:
        raise ValueError(value)
    return math.sqrt(value)


def _absi(op: Operation) -> Folded:
    value = integer_value(constant_attribute(op.operands[0]))
    result = op.results[0].type
    if value is None or value == -(1 << (integer_width(result) - 1)):
        return None
    return integer_attribute(abs(value), result)


FOLDS: dict[type[Operation], Fold] = {
    math_dialect.AbsFOp: _constant(abs),
    math_dialect.AbsIOp: _absi,
    math_dialect.FloorOp: _constant(_preserve_special(math.floor)),
    math_dialect.CeilOp: _constant(_preserve_special(math.ceil)),
    math_dialect.ExpOp: _constant(_infinity_on_overflow(math.exp), _F32_OR_F64),
    math_dialect.Exp2Op: _constant(_infinity_on_overflow(lambda x: 2.0**x), _F32_OR_F64),
    math_dialect.LogOp: _constant(math.log, _F32_OR_F64),
    math_dialect.Log2Op: _constant(math.log2, _F32_OR_F64),
    math_dialect.SqrtOp: _constant(_sqrt, _F32_OR_F64),
    math_dialect.SinOp: _constant(math.sin, _F32_OR_F64),
    math_dialect.CosOp: _constant(math.cos, _F32_OR_F64),
    math_dialect.TanhOp: _constant(math.tanh, _F32_OR_F64),
    math_dialect.ErfOp: _constant(math.erf, _F32_OR_F64),
}
