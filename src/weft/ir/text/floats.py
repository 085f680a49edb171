"""Spell floating-point constants as MLIR does.

    1.0        1.000000e+00      six digits read back to the same bits
    1.4426950  1.44269502        else as many digits as the type can hold, without an exponent …
    1.0e-6     9.99999997E-7     … with one (capital E) where more than three zeros would follow
    16777216   0x4B800000        … in hexadecimal where that leaves no decimal point
    -inf, NaN  0xFF800000        always in hexadecimal

MLIR's digits come from LLVM, which first cuts the exact decimal expansion down to about the
digits that are wanted and only then rounds, half up: 0.1 as f16 is 0.0999755859375, cut to
999755 and spelled 9.997550e-02. So the digits are computed here in exact integers.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import (
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

_MAX_PADDING = 3  # zeros that the plain notation may add
_PRECISION: dict[type[Attribute], int] = {  # bits of the significand, the hidden one included
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


def spell(value: float, type_: Attribute) -> str:
    """Return the text of a float constant of a type, without the type."""
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


def _round(value: float, type_: Attribute) -> float:
    return type_.unpack(type_.pack((value,)), 1)[0]  # pyright: ignore[reportAttributeAccessIssue]


def _hexadecimal(value: float, type_: Attribute) -> str:
    raw: bytes = type_.pack((value,))  # pyright: ignore[reportAttributeAccessIssue]
    return f"0x{raw[::-1].hex().upper()}"


def _digits(value: float, wanted: int) -> tuple[str, int]:
    """Return at most `wanted` decimal digits d and an exponent e: value ≈ d · 10^e.

    Source: the behaviour of LLVM's APFloat::toString, cut before rounding included.
    """
    number, denominator = value.as_integer_ratio()
    exponent = -(denominator.bit_length() - 1)
    number *= 5**-exponent
    enough = (wanted * 196 + 58) // 59  # bits that hold the wanted digits
    cut = max(number.bit_length() - enough, 0) * 59 // 196
    number //= 10**cut
    exponent += cut
    text = str(number)
    if len(text) > wanted:
        dropped = len(text) - wanted
        head = int(text[:wanted]) + (text[wanted] >= "5")
        text, exponent = str(head), exponent + dropped
    short = text.rstrip("0")
    return short, exponent + len(text) - len(short)


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
