"""tl.add, tl.sub, tl.mul, tl.minimum, tl.maximum, tl.clamp, tl.where, and the logical operators."""

from __future__ import annotations

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics import arithmetic
from weft.frontend.semantics.broadcasting import broadcast
from weft.frontend.semantics.elementwise import elementwise
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir import arith, tt
from weft.ir.enums import PropagateNan as PropagateNanAttr
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.propagate_nan import PropagateNan

# name: operation on floats for PropagateNan.NONE, for ALL, on signed integers, on unsigned integers
_EXTREMA: dict[str, tuple[type[Op], type[Op], type[Op], type[Op]]] = {
    "minimum": (arith.MinNumFOp, arith.MinimumFOp, arith.MinSIOp, arith.MinUIOp),
    "maximum": (arith.MaxNumFOp, arith.MaximumFOp, arith.MaxSIOp, arith.MaxUIOp),
}


def add(e: Emitter, x: Value, y: Value, sanitize_overflow: Value) -> TensorValue:
    """Emit x + y."""
    return arithmetic.add(e, x, y, bool(sanitize_overflow))


def sub(e: Emitter, x: Value, y: Value, sanitize_overflow: Value) -> TensorValue:
    """Emit x - y."""
    return arithmetic.sub(e, x, y, bool(sanitize_overflow))


def mul(e: Emitter, x: Value, y: Value, sanitize_overflow: Value) -> TensorValue:
    """Emit x * y."""
    return arithmetic.mul(e, x, y, bool(sanitize_overflow))


def nan_propagation(value: Value) -> PropagateNan:
    """Read the argument `propagate_nan`.

    Raises:
        CompilationError: It is no value of tl.PropagateNan.
    """
    try:
        return PropagateNan(value)  # pyright: ignore[reportArgumentType] - ValueError if it is not
    except ValueError:
        raise CompilationError(
            f"Unexpected propagate_nan {value}",
            found=value,
            accepted=("tl.PropagateNan.NONE", "tl.PropagateNan.ALL"),
        ) from None


def _promote_bf16(e: Emitter, x: Value) -> TensorValue:
    """Convert bf16 to fp32: no target has minimum and maximum of bf16."""
    value = e.to_value(x)
    return e.cast(value, dtypes.float32) if value.dtype.is_bf16() else value


def _extremum(e: Emitter, name: str, x: Value, y: Value, propagate_nan: Value) -> TensorValue:
    propagation = nan_propagation(propagate_nan)
    left, right = e.promote_operands(_promote_bf16(e, x), _promote_bf16(e, y))
    number_op, nan_op, signed_op, unsigned_op = _EXTREMA[name]
    if left.dtype.is_floating():
        op = nan_op if propagation is PropagateNan.ALL else number_op
    else:
        op = signed_op if left.dtype.is_int_signed() else unsigned_op
    return elementwise(e, op, left, right)


def minimum(e: Emitter, x: Value, y: Value, propagate_nan: Value) -> TensorValue:
    """Emit the smaller of two values."""
    return _extremum(e, "minimum", x, y, propagate_nan)


def maximum(e: Emitter, x: Value, y: Value, propagate_nan: Value) -> TensorValue:
    """Emit the larger of two values."""
    return _extremum(e, "maximum", x, y, propagate_nan)


def clamp(e: Emitter, x: Value, min: Value, max: Value, propagate_nan: Value) -> TensorValue:
    """Emit tt.clampf.

    Raises:
        TypeMismatchError: The operands are integers.
    """
    propagation = nan_propagation(propagate_nan)
    value, low, high = (_promote_bf16(e, operand) for operand in (x, min, max))
    low, high = e.promote_operands(low, high)
    value, low = e.promote_operands(value, low)
    value, high = e.promote_operands(value, high)
    low, high = broadcast(e, low, high)
    if not value.dtype.is_floating():
        raise TypeMismatchError(
            f"Unexpected dtype {value.dtype}. Only floating point clamp is supported",
            found=value,
            accepted=("a float",),
            hint="use tl.minimum(tl.maximum(x, low), high) for integers",
        )
    properties = {"propagateNan": PropagateNanAttr(propagation).attr()}
    handles = [value.handle, low.handle, high.handle]
    result = e.builder.value(tt.ClampFOp, handles, value.handle.type, properties)
    return TensorValue(result, value.type)


def where(e: Emitter, condition: Value, x: Value, y: Value) -> TensorValue:
    """Emit arith.select."""
    return e.select(condition, x, y)


def logical_and(e: Emitter, x: Value, other: Value) -> TensorValue:
    """Emit `x and other`."""
    return e.logical_and(x, other)


def logical_or(e: Emitter, x: Value, other: Value) -> TensorValue:
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
