"""Read constants as attributes and Python numbers, and build constants from numbers.

A constant is a scalar attribute or a splat (`dense<3> : tensor<64xi32>`). Both hold one number, so
a fold computes once, whatever the shape:

    lhs = integer_value(constant_attribute(op.lhs))    # 7, of dense<7> : tensor<64xi32>
    integer_attribute(lhs + 1, op.result.type)         # dense<8> : tensor<64xi32>
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
    "boolean_attribute",
    "constant_attribute",
    "constant_of_type",
    "float_attribute",
    "float_value",
    "integer_attribute",
    "integer_value",
    "is_constant",
    "round_to_type",
    "signed",
    "boolean_value",
    "unsigned",
    "integer_width",
]

CONSTANTS = (ConstantOp, PoisonOp)

_INDEX_BITS = 64


def is_constant(op: Operation) -> bool:
    """Check whether an operation is a constant or poison."""
    return type(op) in CONSTANTS


def constant_attribute(value: SSAValue) -> Attribute | None:
    """Find the attribute of the `arith.constant` that defines a value, None for other values."""
    if type(value) is not OpResult:  # ten times as fast as isinstance with xDSL's classes
        return None
    op = value.op
    return op.properties["value"] if type(op) is ConstantOp else None


def integer_width(type_: Attribute) -> int:
    """Return the bits of an integer or index type, or of the elements of a tensor."""
    scalar = types.element(type_)
    if type(scalar) is IntegerType:
        return scalar.width.data
    assert isinstance(scalar, IndexType)
    return _INDEX_BITS


def _scalar(attribute: Attribute | None) -> Attribute | None:
    # Exact types here and below: ten times as fast as isinstance with xDSL's classes.
    return attribute.value if type(attribute) is SplatAttr else attribute


def integer_value(attribute: Attribute | None) -> int | None:
    """Read an integer constant or splat as a signed number, None for other attributes."""
    scalar = _scalar(attribute)
    if type(scalar) is not IntegerAttr:
        return None
    return signed(scalar.value.data, integer_width(scalar.type))


def float_value(attribute: Attribute | None) -> float | None:
    """Read a floating-point constant or splat, None for other attributes."""
    scalar = _scalar(attribute)
    return scalar.value.data if type(scalar) is FloatAttr else None


def boolean_value(attribute: Attribute | None) -> bool | None:
    """Read an i1 constant or splat, None for other attributes."""
    scalar = _scalar(attribute)
    if type(scalar) is IntegerAttr and scalar.type == types.i1:
        return scalar.value.data != 0
    return None


def signed(value: int, width: int) -> int:
    """Interpret the low `width` bits of a number as two's complement: `signed(5, 3)` is -3."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    """Interpret the low `width` bits of a number as unsigned: `unsigned(-3, 3)` is 5."""
    return value & ((1 << width) - 1)


def constant_of_type(scalar: IntegerAttr | FloatAttr, type_: Attribute) -> Attribute:
    """Build a constant of a scalar or tensor type; a tensor becomes a splat."""
    return attributes.splat(scalar, type_) if types.is_tensor(type_) else scalar


def integer_attribute(value: int, type_: Attribute) -> Attribute:
    """Build an integer constant of a scalar or tensor type; the value wraps to its width."""
    scalar = types.element(type_)
    if scalar == types.i1:
        return constant_of_type(attributes.boolean(bool(value & 1)), type_)
    return constant_of_type(attributes.integer(signed(value, integer_width(scalar)), scalar), type_)


def boolean_attribute(value: bool, type_: Attribute) -> Attribute:
    """Build a constant of type i1 or tensor of i1."""
    return constant_of_type(attributes.boolean(value), type_)


_STRUCT: dict[Attribute, str] = {types.f32: "<f", types.f64: "<d", types.f16: "<e"}
_BF16_MANTISSA_BITS, _BF16_LEAST_EXPONENT = 8, -133


def round_to_type(value: float, type_: Attribute) -> float | None:
    """Round a number to a floating-point type, to nearest, ties to even.

    Returns:
        The rounded number, None for 8-bit and 4-bit types, which no fold supports.
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
    # bf16 has 8 bits of significand; a step is the weight of the last one, 2^-133 for subnormals.
    exponent = math.frexp(value)[1]
    step = max(exponent - _BF16_MANTISSA_BITS, _BF16_LEAST_EXPONENT)
    result = math.ldexp(float(round(math.ldexp(value, -step))), step)
    if abs(result) >= 2.0**128:
        result = math.inf
    return math.copysign(result, value)  # a value that rounds to zero keeps its sign


def float_attribute(value: float, type_: Attribute) -> Attribute | None:
    """Build a floating-point constant of a scalar or tensor type, rounded to it."""
    scalar = types.element(type_)
    result = round_to_type(value, scalar)
    if result is None:
        return None
    return constant_of_type(attributes.float_(result, scalar), type_)
