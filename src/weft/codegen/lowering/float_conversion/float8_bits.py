"""8-bit floats without conversion instructions: arithmetic on the bits of f32.

Widening. The bits of the magnitude, shifted to f32's exponent and mantissa, are the number up to a
power of two, because the exponents have different biases. One multiplication corrects that, for
subnormal numbers as well:

    e4m3   0 0110 101   →   0 0000 0110 101…0   = 2^(6-127) · 1.625,   times 2^(127-7)  = 0.8125

Narrowing. Adding and subtracting c = 2^(exponent + bits that are lost) rounds to nearest, ties to
even, since the last bit of c has that weight; c is at least that of the least normal number, so
that subnormal numbers round correctly. Multiplying by 2^(bias-127) then gives the bits of exponent
and mantissa. Numbers beyond the range are clamped first.

Sign, NaN, and negative zero of the types without it are set in the end.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from xdsl.ir import Attribute

from weft.codegen.llvm.types import float_literal
from weft.codegen.llvm.writer import Writer
from weft.ir import types

__all__ = ["FLOAT8_FORMATS", "Float8Format", "narrow", "f64_to_f32_round_to_odd", "widen"]

_SIGN_AND_ALL = 0x80
_MANTISSA_BITS, _BIAS = 23, 127
_EXPONENT = 0x7F800000


class Float8Format(Struct, frozen=True):
    """An 8-bit float type.

    Attributes:
        exponent: Bits of the exponent.
        mantissa: Bits of the mantissa.
        bias: Of the exponent.
        greatest: Largest finite number.
        nan: "ieee": infinity and NaN as in IEEE 754. "all ones": NaN has all bits set, no infinity.
            "negative zero": NaN is the code of negative zero, no infinity.
    """

    exponent: int
    mantissa: int
    bias: int
    greatest: float
    nan: Literal["ieee", "all ones", "negative zero"]


FLOAT8_FORMATS: dict[Attribute, Float8Format] = {
    types.f8E4M3FN: Float8Format(4, 3, 7, 448.0, "all ones"),
    types.f8E5M2: Float8Format(5, 2, 15, 57344.0, "ieee"),
    types.f8E4M3FNUZ: Float8Format(4, 3, 8, 240.0, "negative zero"),
    types.f8E5M2FNUZ: Float8Format(5, 2, 16, 57344.0, "negative zero"),
    types.f8E4M3B11FNUZ: Float8Format(4, 3, 11, 30.0, "negative zero"),
}


def _literal(number: float) -> str:
    return float_literal(number, types.f32)


def widen(writer: Writer, code: str, format_: Float8Format) -> str:
    """Convert an i8 to the float that it encodes.

    The format must not have infinity: f8E5M2 is the upper byte of f16 instead.
    """
    value = writer.value
    high = value(f"shl i32 {value(f'zext i8 {code} to i32')}, 24")
    below = 8 - format_.exponent
    magnitude = 0x7F << (24 - below)
    moved = value(f"ashr i32 {high}, {below}")
    bits = value(f"and i32 {moved}, {(1 << 31 | magnitude) - (1 << 32)}")
    near = value(f"bitcast i32 {bits} to float")
    result = value(f"fmul float {near}, {_literal(2.0 ** (_BIAS - format_.bias))}")
    if format_.nan == "negative zero":
        is_nan = value(f"icmp eq i8 {code}, -128")
    else:  # NaN is the code after the largest number's
        size = writer.call("float", "llvm.fabs.f32", ("float", result))
        step = 2.0 ** (_greatest_exponent(format_) - format_.mantissa)
        is_nan = value(f"fcmp oeq float {size}, {_literal(format_.greatest + step)}")
    return value(f"select i1 {is_nan}, float {_literal(float('nan'))}, float {result}")


def _greatest_exponent(format_: Float8Format) -> int:
    return int(format_.greatest).bit_length() - 1


def narrow(
    writer: Writer, number: str, format_: Float8Format, *, towards_zero: bool = False
) -> str:
    """Round a float to an 8-bit type, to nearest even or towards zero.

    Numbers beyond the range saturate; towards zero, infinity remains if the type has it.
    """
    value = writer.value
    size = writer.call("float", "llvm.fabs.f32", ("float", number))
    least = writer.call(
        "float", "llvm.minnum.f32", ("float", size), ("float", _literal(format_.greatest))
    )
    rounded = _rounded(writer, least, format_)
    small = value(f"fmul float {rounded}, {_literal(2.0 ** (format_.bias - _BIAS))}")
    moved = value(f"bitcast float {small} to i32")
    code = value(f"lshr i32 {moved}, {_MANTISSA_BITS - format_.mantissa}")
    if towards_zero:
        above = value(f"fcmp ogt float {rounded}, {least}")
        code = value(f"sub i32 {code}, {value(f'zext i1 {above} to i32')}")
        if format_.nan == "ieee":
            endless = value(f"fcmp oeq float {size}, {_literal(float('inf'))}")
            infinity = (1 << format_.exponent) - 1 << format_.mantissa
            code = value(f"select i1 {endless}, i32 {infinity}, i32 {code}")
    return _with_sign(writer, number, code, format_)


def _rounded(writer: Writer, size: str, format_: Float8Format) -> str:
    value = writer.value
    lost = _MANTISSA_BITS - format_.mantissa
    bits = value(f"bitcast float {size} to i32")
    exponent = value(f"and i32 {bits}, {_EXPONENT}")
    smallest = (_BIAS + 1 - format_.bias) << _MANTISSA_BITS
    exponent = writer.call("i32", "llvm.umax.i32", ("i32", exponent), ("i32", str(smallest)))
    step = value(f"add i32 {exponent}, {lost << _MANTISSA_BITS}")
    step = value(f"bitcast i32 {step} to float")
    return value(f"fsub float {value(f'fadd float {size}, {step}')}, {step}")


def _with_sign(writer: Writer, number: str, code: str, format_: Float8Format) -> str:
    value = writer.value
    bits = value(f"bitcast float {number} to i32")
    sign = value(f"and i32 {value(f'lshr i32 {bits}, 24')}, {_SIGN_AND_ALL}")
    signed = value(f"or i32 {code}, {sign}")
    not_a_number = _SIGN_AND_ALL
    if format_.nan == "negative zero":
        negative_zero = value(f"icmp eq i32 {signed}, {_SIGN_AND_ALL}")
        signed = value(f"select i1 {negative_zero}, i32 0, i32 {signed}")
    else:
        not_a_number -= 1
    is_nan = value(f"fcmp uno float {number}, 0.0")
    signed = value(f"select i1 {is_nan}, i32 {not_a_number}, i32 {signed}")
    return value(f"trunc i32 {signed} to i8")


def f64_to_f32_round_to_odd(writer: Writer, number: str) -> str:
    """Round a double to odd, so that rounding the float again rounds the double correctly.

    Round to odd: towards zero, with the last bit set if the result is inexact.
    """
    value = writer.value
    near = value(f"fptrunc double {number} to float")
    back = value(f"fpext float {near} to double")
    sizes = [writer.call("double", "llvm.fabs.f64", ("double", one)) for one in (back, number)]
    above = value(f"fcmp ogt double {sizes[0]}, {sizes[1]}")
    bits = value(f"bitcast float {near} to i32")
    bits = value(f"sub i32 {bits}, {value(f'zext i1 {above} to i32')}")
    lost = value(f"fcmp one double {back}, {number}")
    bits = value(f"or i32 {bits}, {value(f'zext i1 {lost} to i32')}")
    return value(f"bitcast i32 {bits} to float")
