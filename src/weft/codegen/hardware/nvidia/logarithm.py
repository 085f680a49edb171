"""The logarithm of a float where the chip has only an approximate one: a polynomial.

    6.5 = 2^3 · 0.8125        log 6.5 = 3 · log 2 + log(1 + f), f = -0.1875

The fraction is brought between √½ and √2, so that f lies between -0.293 and 0.414, and
log(1 + f) = f - f²/2 + f³ · P(f), all by fused multiply-add. P has the coefficients of a Chebyshev
interpolation of degree 8 on that interval, rounded to f32. Numbers below 2^-126 are scaled first;
zero, infinity, negative numbers and NaN are chosen at the end. Largest error found on the floats
of 60 binades: 0.9 units in the last place for log, 1.9 for log2
(tests/codegen/hardware/nvidia/test_logarithm.py).
"""

from __future__ import annotations

import math

from weft.codegen.llvm.types import float_literal
from weft.codegen.llvm.writer import Writer
from weft.ir import types

__all__ = ["logarithm"]

_COEFFICIENTS = (
    0.0714975371956825,
    -0.115712009370327,
    0.116615109145641,
    -0.124110504984856,
    0.142499372363091,
    -0.166684806346893,
    0.200007081031799,
    -0.249999895691872,
    0.333333313465118,
)
_ROOT_OF_HALF_BITS = 0x3F3504F3
_INFINITY_BITS = 0x7F800000
_SMALLEST_NORMAL = 2.0**-126
_SCALE_LOG2 = 23
_FRACTION_BITS = 23


def logarithm(writer: Writer, value: str, *, base_two: bool) -> str:
    """Return the natural logarithm of a float, or that to base two."""
    small = writer.value(f"fcmp olt float {value}, {_literal(_SMALLEST_NORMAL)}")
    scaled = writer.value(f"fmul float {value}, {_literal(2.0**_SCALE_LOG2)}")
    normal = writer.value(f"select i1 {small}, float {scaled}, float {value}")
    lost = writer.value(f"select i1 {small}, float {_literal(-_SCALE_LOG2)}, float 0.0")
    exponent, f = _parts(writer, normal, lost)
    near = _of_one_plus(writer, f)
    if base_two:
        result = _multiply_add(writer, near, _literal(math.log2(math.e)), exponent)
    else:
        result = _multiply_add(writer, exponent, _literal(math.log(2.0)), near)
    return _special(writer, value, result)


def _literal(number: float) -> str:
    return float_literal(number, types.f32)


def _multiply_add(writer: Writer, a: str, b: str, c: str) -> str:
    return writer.call("float", "llvm.fma.f32", ("float", a), ("float", b), ("float", c))


def _parts(writer: Writer, value: str, lost: str) -> tuple[str, str]:
    """Return the exponent as a float, with what scaling lost, and f: value = 2^exponent (1 + f)."""
    bits = writer.value(f"bitcast float {value} to i32")
    above = writer.value(f"sub i32 {bits}, {_ROOT_OF_HALF_BITS}")
    exponent_bits = writer.value(f"and i32 {above}, {-1 << _FRACTION_BITS}")
    fraction = writer.value(f"sub i32 {bits}, {exponent_bits}")
    f = writer.value(f"fadd float {writer.value(f'bitcast i32 {fraction} to float')}, -1.0")
    # As an integer, these bits are the exponent times 2^23, which f32 represents exactly.
    scaled = writer.value(f"sitofp i32 {exponent_bits} to float")
    return _multiply_add(writer, scaled, _literal(2.0**-_FRACTION_BITS), lost), f


def _of_one_plus(writer: Writer, f: str) -> str:
    """Return log(1 + f)."""
    first, *others = _COEFFICIENTS
    total = _literal(first)
    for coefficient in (*others, -0.5):
        total = _multiply_add(writer, total, f, _literal(coefficient))
    square = writer.value(f"fmul float {f}, {f}")
    return _multiply_add(writer, total, square, f)


def _special(writer: Writer, value: str, logarithm: str) -> str:
    """Replace the logarithm of 0, ∞, NaN and negative numbers, where the formula does not hold."""
    infinity = _literal(math.inf)
    bits = writer.value(f"bitcast float {value} to i32")
    special = writer.value(f"icmp uge i32 {bits}, {_INFINITY_BITS}")  # ∞, NaN or negative
    limit = _multiply_add(writer, value, infinity, infinity)  # ∞ for ∞, otherwise NaN
    logarithm = writer.value(f"select i1 {special}, float {limit}, float {logarithm}")
    zero = writer.value(f"fcmp oeq float {value}, 0.0")
    return writer.value(f"select i1 {zero}, float {_literal(-math.inf)}, float {logarithm}")
