"""Each rule of arithmetic against all numbers of small ranges, eight bits wide."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.analysis.integer_ranges import arithmetic as on
from weft.analysis.integer_ranges.integer_range import IntegerRange, to_signed, to_unsigned
from weft.ir.enums import CmpIPredicate

WIDTH = 8
NONE = frozenset()


def toward_zero(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def signed(a, b):
    return to_signed(a, WIDTH), to_signed(b, WIDTH)


# What each operation computes of two unsigned numbers; None where it is undefined.
MEANING = {
    on.add: lambda a, b: a + b,
    on.subtract: lambda a, b: a - b,
    on.multiply: lambda a, b: a * b,
    on.bitwise_and: lambda a, b: a & b,
    on.bitwise_or: lambda a, b: a | b,
    on.bitwise_xor: lambda a, b: a ^ b,
    on.shift_left: lambda a, b: a << b if b < WIDTH else None,
    on.shift_right_unsigned: lambda a, b: a >> b if b < WIDTH else None,
    on.shift_right_signed: lambda a, b: to_signed(a, WIDTH) >> b if b < WIDTH else None,
    on.divide_unsigned: lambda a, b: a // b if b else None,
    on.divide_up_unsigned: lambda a, b: -(-a // b) if b else None,
    on.divide_signed: lambda a, b: toward_zero(*signed(a, b)) if b else None,
    on.divide_down_signed: lambda a, b: signed(a, b)[0] // signed(a, b)[1] if b else None,
    on.divide_up_signed: lambda a, b: -(-signed(a, b)[0] // signed(a, b)[1]) if b else None,
    on.remainder_unsigned: lambda a, b: a % b if b else None,
    on.remainder_signed: lambda a, b: (
        signed(a, b)[0] - signed(a, b)[1] * toward_zero(*signed(a, b)) if b else None
    ),
    on.maximum_signed: lambda a, b: max(signed(a, b)),
    on.minimum_signed: lambda a, b: min(signed(a, b)),
    on.maximum_unsigned: max,
    on.minimum_unsigned: min,
}


@st.composite
def few(draw) -> tuple[IntegerRange, list[int]]:
    """A range of a few numbers, and those numbers."""
    low = draw(st.integers(-128, 255))
    numbers = [to_unsigned(low + k, WIDTH) for k in range(draw(st.integers(1, 9)))]
    results = IntegerRange.constant(WIDTH, numbers[0])
    for number in numbers:
        results = results.union(IntegerRange.constant(WIDTH, number))
    return results, numbers


def holds(found: IntegerRange, number: int) -> bool:
    unsigned, two = to_unsigned(number, found.width), to_signed(number, found.width)
    return found.umin <= unsigned <= found.umax and found.smin <= two <= found.smax


@pytest.mark.parametrize("infer", MEANING, ids=lambda infer: infer.__name__)
@given(few(), few())
def test_results_are_within(infer, left, right):
    results = infer(left[0], right[0], NONE)
    for a, b in itertools.product(left[1], right[1]):
        result = MEANING[infer](a, b)
        if result is not None:
            assert holds(results, result), (a, b, results)


@given(few(), st.integers(1, 12))
def test_widths_change(given_range, width):
    results, numbers = given_range
    wide = 2 * WIDTH
    for number in numbers:
        assert holds(on.extend_signed(results, wide), to_signed(number, WIDTH))
        assert holds(on.extend_unsigned(results, wide), number)
        if width < WIDTH:
            assert holds(on.truncate(results, width), number)


@pytest.mark.parametrize("predicate", list(CmpIPredicate))
@given(few(), few())
def test_comparisons_of_ranges_hold_for_all_values(predicate, left, right):
    answer = on.compare(predicate, left[0], right[0])
    for a, b in itertools.product(left[1], right[1]):
        x, y = signed(a, b) if str(predicate).startswith("s") else (a, b)
        true = {
            "eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
        }[str(predicate)[-2:]]  # fmt: skip
        assert answer is None or answer == true


def test_no_wrap_flags():
    most = IntegerRange.signed(WIDTH, 100, 120)
    wrapped = on.add(most, most, NONE)
    assert (wrapped.smin, wrapped.smax) == (-56, -16)
    stops = on.add(
        IntegerRange.signed(WIDTH, 100, 110), IntegerRange.signed(WIDTH, 0, 20), frozenset({"nsw"})
    )
    assert (stops.smin, stops.smax) == (100, 127)


def test_one_value_in_either_reading():
    assert IntegerRange.constant(WIDTH, -1).value == 255
    assert IntegerRange.unsigned(WIDTH, 3, 9).value is None
    assert str(IntegerRange.unsigned(WIDTH, 3, 9)) == "unsigned [3, 9] signed [3, 9]"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((0, 3), (4, 9), True),
        ((4, 9), (0, 3), True),
        ((0, 4), (4, 9), None),
        ((4, 9), (0, 4), None),
        ((5, 5), (5, 5), False),
        ((0, 9), (5, 5), None),
    ],
)
def test_inequality_of_ranges_that_touch(a, b, expected):
    left, right = IntegerRange.unsigned(WIDTH, *a), IntegerRange.unsigned(WIDTH, *b)
    assert on.compare(CmpIPredicate.NE, left, right) is expected
    equal = None if expected is None else not expected
    assert on.compare(CmpIPredicate.EQ, left, right) is equal


@pytest.mark.parametrize(
    ("predicate", "a", "b", "expected"),
    [
        (CmpIPredicate.SLT, (0, 3), (4, 9), True),
        (CmpIPredicate.SLT, (0, 4), (4, 9), None),
        (CmpIPredicate.SLT, (4, 9), (0, 4), False),
        (CmpIPredicate.SLE, (0, 4), (4, 9), True),
        (CmpIPredicate.SLE, (5, 9), (0, 4), False),
        (CmpIPredicate.SLE, (4, 9), (0, 4), None),
        (CmpIPredicate.SGT, (4, 9), (0, 3), True),
        (CmpIPredicate.SGE, (4, 9), (0, 4), True),
        (CmpIPredicate.UGT, (0, 4), (4, 9), False),
        (CmpIPredicate.UGE, (0, 4), (4, 9), None),
    ],
)
def test_comparisons_at_the_bounds(predicate, a, b, expected):
    left, right = IntegerRange.unsigned(WIDTH, *a), IntegerRange.unsigned(WIDTH, *b)
    assert on.compare(predicate, left, right) is expected
