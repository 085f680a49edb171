"""Sine and cosine of a float: within two units in the last place, for all numbers.

    x = 7.0     nearest multiple of π/2: 4, so sin x = sin r, cos x = cos r, r = x - 4 π/2 = 0.7168
    x = 8.0     nearest multiple: 5, so sin x = cos r, cos x = -sin r, r = 0.1460

r is x minus k times π/2, split into three floats, by fused multiply-add (Cody and Waite, 1980).
That is exact enough up to 2^16. For larger x, x · 2/π modulo 4 depends only on the bits of 2/π
whose product with x is below 4; 96 of them give all bits of r (Payne and Hanek, 1983). They are
multiplied as integers, in a branch that is rarely taken.
"""

from __future__ import annotations

import math
from itertools import pairwise

from weft.codegen.llvm.types import float_literal
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.elementary.float_builder import FloatBuilder, literal
from weft.ir import types

__all__ = ["cosine", "sine"]

_SINE = (-0.166666641831398, 0.008332724682986736, -0.00019582855748012662)
_COSINE = (0.0416666641831398, -0.0013888279208913445, 2.4542896426282823e-05)
_HALF_PI = (
    1.570796251296997,
    7.549789415861596e-08,
    5.390302953474238e-15,
)  # none is negative, so that -0 remains
_LARGE = 65536.0
_ROUNDS = 1.5 * 2.0**23
# 2/π, 32 bits each, after a word of zeros.
_TWO_OVER_PI = (
    0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
)  # fmt: skip


def sine(writer: Writer, x: str) -> str:
    """Return the sine of a float."""
    return _wave(writer, x, quarters=0)


def cosine(writer: Writer, x: str) -> str:
    """Return the cosine of a float: the sine a quarter further."""
    return _wave(writer, x, quarters=1)


def _wave(writer: Writer, x: str, quarters: int) -> str:
    f, value = FloatBuilder(writer), writer.value
    rest, quarter = _reduced(writer, x)
    if quarters:
        quarter = value(f"add i32 {quarter}, {quarters}")
    square = f.multiply(rest, rest)
    # Adding zero makes the term +0 if x is ±0, so that the result keeps the sign of x.
    odd = f.fused(f.fused(f.polynomial(_SINE, square), square, literal(0.0)), rest, rest)
    even = f.fused(f.polynomial(_COSINE, square), square, literal(-0.5))
    even = f.fused(even, square, literal(1.0))
    swaps = value(f"trunc i32 {quarter} to i1")
    result = f.choose(swaps, even, odd)
    sign = value(f"and i32 {value(f'shl i32 {quarter}, 30')}, {-(1 << 31)}")
    bits = value(f"xor i32 {value(f'bitcast float {result} to i32')}, {sign}")
    return value(f"bitcast i32 {bits} to float")


def _reduced(writer: Writer, x: str) -> tuple[str, str]:
    """Reduce x by the nearest multiple of π/2: the remainder, and the multiple modulo 4."""
    f, value = FloatBuilder(writer), writer.value
    # Adding 1.5 · 2^23 rounds to an integer, which is in the lowest bits of the sum.
    raised = f.fused(x, literal(2 / math.pi), literal(_ROUNDS))
    multiple, whole = f.subtract(raised, literal(_ROUNDS)), value(f"bitcast float {raised} to i32")
    rest = x
    for part in _HALF_PI:
        rest = f.fused(multiple, literal(-part), rest)
    small = f.compare("olt", f.size(x), literal(_LARGE))
    before, inside, after = writer.block, writer.label("large"), writer.label("reduced")
    writer.branch(small, after, inside)
    writer.start(inside)
    far_rest, far_whole = _reduced_by_integers(writer, x)
    writer.jump(after)
    writer.start(after)
    phis = writer.phi("float"), writer.phi("i32")
    for phi, near, far in zip(phis, (rest, whole), (far_rest, far_whole), strict=True):
        phi.add(near, before)
        phi.add(far, inside)
    return phis[0].name, phis[1].name


def _reduced_by_integers(writer: Writer, x: str) -> tuple[str, str]:
    """Reduce a number of at least 2^16; NaN for infinity and NaN.

    x is m · 2^e with m of 24 bits. Of 2/π the 96 bits from weight 2^(1 - e) on are multiplied by m
    modulo 2^96; the product's two highest bits are the multiple modulo 4.
    """
    f, value = FloatBuilder(writer), writer.value
    bits = value(f"bitcast float {x} to i32")
    size = value(f"and i32 {bits}, {0x7FFFFFFF}")
    mantissa = value(f"or i32 {value(f'and i32 {bits}, {0x7FFFFF}')}, {0x800000}")
    # Skip e - 2 bits after the word of zeros: exponent field - 150 - 2 + 32.
    skipped = value(f"sub i32 {value(f'lshr i32 {size}, 23')}, 120")
    words = _bits_of_two_over_pi(writer, skipped)
    product = _upper_product(writer, mantissa, words)
    nearest = value(f"add i64 {product}, {1 << 61}")
    whole = value(f"trunc i64 {value(f'lshr i64 {nearest}, 62')} to i32")
    above = value(f"and i64 {nearest}, {-(1 << 62)}")
    fraction = value(f"sitofp i64 {value(f'sub i64 {product}, {above}')} to double")
    scaled = value(f"fmul double {fraction}, {float_literal(math.pi / 2 * 2.0**-62, types.f64)}")
    rest = value(f"fptrunc double {scaled} to float")
    negative = value(f"icmp slt i32 {bits}, 0")
    rest = f.choose(negative, value(f"fneg float {rest}"), rest)
    whole = value(f"select i1 {negative}, i32 {value(f'sub i32 0, {whole}')}, i32 {whole}")
    finite = value(f"icmp ult i32 {size}, {0x7F800000}")
    return f.choose(finite, rest, literal(math.nan)), whole


def _bits_of_two_over_pi(writer: Writer, skipped: str) -> list[str]:
    """Extract 96 bits of 2/π as three i64 of 32 bits, the highest first.

    Args:
        writer: Where to write.
        skipped: Bits of the table before them, an i32 from 24 to 135.
    """
    value = writer.value
    first = value(f"lshr i32 {skipped}, 5")
    starts = range(1, len(_TWO_OVER_PI) - 3)
    here = [value(f"icmp eq i32 {first}, {start}") for start in starts]
    words = []
    for place in range(4):
        chosen = str(_TWO_OVER_PI[place])
        for start, found_here in zip(starts, here, strict=True):
            word = _TWO_OVER_PI[place + start]
            chosen = value(f"select i1 {found_here}, i64 {word}, i64 {chosen}")
        words.append(chosen)
    shift = value(f"zext i32 {value(f'and i32 {skipped}, 31')} to i64")
    results = []
    for high, low in pairwise(words):
        both = value(f"or i64 {value(f'shl i64 {high}, 32')}, {low}")
        moved = value(f"shl i64 {both}, {shift}")
        results.append(value(f"lshr i64 {moved}, 32"))
    return results


def _upper_product(writer: Writer, mantissa: str, words: list[str]) -> str:
    """Compute bits 32 to 95 of the product of 24 and 96 bits."""
    value = writer.value
    wide = value(f"zext i32 {mantissa} to i64")
    high, middle, low = (value(f"mul i64 {wide}, {word}") for word in words)
    total = value(f"add i64 {value(f'shl i64 {high}, 32')}, {middle}")
    return value(f"add i64 {total}, {value(f'lshr i64 {low}, 32')}")
