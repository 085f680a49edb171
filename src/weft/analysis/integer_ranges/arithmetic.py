"""Interval arithmetic: the range of a result from the ranges of the operands.

Each operation is computed once per reading, unsigned and signed. If no bound overflows, the result
is between the new bounds; if one does, that reading gives no information. The result is the
intersection of both:

    [0, 9] + [-1, -1], 32 bits     unsigned: 9 + 4294967295 overflows, so [0, 4294967295]
                                   signed:   [-1, 8]

A bound of an operation with `nsw` or `nuw` saturates instead, since the operation never overflows.

Source: the bounds are those that MLIR infers for arith (InferIntRangeInterface), measured with
Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from weft.analysis.integer_ranges.integer_range import IntegerRange, to_signed, to_unsigned
from weft.ir.enums import CmpIPredicate

Binary = Callable[[IntegerRange, IntegerRange, frozenset[str]], IntegerRange]  # and the flags
_Exact = Callable[[int, int], int | None]  # without overflow; None if there is no result


def _limits(width: int, signed: bool) -> tuple[int, int]:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def _fit(value: int | None, width: int, signed: bool, saturates: bool) -> int | None:
    """Check a bound for overflow.

    Returns:
        The bound; if it overflows, the nearest number of the width if it `saturates`, else None.
    """
    if value is None:
        return None
    low, high = _limits(width, signed)
    if low <= value <= high:
        return value
    return (low if value < low else high) if saturates else None


def _range(width: int, low: int | None, high: int | None, signed: bool) -> IntegerRange:
    """Construct a range in one reading, the full one if a bound overflowed."""
    if low is None or high is None:
        return IntegerRange.full(width)
    return (
        IntegerRange.signed(width, low, high) if signed else IntegerRange.unsigned(width, low, high)
    )


def _corners(
    op: _Exact,
    left: Iterable[int],
    right: Iterable[int],
    width: int,
    signed: bool,
    saturates: bool = False,
) -> IntegerRange:
    """Compute the range of an operation that is monotone in each operand, from all bounds."""
    results: list[int] = []
    right = tuple(right)
    for a in left:
        for b in right:
            result = _fit(op(a, b), width, signed, saturates)
            if result is None:
                return IntegerRange.full(width)
            results.append(result)
    return _range(width, min(results), max(results), signed)


def _both_readings(op: _Exact) -> Binary:
    """Lift an operation to ranges: all combinations of bounds, unsigned and signed."""

    def infer(a: IntegerRange, b: IntegerRange, flags: frozenset[str]) -> IntegerRange:
        width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags
        unsigned = _corners(op, (a.umin, a.umax), (b.umin, b.umax), width, False, nuw)
        signed = _corners(op, (a.smin, a.smax), (b.smin, b.smax), width, True, nsw)
        return unsigned.intersection(signed)

    return infer


def add(a: IntegerRange, b: IntegerRange, flags: frozenset[str]) -> IntegerRange:
    """Infer `a + b`."""
    width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags
    low, high = _fit(a.umin + b.umin, width, False, nuw), _fit(a.umax + b.umax, width, False, nuw)
    unsigned = _range(width, low, high, False)
    low, high = _fit(a.smin + b.smin, width, True, nsw), _fit(a.smax + b.smax, width, True, nsw)
    return unsigned.intersection(_range(width, low, high, True))


def subtract(a: IntegerRange, b: IntegerRange, flags: frozenset[str]) -> IntegerRange:
    """Infer `a - b`."""
    width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags
    low, high = _fit(a.umin - b.umax, width, False, nuw), _fit(a.umax - b.umin, width, False, nuw)
    unsigned = _range(width, low, high, False)
    low, high = _fit(a.smin - b.smax, width, True, nsw), _fit(a.smax - b.smin, width, True, nsw)
    return unsigned.intersection(_range(width, low, high, True))


multiply = _both_readings(lambda a, b: a * b)


def shift_left(a: IntegerRange, b: IntegerRange, flags: frozenset[str]) -> IntegerRange:
    """Infer `a << b`: the product with 2ᵇ, where b is unsigned."""
    width, nuw, nsw = a.width, "nuw" in flags, "nsw" in flags

    def shift(x: int, distance: int) -> int | None:
        # A distance of more than the width overflows as surely as width + 1 does.
        return x << min(distance, width + 1) if x else (0 if distance < width else None)

    distances = (b.umin, b.umax)
    unsigned = _corners(shift, (a.umin, a.umax), distances, width, False, nuw)
    signed = _corners(shift, (a.smin, a.smax), distances, width, True, nsw)
    return unsigned.intersection(signed)


def shift_right_signed(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the arithmetic shift."""
    return _corners(_shift_right(a.width), (a.smin, a.smax), (b.umin, b.umax), a.width, True)


