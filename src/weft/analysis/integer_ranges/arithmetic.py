"""Ranges of results from ranges of operands: one function per operation of arith.

Addition, for instance, is done once in each reading. If neither bound overflows there, the
reading's bounds add up; if one does, that reading says nothing. What both say is then combined:

    [0, 9] + [-1, -1], 32 bits     unsigned: 9 + 4294967295 overflows, nothing known
                                   signed:   [-1, 8]

An operation that promises not to overflow (`nsw`, `nuw`) stops at the largest number instead.
Source: the bounds are those that MLIR's arith operations infer, measured on Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from weft.analysis.integer_ranges.interval import Range, to_signed, to_unsigned
from weft.ir.enums import CmpIPredicate

Binary = Callable[[Range, Range, frozenset[str]], Range]
_Exact = Callable[[int, int], int | None]  # the mathematical result; None where there is none


def _limits(width: int, signed: bool) -> tuple[int, int]:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def _fit(value: int | None, width: int, signed: bool, stops: bool) -> int | None:
    """Return a result if it fits; the nearest number that does if the operation stops there."""
    if value is None:
        return None
    low, high = _limits(width, signed)
    if low <= value <= high:
        return value
    return (low if value < low else high) if stops else None


def _made(width: int, low: int | None, high: int | None, signed: bool) -> Range:
    if low is None or high is None:
        return Range.full(width)
    return Range.signed(width, low, high) if signed else Range.unsigned(width, low, high)


def _corners(
    op: _Exact, left: Iterable[int], right: Iterable[int], width: int, signed: bool, stops: bool
) -> Range:
    """Return the range of the results at all combinations of bounds."""
    found: list[int] = []
    right = tuple(right)
    for a in left:
        for b in right:
            result = _fit(op(a, b), width, signed, stops)
            if result is None:
                return Range.full(width)
            found.append(result)
    return _made(width, min(found), max(found), signed)


def _both_readings(op: _Exact) -> Binary:
    """Do an operation at all corners, unsigned and signed, and combine the two."""

    def infer(a: Range, b: Range, flags: frozenset[str]) -> Range:
        width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags
        unsigned = _corners(op, (a.umin, a.umax), (b.umin, b.umax), width, False, nuw)
        signed = _corners(op, (a.smin, a.smax), (b.smin, b.smax), width, True, nsw)
        return unsigned.intersection(signed)

    return infer


def add(a: Range, b: Range, flags: frozenset[str]) -> Range:
    """Infer `a + b`."""
    width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags
    low, high = _fit(a.umin + b.umin, width, False, nuw), _fit(a.umax + b.umax, width, False, nuw)
    unsigned = _made(width, low, high, False)
    low, high = _fit(a.smin + b.smin, width, True, nsw), _fit(a.smax + b.smax, width, True, nsw)
    return unsigned.intersection(_made(width, low, high, True))


def subtract(a: Range, b: Range, flags: frozenset[str]) -> Range:
    """Infer `a - b`."""
    width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags
    low, high = _fit(a.umin - b.umax, width, False, nuw), _fit(a.umax - b.umin, width, False, nuw)
    unsigned = _made(width, low, high, False)
    low, high = _fit(a.smin - b.smax, width, True, nsw), _fit(a.smax - b.smin, width, True, nsw)
    return unsigned.intersection(_made(width, low, high, True))


multiply = _both_readings(lambda a, b: a * b)


def shift_left(a: Range, b: Range, flags: frozenset[str]) -> Range:
    """Infer `a << b`: a product with 2ᵇ, where b is read unsigned."""
    width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags

    def shifted(x: int, by: int) -> int | None:
        # Past the width nothing is left to read; 1 << width says "overflows" to `_fit`.
        return x << min(by, width + 1) if x else (0 if by < width else None)

    by = (b.umin, b.umax)
    unsigned = _corners(shifted, (a.umin, a.umax), by, width, False, nuw)
    signed = _corners(shifted, (a.smin, a.smax), by, width, True, nsw)
    return unsigned.intersection(signed)


def shift_right_signed(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the arithmetic shift."""
    return _corners(_shifted(a.width), (a.smin, a.smax), (b.umin, b.umax), a.width, True, False)


