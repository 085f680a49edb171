"""tl.add, tl.minimum, tl.clamp, tl.where and their like."""

from __future__ import annotations

from typing import Any

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics import arithmetic
from weft.frontend.semantics.arithmetic import same_type
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.shaping import broadcast
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, tt
from weft.ir.enums import PropagateNan as Propagation
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.propagate_nan import PropagateNan

# name: number-wins float operation, NaN-wins float operation, signed, unsigned
_EXTREMES: dict[str, tuple[type[Op], type[Op], type[Op], type[Op]]] = {
    "minimum": (arith.MinNumFOp, arith.MinimumFOp, arith.MinSIOp, arith.MinUIOp),
    "maximum": (arith.MaxNumFOp, arith.MaximumFOp, arith.MaxSIOp, arith.MaxUIOp),
}


def add(e: Emitter, x: Any, y: Any, sanitize_overflow: Any) -> TensorValue:
    """Emit x + y."""
    return arithmetic.add(e, x, y, bool(sanitize_overflow))


def sub(e: Emitter, x: Any, y: Any, sanitize_overflow: Any) -> TensorValue:
    """Emit x - y."""
    return arithmetic.sub(e, x, y, bool(sanitize_overflow))


def mul(e: Emitter, x: Any, y: Any, sanitize_overflow: Any) -> TensorValue:
    """Emit x * y."""
    return arithmetic.mul(e, x, y, bool(sanitize_overflow))


def _propagation(value: Any) -> PropagateNan:
    try:
        return PropagateNan(value)
    except ValueError:
        raise CompilationError(
            "unknown treatment of NaN",
            found=value,
            accepted=("tl.PropagateNan.NONE", "tl.PropagateNan.ALL"),
        ) from None


def _widened(e: Emitter, x: Any) -> TensorValue:
    """Return a value with bf16 as fp32: the targets have no extremes of bf16."""
    value = e.to_value(x)
    return e.cast(value, dtypes.float32) if value.dtype.is_bf16() else value


def _extreme(e: Emitter, name: str, x: Any, y: Any, propagate_nan: Any) -> TensorValue:
    propagation = _propagation(propagate_nan)
    left, right = e.matched(_widened(e, x), _widened(e, y))
    number_wins, nan_wins, signed, unsigned = _EXTREMES[name]
    if left.dtype.is_floating():
        op = nan_wins if propagation is PropagateNan.ALL else number_wins
    else:
        op = signed if left.dtype.is_int_signed() else unsigned
    return same_type(e, op, left, right)


def minimum(e: Emitter, x: Any, y: Any, propagate_nan: Any) -> TensorValue:
    """Emit the smaller of two values."""
    return _extreme(e, "minimum", x, y, propagate_nan)


def maximum(e: Emitter, x: Any, y: Any, propagate_nan: Any) -> TensorValue:
    """Emit the larger of two values."""
    return _extreme(e, "maximum", x, y, propagate_nan)


def clamp(e: Emitter, x: Any, min: Any, max: Any, propagate_nan: Any) -> TensorValue:
    """Emit tt.clampf.

    Raises: TypeMismatchError for integers.
    """
    propagation = _propagation(propagate_nan)
    value, low, high = (_widened(e, operand) for operand in (x, min, max))
    low, high = e.matched(low, high)
    value, low = e.matched(value, low)
    value, high = e.matched(value, high)
    low, high = broadcast(e, low, high)
    if not value.dtype.is_floating():
        raise TypeMismatchError(
            "tl.clamp takes floats",
            found=value,
            accepted=("a float",),
            hint="use tl.minimum(tl.maximum(x, low), high) for integers",
        )
    properties = {"propagateNan": Propagation(propagation).attr()}
    handles = [value.handle, low.handle, high.handle]
    result = e.builder.value(tt.ClampFOp, handles, value.handle.type, properties)
    return TensorValue(result, value.type)


def where(e: Emitter, condition: Any, x: Any, y: Any) -> TensorValue:
    """Emit arith.select."""
    return e.select(condition, x, y)


def logical_and(e: Emitter, x: Any, other: Any) -> TensorValue:
    """Emit `x and other`."""
    return e.logical_and(x, other)


def logical_or(e: Emitter, x: Any, other: Any) -> TensorValue:
    """Emit `x or other`."""
    return e.logical_or(x, other)


TABLE = {
    "add": add,
    "clamp": clamp,
    "maximum": maximum,
    "minimum": minimum,
    "mul": mul,
    "sub": sub,
    "tensor.logical_and": logical_and,
    "tensor.logical_or": logical_or,
    "where": where,
}
