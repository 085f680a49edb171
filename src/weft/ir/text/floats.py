"""Spell floating-point constants as MLIR does.

    1.0        1.000000e+00      six digits read back to the same bits
    1.4426950  1.44269502        else the digits that the type can hold, without an exponent
    1.0e-6     9.99999974E-7     … with one (capital E) where more than three zeros would follow
    16777216   0x4B800000        … in hexadecimal where that leaves no decimal point
    -inf, NaN  0xFF800000        always in hexadecimal
"""

from __future__ import annotations

import math
from decimal import Decimal

from xdsl.dialects.builtin import BFloat16Type, Float32Type, Float64Type
from xdsl.ir import Attribute

_MAX_PADDING = 3  # zeros that the plain notation may add


def spell(value: float, type_: Attribute) -> str:
    """Return the text of a float constant of a type, without the type."""
    if math.isnan(value) or math.isinf(value):
        return _hexadecimal(value, type_)
    short = f"{value:.5e}"
    mantissa, exponent = short.split("e")
    if _round(float(short), type_) == value:
        return f"{mantissa}0e{exponent}"
    text = _natural(value, _digits(type_))
    return text if "." in text else _hexadecimal(value, type_)


def _digits(type_: Attribute) -> int:
    precision = {Float32Type: 24, Float64Type: 53, BFloat16Type: 8}.get(type(type_), 11)  # pyright: ignore
    return 2 + precision * 59 // 196


def _round(value: float, type_: Attribute) -> float:
    return type_.unpack(type_.pack((value,)), 1)[0]  # pyright: ignore[reportAttributeAccessIssue]


def _hexadecimal(value: float, type_: Attribute) -> str:
    raw: bytes = type_.pack((value,))  # pyright: ignore[reportAttributeAccessIssue]
    return f"0x{raw[::-1].hex().upper()}"


def _natural(value: float, precision: int) -> str:
    sign, digits, exponent = Decimal(f"{value:.{precision - 1}e}").normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    minus = "-" if sign else ""
    leading = exponent + len(text) - 1
    if exponent >= 0:
        scientific = exponent > _MAX_PADDING or len(text) + exponent > precision
    else:
        scientific = leading < 0 and -leading > _MAX_PADDING
    if scientific:
        rest = text[1:] or "0"
        return f"{minus}{text[0]}.{rest}E{'+' if leading >= 0 else '-'}{abs(leading)}"
    if exponent >= 0:
        return f"{minus}{text}{'0' * exponent}"
    if leading >= 0:
        return f"{minus}{text[: leading + 1]}.{text[leading + 1 :]}"
    return f"{minus}0.{'0' * (-leading - 1)}{text}"
