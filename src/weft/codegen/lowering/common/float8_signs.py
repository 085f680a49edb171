"""Signs of 8-bit floats, which LLVM has no type for: their codes are changed as i8.

By hand, for f8E4M3FN and for f8E4M3FNUZ, which has no negative zero and whose only NaN is 0x80:

    code    f8E4M3FN    abs     neg     f8E4M3FNUZ    abs     neg
    0x38    1.0         0x38    0xb8    0.5           0x38    0xb8
    0x00    0.0         0x00    0x80    0.0           0x00    0x00
    0x80    -0.0        0x00    0x00    NaN           0x80    0x80

Source: MLIR's builtin float types. Triton 3.7.1 clears or flips the bit of every type, so that of
FNUZ types abs(NaN) is 0 there, and the negative of 0 is NaN.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    Float8E4M3B11FNUZType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
)
from xdsl.ir import Attribute

from weft.codegen.llvm.writer import Writer
from weft.ir import types

__all__ = ["float8_magnitude", "float8_negative", "is_float8"]

_MAGNITUDE, _SIGN = 0x7F, -0x80  # bits of an i8
_FNUZ = (Float8E4M3FNUZType, Float8E5M2FNUZType, Float8E4M3B11FNUZType)


def is_float8(type_: Attribute) -> bool:
    """Check whether the elements of a type of floats have 8 bits."""
    return types.bit_width(types.element(type_)) == 8


def float8_magnitude(writer: Writer, type_: Attribute, code: str) -> str:
    """Write the absolute value of an 8-bit float.

    Args:
        writer: Where to.
        type_: The type of the float, or of a tensor of it.
        code: The float as i8.

    Returns:
        The result as i8.
    """
    magnitude = writer.value(f"and i8 {code}, {_MAGNITUDE}")
    if not isinstance(types.element(type_), _FNUZ):
        return magnitude
    is_nan = writer.value(f"icmp eq i8 {code}, {_SIGN}")
    return writer.value(f"select i1 {is_nan}, i8 {code}, i8 {magnitude}")


def float8_negative(writer: Writer, type_: Attribute, code: str) -> str:
    """Write the negative of an 8-bit float; arguments and result as of `float8_magnitude`."""
    negative = writer.value(f"xor i8 {code}, {_SIGN}")
    if not isinstance(types.element(type_), _FNUZ):
        return negative
    magnitude = writer.value(f"and i8 {code}, {_MAGNITUDE}")
    has_one_code = writer.value(f"icmp eq i8 {magnitude}, 0")  # zero and NaN
    return writer.value(f"select i1 {has_one_code}, i8 {code}, i8 {negative}")
