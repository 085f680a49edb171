"""tl.math: elementwise mathematical functions."""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import TypeMismatchError, warn_ignored
from weft.frontend.semantics.broadcasting import splat_like
from weft.frontend.semantics.elementwise import elementwise
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.values import TensorValue, Value
from weft.ir import arith, tt
from weft.ir import math as ops
from weft.ir.locations import position
from weft.ir.operation import Op
from weft.language import dtypes

_WIDE_FLOATS = ("fp32", "fp64")
# name: (operation, element types)
_UNARY: dict[str, tuple[type[Op], tuple[str, ...]]] = {
    "ceil": (ops.CeilOp, _WIDE_FLOATS),
    "cos": (ops.CosOp, _WIDE_FLOATS),
    "erf": (ops.ErfOp, _WIDE_FLOATS),
    "exp": (ops.ExpOp, _WIDE_FLOATS),
    "exp2": (ops.Exp2Op, _WIDE_FLOATS),
    "floor": (ops.FloorOp, _WIDE_FLOATS),
    "log": (ops.LogOp, _WIDE_FLOATS),
    "log2": (ops.Log2Op, _WIDE_FLOATS),
    "rsqrt": (ops.RsqrtOp, _WIDE_FLOATS),
    "sin": (ops.SinOp, _WIDE_FLOATS),
    "sqrt": (ops.SqrtOp, _WIDE_FLOATS),
    "sqrt_rn": (tt.PreciseSqrtOp, ("fp32",)),
}


def check_types(name: str, accepted: tuple[str, ...], *operands: TensorValue) -> None:
    """Check the element types of operands.

    Raises:
        TypeMismatchError: An element type is not accepted.
    """
    for operand in operands:
        if operand.dtype.name not in accepted:
            raise TypeMismatchError(
                f"Expected dtype {list(accepted)} but got {operand.dtype} in tl.{name}",
                found=operand,
                accepted=accepted,
                hint="convert with .to(tl.float32)" if "fp32" in accepted else None,
            )


def _unary(name: str) -> Callable[..., TensorValue]:
    op, accepted = _UNARY[name]

    def emit(e: Emitter, x: Value) -> TensorValue:
        value = e.to_value(x)
        check_types(name, accepted, value)
        return elementwise(e, op, value)

    return emit


def abs_(e: Emitter, x: Value) -> TensorValue:
    """Emit the absolute value; of fp8e4b15 by clearing the sign bit.

    Raises:
        TypeMismatchError: The value is a pointer.
    """
    value = e.to_value(x)
    type_ = value.dtype
    if type_.is_fp8e4b15():
        mask = splat_like(e, e.constant(0x7F, dtypes.int8), value)
        return elementwise(e, arith.AndIOp, value, mask)
    if type_.is_floating():
        return elementwise(e, ops.AbsFOp, value)
    if type_.is_int_signed():
        return elementwise(e, ops.AbsIOp, value)
    if type_.is_int_unsigned():
        return value
    raise TypeMismatchError(
        f"Unexpected dtype {type_} in tl.abs", found=value, accepted=("a float", "an integer")
    )


def fdiv(e: Emitter, x: Value, y: Value, ieee_rounding: Value) -> TensorValue:
    """Emit arith.divf.

    Raises:
        TypeMismatchError: An operand is not a float.
    """
    if ieee_rounding:
        warn_ignored(
            "ieee_rounding of tl.fdiv and tl.softmax has no effect: the division is approximate; "
            "use tl.div_rn for a correctly rounded one",
            position(e.builder.location),
        )
    differ = e.to_value(x).dtype != e.to_value(y).dtype
    left, right = e.promote_operands(x, y, promotes=differ)
    for operand in (left, right):
        if not operand.dtype.is_floating():
            raise TypeMismatchError(
                "both operands of fdiv must have floating scalar type",
                found=operand,
                accepted=("two floats",),
                hint="use x / y",
            )
    return elementwise(e, arith.DivFOp, left, right)


def div_rn(e: Emitter, x: Value, y: Value) -> TensorValue:
    """Emit tt.precise_divf of fp32."""
    left, right = e.to_value(x), e.to_value(y)
    check_types("div_rn", ("fp32",), left, right)
    left, right = e.promote_operands(left, right)
    return elementwise(e, tt.PreciseDivFOp, left, right)


def fma(e: Emitter, x: Value, y: Value, z: Value) -> TensorValue:
    """Emit math.fma.

    Raises:
        TypeMismatchError: The operands are integers.
    """
    first, second, third = (e.to_value(operand) for operand in (x, y, z))
    first, second = e.promote_operands(first, second)
    third, first = e.promote_operands(third, first)
    third, second = e.promote_operands(third, second)
    if not first.dtype.is_floating():
        raise TypeMismatchError(
            f"Unexpected dtype {first.dtype} in tl.fma",
            found=first,
            accepted=("three floats",),
            hint="use x * y + z",
        )
    return elementwise(e, ops.FmaOp, first, second, third)


def umulhi(e: Emitter, x: Value, y: Value) -> TensorValue:
    """Emit tt.mulhiui of 32-bit or 64-bit integers."""
    left, right = e.to_value(x), e.to_value(y)
    check_types("umulhi", ("int32", "int64", "uint32", "uint64"), left, right)
    left, right = e.promote_operands(left, right)
    return elementwise(e, tt.MulhiUIOp, left, right)


TABLE: dict[str, Callable[..., object]] = {
    **{f"math.{name}": _unary(name) for name in _UNARY},
    "math.abs": abs_,
    "math.div_rn": div_rn,
    "math.fdiv": fdiv,
    "math.fma": fma,
    "math.umulhi": umulhi,
}
