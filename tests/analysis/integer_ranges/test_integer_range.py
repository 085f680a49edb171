"""The lattice of integer ranges: constructors, join and meet, in both readings."""

from __future__ import annotations

import pytest

from weft.analysis.integer_ranges.integer_range import (
    IntegerRange,
    to_signed,
    to_unsigned,
    width_of,
)
from weft.ir import types


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 9, (0, 9, 0, 9)),
        (-3, -1, (253, 255, -3, -1)),
        (-1, 5, (0, 255, -1, 5)),
        (-128, 127, (0, 255, -128, 127)),
        (0, 0, (0, 0, 0, 0)),
    ],
)
def test_signed_bounds(low, high, expected):
    assert IntegerRange.signed(8, low, high) == (8, *expected)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (3, 9, (3, 9, 3, 9)),
        (128, 255, (128, 255, -128, -1)),
        (127, 128, (127, 128, -128, 127)),
    ],
)
def test_unsigned_bounds(low, high, expected):
    assert IntegerRange.unsigned(8, low, high) == (8, *expected)


def test_constants_and_the_full_range():
    assert IntegerRange.constant(8, -1) == (8, 255, 255, -1, -1)
    assert IntegerRange.constant(8, 255) == (8, 255, 255, -1, -1)
    assert IntegerRange.full(8) == (8, 0, 255, -128, 127)
    assert IntegerRange.constant(8, 200).value == 200
    assert IntegerRange.signed(8, -1, 5).value is None
    assert IntegerRange(8, 0, 255, -7, -7).value == 249


def test_join_and_meet():
    a, b = IntegerRange.unsigned(8, 1, 5), IntegerRange.unsigned(8, 3, 9)
    assert a.union(b) == b.union(a) == (8, 1, 9, 1, 9)
    assert a.intersection(b) == b.intersection(a) == (8, 3, 5, 3, 5)
    assert str(a) == "unsigned [1, 5] signed [1, 5]"


def test_signed_unsigned_and_widths():
    assert (to_signed(255, 8), to_signed(127, 8), to_signed(128, 8)) == (-1, 127, -128)
    assert (to_unsigned(-1, 8), to_unsigned(256, 8)) == (255, 0)
    assert (width_of(types.i16), width_of(types.index), width_of(types.f32)) == (16, 64, None)