def shift_right_unsigned(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the logical shift."""
    return _corners(_shifted(a.width), (a.umin, a.umax), (b.umin, b.umax), a.width, False, False)


def _shifted(width: int) -> _Exact:
    return lambda x, by: x >> by if by < width else None


def _toward_zero(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _unsigned_division(rounded: Callable[[int, int], int]) -> Binary:
    def infer(a: Range, b: Range, _: frozenset[str]) -> Range:
        if b.umin:
            ends = (a.umin, a.umax), (b.umin, b.umax)
            return _corners(rounded, *ends, a.width, False, False)
        low = a.umin // b.umax if b.umax and a.umin >= b.umax else 0
        return Range.unsigned(a.width, low, a.umax)

    return infer


def _signed_division(rounded: Callable[[int, int], int]) -> Binary:
    def infer(a: Range, b: Range, _: frozenset[str]) -> Range:
        if b.smin <= 0 <= b.smax:
            return Range.full(a.width)
        return _corners(rounded, (a.smin, a.smax), (b.smin, b.smax), a.width, True, False)

    return infer


divide_unsigned = _unsigned_division(lambda a, b: a // b)
divide_up_unsigned = _unsigned_division(lambda a, b: -(-a // b))
divide_signed = _signed_division(_toward_zero)
divide_down_signed = _signed_division(lambda a, b: a // b)
_divide_up = _signed_division(lambda a, b: -(-a // b))


def divide_up_signed(a: Range, b: Range, flags: frozenset[str]) -> Range:
    """Infer signed division that rounds up.

    The lowest number of all has no opposite, so that folding its quotient by way of negation
    gives the wrong sign: that quotient counts in both signs.
    """
    lowest = -(1 << (a.width - 1))
    result = _divide_up(a, b, flags)
    for divisor in (b.smin, b.smax):
        if a.smin == lowest and divisor > 1:
            opposite = Range.constant(a.width, -_toward_zero(lowest, divisor))
            result = result.union(opposite)
    return result


def remainder_signed(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the remainder that has the dividend's sign."""
    if b.smin <= 0 <= b.smax:
        return Range.full(a.width)
    largest = max(abs(b.smin), abs(b.smax)) - 1
    low, high = (-largest if a.smin < 0 else 0), (largest if a.smax > 0 else 0)
    if b.smin == b.smax and a.smax - a.smin <= largest:
        # A stretch shorter than the divisor stays in order unless it crosses a multiple.
        divisor = abs(b.smin)
        first = a.smin - divisor * _toward_zero(a.smin, divisor)
        last = a.smax - divisor * _toward_zero(a.smax, divisor)
        if first <= last:
            low, high = first, last
    return Range.signed(a.width, low, high)


def remainder_unsigned(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the remainder of unsigned division; it is at most the dividend."""
    largest = to_unsigned(b.umax - 1, a.width)
    low, high = 0, min(largest, a.umax)
    if b.umin and b.umin == b.umax and a.umax - a.umin < b.umax:
        first, last = a.umin % b.umax, a.umax % b.umax
        if first <= last:
            low, high = first, last
    return Range.unsigned(a.width, low, high)


def _varying(a: Range) -> int:
    """Return a mask of the low bits in which numbers of a range may differ."""
    return (1 << (a.umin ^ a.umax).bit_length()) - 1


def _bitwise(op: Callable[[int, int], int]) -> Binary:
    def infer(a: Range, b: Range, _: frozenset[str]) -> Range:
        left, right = _varying(a), _varying(b)
        ends = (a.umin & ~left, a.umax | left), (b.umin & ~right, b.umax | right)
        return _corners(op, *ends, a.width, False, False)

    return infer


bitwise_and = _bitwise(lambda a, b: a & b)
bitwise_or = _bitwise(lambda a, b: a | b)


def bitwise_xor(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer `a ^ b`: the bits that vary may be anything, the others are known."""
    mask = _varying(a) | _varying(b)
    known = a.umin ^ b.umin
    return Range.unsigned(a.width, known & ~mask, known | mask)


def maximum_signed(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the greater, read signed."""
    return Range.signed(a.width, max(a.smin, b.smin), max(a.smax, b.smax))


def minimum_signed(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the smaller, read signed."""
    return Range.signed(a.width, min(a.smin, b.smin), min(a.smax, b.smax))


def maximum_unsigned(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the greater, read unsigned."""
    return Range.unsigned(a.width, max(a.umin, b.umin), max(a.umax, b.umax))


def minimum_unsigned(a: Range, b: Range, _: frozenset[str]) -> Range:
    """Infer the smaller, read unsigned."""
    return Range.unsigned(a.width, min(a.umin, b.umin), min(a.umax, b.umax))


def extend_signed(a: Range, width: int) -> Range:
    """Infer a sign extension."""
    return Range.signed(width, a.smin, a.smax)


def extend_unsigned(a: Range, width: int) -> Range:
    """Infer a zero extension."""
    return Range.unsigned(width, a.umin, a.umax)


def truncate(a: Range, width: int) -> Range:
    """Infer what the low bits say; nothing, where the range crosses a multiple of 2ʷⁱᵈᵗʰ."""
    full = Range.full(width)
    umin, umax, smin, smax = full[1:]
    if a.umin >> width == a.umax >> width:
        umin, umax = to_unsigned(a.umin, width), to_unsigned(a.umax, width)
    low, high = a.smin >> (width - 1), a.smax >> (width - 1)
    if low == high or (low == -1 and high == 0):
        smin, smax = to_signed(a.smin, width), to_signed(a.smax, width)
    return Range(width, umin, umax, smin, smax)


_SIGNED_BOUNDS = {CmpIPredicate.SLT, CmpIPredicate.SLE, CmpIPredicate.SGT, CmpIPredicate.SGE}


def compare(predicate: CmpIPredicate, a: Range, b: Range) -> bool | None:
    """Return what a comparison gives for all numbers of two ranges, None if that varies."""
    if predicate is CmpIPredicate.EQ:
        differ = compare(CmpIPredicate.NE, a, b)
        return None if differ is None else not differ
    if predicate is CmpIPredicate.NE:
        if a.value is not None and a.value == b.value:
            return False
        apart_signed = a.smax < b.smin or a.smin > b.smax
        apart_unsigned = a.umax < b.umin or a.umin > b.umax
        return True if apart_signed and apart_unsigned else None
    if predicate in _SIGNED_BOUNDS:
        left, right = (a.smin, a.smax), (b.smin, b.smax)
    else:
        left, right = (a.umin, a.umax), (b.umin, b.umax)
    swapped, strict = _ORDER[predicate]
    if swapped:
        left, right = right, left
    if strict:
        return True if left[1] < right[0] else (False if left[0] >= right[1] else None)
    return True if left[1] <= right[0] else (False if left[0] > right[1] else None)


# Every comparison as "<" or "≤": whether its sides are swapped for that, whether it is strict.
_ORDER = {
    CmpIPredicate.SLT: (False, True),
    CmpIPredicate.SLE: (False, False),
    CmpIPredicate.SGT: (True, True),
    CmpIPredicate.SGE: (True, False),
    CmpIPredicate.ULT: (False, True),
    CmpIPredicate.ULE: (False, False),
    CmpIPredicate.UGT: (True, True),
    CmpIPredicate.UGE: (True, False),
}
