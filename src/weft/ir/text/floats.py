"""Print floating-point constants as MLIR does.

    1.0        1.000000e+00      if six digits parse to the same bits
    1.4426950  1.44269502        else the digits that the type can hold, without an exponent …
    1.0e-6     9.99999997E-7     … with one (capital E) if more than three zeros would follow
    16777216   0x4B800000        … in hexadecimal if that leaves no decimal point
    -inf, NaN  0xFF800000        always in hexadecimal

LLVM truncates the exact decimal expansion to about the requested digits before it rounds half up:
0.1 as f16 is 0.0999755859375, truncated to 999755 and printed 9.997550e-02. So the digits are
computed here in exact integers.

Source: LLVM, APFloat::toString; MLIR, AsmPrinter.cpp, printFloatValue.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3B11FNUZType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
)
from xdsl.ir import Attribute

_MAX_PADDING = 3  # zeros that the notation without exponent may add
_PRECISION: dict[type[Attribute], int] = {  # bits of the significand, including the hidden one
    Float64Type: 53,
    Float32Type: 24,
    Float16Type: 11,
    BFloat16Type: 8,
    Float8E4M3FNType: 4,
    Float8E4M3FNUZType: 4,
    Float8E4M3B11FNUZType: 4,
    Float8E5M2Type: 3,
    Float8E5M2FNUZType: 3,
    Float4E2M1FNType: 2,
}


def format_float(value: float, type_: AnyFloat) -> str:
    """Format a float constant of a type, without the type."""
    if math.isnan(value) or math.isinf(value):
        return _hexadecimal(value, type_)
    minus = "-" if math.copysign(1.0, value) < 0 else ""
    if value == 0.0:
        return f"{minus}0.000000e+00"
    short = minus + _six_digits(abs(value))
    if _round(float(short), type_) == value:
        return short
    text = minus + _natural(abs(value), 2 + _PRECISION[type(type_)] * 59 // 196)
    return text if "." in text else _hexadecimal(value, type_)


def _round(value: float, type_: AnyFloat) -> float:
    return type_.unpack(type_.pack((value,)), 1)[0]


def _hexadecimal(value: float, type_: AnyFloat) -> str:
    return f"0x{type_.pack((value,))[::-1].hex().upper()}"


def _digits(value: float, precision: int) -> tuple[str, int]:
    """Compute at most `precision` decimal digits d and an exponent e with value ≈ d · 10^e."""
    # value = number / 2^n = number * 5^n / 10^n, exactly.
    number, denominator = value.as_integer_ratio()
    exponent = -(denominator.bit_length() - 1)
    number *= 5**-exponent
    # Truncate to the bits that hold the digits: 59/196 approximates log10(2).
    bits = (precision * 196 + 58) // 59
    truncated = max(number.bit_length() - bits, 0) * 59 // 196
    number //= 10**truncated
    exponent += truncated
    text = str(number)
    if len(text) > precision:
        dropped = len(text) - precision
        rounded = int(text[:precision]) + (text[precision] >= "5")
        text, exponent = str(rounded), exponent + dropped
    significant = text.rstrip("0")
    return significant, exponent + len(text) - len(significant)


def _six_digits(value: float) -> str:
    text, exponent = _digits(value, 6)
    leading = exponent + len(text) - 1
    return f"{text[0]}.{text[1:]:0<6}e{'-' if leading < 0 else '+'}{abs(leading):02d}"


def _natural(value: float, precision: int) -> str:
    text, exponent = _digits(value, precision)
    leading = exponent + len(text) - 1
    if exponent >= 0:
        scientific = exponent > _MAX_PADDING or len(text) + exponent > precision
    else:
        scientific = leading < 0 and -leading > _MAX_PADDING
    if scientific:
        return f"{text[0]}.{text[1:] or '0'}E{'+' if leading >= 0 else '-'}{abs(leading)}"
    if exponent >= 0:
        return f"{text}{'0' * exponent}"
    if leading >= 0:
        return f"{text[: leading + 1]}.{text[leading + 1 :]}"
    return f"0.{'0' * (-leading - 1)}{text}"
