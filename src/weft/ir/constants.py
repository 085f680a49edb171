"""Constants: read them as attributes or numbers, and write numbers back in a type.

A constant is a scalar attribute or a splat (`dense<3> : tensor<64xi32>`); both hold one number,
so a fold computes once and writes the number back in the type of the result.

    signed(5 : i3) = -3        unsigned(5 : i3) = 5        rounded(0.1, f16) = 0.0999755859375
"""

from __future__ import annotations

import math
import struct

from weft.ir import attributes, types
from weft.ir.arith import ConstantOp
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import (
    Attribute,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Operation,
    OpResult,
    SSAValue,
)
from weft.ir.ub import PoisonOp

__all__ = [
    "CONSTANTS",
    "boolean_like",
    "constant_attribute",
    "constant_like",
    "float_like",
    "float_number",
    "integer_like",
    "integer_number",
    "is_constant",
    "rounded",
    "signed",
    "truth",
    "unsigned",
    "width_of",
]

CONSTANTS = (ConstantOp, PoisonOp)

_INDEX_BITS = 64


def is_constant(op: Operation) -> bool:
    """Check whether an operation is a constant or poison."""
    return type(op) in CONSTANTS


def constant_attribute(value: SSAValue) -> Attribute | None:
    """Return the attribute of the `arith.constant` that defines a value, None for other values."""
    if type(value) is not OpResult:  # an isinstance of xDSL's classes costs ten times as much
        return None
    op = value.op
    return op.properties["value"] if type(op) is ConstantOp else None


def width_of(type_: Attribute) -> int:
    """Return the bits of an integer or index element."""
    scalar = types.element(type_)
    if type(scalar) is IntegerType:
        return scalar.width.data
    assert isinstance(scalar, IndexType)
    return _INDEX_BITS


def _scalar(attribute: Attribute | None) -> Attribute | None:
    # Exact types, here and below: an isinstance of xDSL's classes costs ten times as much.
    return attribute.value if type(attribute) is SplatAttr else attribute


def integer_number(attribute: Attribute | None) -> int | None:
    """Return the signed number of an integer constant, None for anything else."""
    scalar = _scalar(attribute)
    if type(scalar) is not IntegerAttr:
        return None
    return signed(scalar.value.data, width_of(scalar.type))


def float_number(attribute: Attribute | None) -> float | None:
    """Return the number of a floating-point constant, None for anything else."""
    scalar = _scalar(attribute)
    return scalar.value.data if type(scalar) is FloatAttr else None


def truth(attribute: Attribute | None) -> bool | None:
    """Return the truth of an i1 constant (a splat too), None for anything else."""
    scalar = _scalar(attribute)
    if type(scalar) is IntegerAttr and scalar.type == types.i1:
        return scalar.value.data != 0
    return None


def signed(value: int, width: int) -> int:
    """Read the low `width` bits of a number as two's complement."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    """Read the low `width` bits of a number as unsigned."""
    return value & ((1 << width) - 1)


def constant_like(scalar: IntegerAttr | FloatAttr, type_: Attribute) -> Attribute:
    """Return a scalar constant as a constant of a type: itself, or a splat of it."""
    return attributes.splat(scalar, type_) if types.is_tensor(type_) else scalar


def integer_like(value: int, type_: Attribute) -> Attribute:
    """Return an integer as a constant of a scalar or tensor type, wrapped to its bits."""
    scalar = types.element(type_)
    if scalar == types.i1:
        return constant_like(attributes.boolean(bool(value & 1)), type_)
    return constant_like(attributes.integer(signed(value, width_of(scalar)), scalar), type_)


def boolean_like(value: bool, type_: Attribute) -> Attribute:
    """Return a truth value as a constant of an i1 or tensor-of-i1 type."""
    return constant_like(attributes.boolean(value), type_)


_STRUCT = {types.f32: "<f", types.f64: "<d", types.f16: "<e"}
_BF16_MANTISSA_BITS, _BF16_LEAST_EXPONENT = 8, -133


def rounded(value: float, type_: Attribute) -> float | None:
    """Round a number to the nearest of a floating-point type (ties to even).

    Returns: None for the 8-bit and 4-bit types, which no fold computes in.
    """
    if (code := _STRUCT.get(type_)) is not None:
        try:
            return struct.unpack(code, struct.pack(code, value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
    if type_ == types.bf16:
        return _rounded_to_bf16(value)
    return None


def _rounded_to_bf16(value: float) -> float:
    if value == 0.0 or math.isinf(value) or math.isnan(value):
        return value
    exponent = math.frexp(value)[1]
    step = max(exponent - _BF16_MANTISSA_BITS, _BF16_LEAST_EXPONENT)
    result = math.ldexp(float(round(math.ldexp(value, -step))), step)
    return math.copysign(math.inf, value) if abs(result) >= 2.0**128 else result


def float_like(value: float, type_: Attribute) -> Attribute | None:
    """Return a number as a constant of a floating-point type, rounded to it."""
    scalar = types.element(type_)
    result = rounded(value, scalar)
    if result is None:
        return None
    return constant_like(attributes.float_(result, scalar), type_)
