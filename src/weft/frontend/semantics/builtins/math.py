"""tl.math: functions of mathematics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.arithmetic import same_type
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.shaping import splat
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, tt
from weft.ir import math as ops
from weft.ir.operation import Op
from weft.language import dtypes

# name: (operation, element types that it takes)
_WIDE = ("fp32", "fp64")
_UNARY: dict[str, tuple[type[Op], tuple[str, ...]]] = {
    "ceil": (ops.CeilOp, _WIDE),
    "cos": (ops.CosOp, _WIDE),
    "erf": (ops.ErfOp, _WIDE),
    "exp": (ops.ExpOp, _WIDE),
    "exp2": (ops.Exp2Op, _WIDE),
    "floor": (ops.FloorOp, _WIDE),
    "log": (ops.LogOp, _WIDE),
    "log2": (ops.Log2Op, _WIDE),
    "rsqrt": (ops.RsqrtOp, _WIDE),
    "sin": (ops.SinOp, _WIDE),
    "sqrt": (ops.SqrtOp, _WIDE),
    "sqrt_rn": (tt.PreciseSqrtOp, ("fp32",)),
}


def check_types(name: str, accepted: tuple[str, ...], *operands: TensorValue) -> None:
    """Raise TypeMismatchError for an operand of an element type that is not accepted."""
    for operand in operands:
        if operand.dtype.name not in accepted:
            raise TypeMismatchError(
                f"tl.{name} does not take {operand.dtype}",
                found=operand,
                accepted=accepted,
                hint="convert with .to(tl.float32)" if "fp32" in accepted else None,
            )


def _unary(name: str) -> Callable[..., TensorValue]:
    op, accepted = _UNARY[name]

    def emit(e: Emitter, x: Any) -> TensorValue:
        value = e.to_value(x)
        check_types(name, accepted, value)
        return same_type(e, op, value)

    return emit


def abs_(e: Emitter, x: Any) -> TensorValue:
    """Emit the absolute value: of fp8e4b15 by clearing the sign bit, of unsigned ones nothing."""
    value = e.to_value(x)
    type_ = value.dtype
    if type_.is_fp8e4b15():
        mask = splat(e, e.constant(0x7F, dtypes.int8), value.shape)
        return same_type(e, arith.AndIOp, value, mask)
    if type_.is_floating():
        return same_type(e, ops.AbsFOp, value)
    if type_.is_int_signed():
        return same_type(e, ops.AbsIOp, value)
    if type_.is_int_unsigned():
        return value
    raise TypeMismatchError(
        "tl.abs takes a number", found=value, accepted=("a float", "an integer")
    )


def fdiv(e: Emitter, x: Any, y: Any, ieee_rounding: Any) -> TensorValue:
    """Emit arith.divf.

    Raises: TypeMismatchError unless both are floats.
    """
    del ieee_rounding
    left, right = e.matched(x, y, promotes=_needs_promotion(e, x, y))
    for operand in (left, right):
        if not operand.dtype.is_floating():
            raise TypeMismatchError(
                "tl.fdiv takes floats", found=operand, accepted=("two floats",), hint="use x / y"
            )
    return same_type(e, arith.DivFOp, left, right)


def _needs_promotion(e: Emitter, x: Any, y: Any) -> bool:
    """Tell whether two operands of fdiv differ in type."""
    return e.to_value(x).dtype != e.to_value(y).dtype


def div_rn(e: Emitter, x: Any, y: Any) -> TensorValue:
    """Emit tt.precise_divf of fp32."""
    left, right = e.to_value(x), e.to_value(y)
    check_types("div_rn", ("fp32",), left, right)
    left, right = e.matched(left, right)
    return same_type(e, tt.PreciseDivFOp, left, right)


def fma(e: Emitter, x: Any, y: Any, z: Any) -> TensorValue:
    """Emit math.fma.

    Raises: TypeMismatchError for integers.
    """
    first, second, third = (e.to_value(operand) for operand in (x, y, z))
    second, third = e.matched(second, third)
    first, second = e.matched(first, second)
    third, second = e.matched(third, second)
    if not first.dtype.is_floating():
        raise TypeMismatchError(
            "tl.fma takes floats", found=first, accepted=("three floats",), hint="use x * y + z"
        )
    return same_type(e, ops.FmaOp, first, second, third)


def umulhi(e: Emitter, x: Any, y: Any) -> TensorValue:
    """Emit tt.mulhiui of integers of 32 or 64 bits."""
    left, right = e.to_value(x), e.to_value(y)
    check_types("umulhi", ("int32", "int64", "uint32", "uint64"), left, right)
    left, right = e.matched(left, right)
    return same_type(e, tt.MulhiUIOp, left, right)


TABLE: dict[str, Callable[..., Any]] = {
    **{f"math.{name}": _unary(name) for name in _UNARY},
    "math.abs": abs_,
    "math.div_rn": div_rn,
    "math.fdiv": fdiv,
    "math.fma": fma,
    "math.umulhi": umulhi,
}