def shift_right_unsigned(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the logical shift."""
    return _corners(_shift_right(a.width), (a.umin, a.umax), (b.umin, b.umax), a.width, False)


def _shift_right(width: int) -> _Exact:
    return lambda x, distance: x >> distance if distance < width else None


def _divide_toward_zero(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _unsigned_division(divide: Callable[[int, int], int]) -> Binary:
    def infer(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
        if b.umin:
            return _corners(divide, (a.umin, a.umax), (b.umin, b.umax), a.width, False)
        # A divisor of 0 has no result. The next one, 1, gives the greatest quotient, the dividend;
        # the greatest divisor gives the least quotient.
        low = a.umin // b.umax if b.umax and a.umin >= b.umax else 0
        return IntegerRange.unsigned(a.width, low, a.umax)

    return infer


def _signed_division(divide: Callable[[int, int], int]) -> Binary:
    def infer(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
        if b.smin <= 0 <= b.smax:
            return IntegerRange.full(a.width)  # quotients are not monotone across 0
        return _corners(divide, (a.smin, a.smax), (b.smin, b.smax), a.width, True)

    return infer


divide_unsigned = _unsigned_division(lambda a, b: a // b)
divide_up_unsigned = _unsigned_division(lambda a, b: -(-a // b))
divide_signed = _signed_division(_divide_toward_zero)
divide_down_signed = _signed_division(lambda a, b: a // b)
_divide_up = _signed_division(lambda a, b: -(-a // b))


def divide_up_signed(a: IntegerRange, b: IntegerRange, flags: frozenset[str]) -> IntegerRange:
    """Infer signed division that rounds up.

    The fold of this operation negates a negative dividend. The least number has no opposite, so
    its quotient gets the wrong sign there; the range contains it with both signs.
    """
    lowest = -(1 << (a.width - 1))
    result = _divide_up(a, b, flags)
    for divisor in (b.smin, b.smax):
        if a.smin == lowest and divisor > 1:
            opposite = IntegerRange.constant(a.width, -_divide_toward_zero(lowest, divisor))
            result = result.union(opposite)
    return result


def remainder_signed(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the remainder that has the dividend's sign."""
    if b.smin <= 0 <= b.smax:
        return IntegerRange.full(a.width)
    largest = max(abs(b.smin), abs(b.smax)) - 1
    low, high = (-largest if a.smin < 0 else 0), (largest if a.smax > 0 else 0)
    if b.smin == b.smax and a.smax - a.smin <= largest:
        # Fewer dividends than the divisor: remainders are in order unless a multiple is between.
        divisor = abs(b.smin)
        first = a.smin - divisor * _divide_toward_zero(a.smin, divisor)
        last = a.smax - divisor * _divide_toward_zero(a.smax, divisor)
        if first <= last:
            low, high = first, last
    return IntegerRange.signed(a.width, low, high)


def remainder_unsigned(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the remainder of unsigned division; it is at most the dividend."""
    largest = to_unsigned(b.umax - 1, a.width)  # a divisor of 0 wraps: no bound
    low, high = 0, min(largest, a.umax)
    if b.umin and b.umin == b.umax and a.umax - a.umin < b.umax:
        first, last = a.umin % b.umax, a.umax % b.umax
        if first <= last:
            low, high = first, last
    return IntegerRange.unsigned(a.width, low, high)


def _varying_bits(a: IntegerRange) -> int:
    """Compute the mask of the low bits in which numbers of a range may differ."""
    return (1 << (a.umin ^ a.umax).bit_length()) - 1


def _bitwise(op: Callable[[int, int], int]) -> Binary:
    def infer(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
        left, right = _varying_bits(a), _varying_bits(b)
        # Clear the varying bits for the least operand, set them for the greatest.
        bounds = (a.umin & ~left, a.umax | left), (b.umin & ~right, b.umax | right)
        return _corners(op, *bounds, a.width, False)

    return infer


bitwise_and = _bitwise(lambda a, b: a & b)
bitwise_or = _bitwise(lambda a, b: a | b)


def bitwise_xor(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer `a ^ b`: varying bits may have any value, the others have one."""
    mask = _varying_bits(a) | _varying_bits(b)
    fixed = a.umin ^ b.umin
    return IntegerRange.unsigned(a.width, fixed & ~mask, fixed | mask)


def maximum_signed(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the signed maximum."""
    return IntegerRange.signed(a.width, max(a.smin, b.smin), max(a.smax, b.smax))


def minimum_signed(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the signed minimum."""
    return IntegerRange.signed(a.width, min(a.smin, b.smin), min(a.smax, b.smax))


def maximum_unsigned(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the unsigned maximum."""
    return IntegerRange.unsigned(a.width, max(a.umin, b.umin), max(a.umax, b.umax))


def minimum_unsigned(a: IntegerRange, b: IntegerRange, _: frozenset[str]) -> IntegerRange:
    """Infer the unsigned minimum."""
    return IntegerRange.unsigned(a.width, min(a.umin, b.umin), min(a.umax, b.umax))


def extend_signed(a: IntegerRange, width: int) -> IntegerRange:
    """Infer a sign extension."""
    return IntegerRange.signed(width, a.smin, a.smax)


def extend_unsigned(a: IntegerRange, width: int) -> IntegerRange:
    """Infer a zero extension."""
    return IntegerRange.unsigned(width, a.umin, a.umax)


def truncate(a: IntegerRange, width: int) -> IntegerRange:
    """Infer a truncation: full in a reading where the range crosses a multiple of 2ʷⁱᵈᵗʰ."""
    full = IntegerRange.full(width)
    umin, umax, smin, smax = full[1:]
    if a.umin >> width == a.umax >> width:
        umin, umax = to_unsigned(a.umin, width), to_unsigned(a.umax, width)
    # Signed numbers keep their order if they have the same upper bits, sign included, or if they
    # lie around 0 within the new width.
    low, high = a.smin >> (width - 1), a.smax >> (width - 1)
    if low == high or (low == -1 and high == 0):
        smin, smax = to_signed(a.smin, width), to_signed(a.smax, width)
    return IntegerRange(width, umin, umax, smin, smax)


_SIGNED = {CmpIPredicate.SLT, CmpIPredicate.SLE, CmpIPredicate.SGT, CmpIPredicate.SGE}


def compare(predicate: CmpIPredicate, a: IntegerRange, b: IntegerRange) -> bool | None:
    """Compare two ranges.

    Returns:
        The result of the comparison, None if it is not the same for all numbers.
    """
    if predicate is CmpIPredicate.EQ:
        unequal = compare(CmpIPredicate.NE, a, b)
        return None if unequal is None else not unequal
    if predicate is CmpIPredicate.NE:
        if a.value is not None and a.value == b.value:
            return False
        # Like MLIR, require both readings, although one would be a proof.
        disjoint_signed = a.smax < b.smin or a.smin > b.smax
        disjoint_unsigned = a.umax < b.umin or a.umin > b.umax
        return True if disjoint_signed and disjoint_unsigned else None
    if predicate in _SIGNED:
        left, right = (a.smin, a.smax), (b.smin, b.smax)
    else:
        left, right = (a.umin, a.umax), (b.umin, b.umax)
    is_swapped, is_strict = _ORDER[predicate]
    if is_swapped:
        left, right = right, left
    if is_strict:
        return True if left[1] < right[0] else (False if left[0] >= right[1] else None)
    return True if left[1] <= right[0] else (False if left[0] > right[1] else None)


# Each comparison as `<` or `<=`: whether its operands are swapped for that, whether it is `<`.
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
