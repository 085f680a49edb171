"""Rounding modes against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.ptx.rounding import add_to_odd, canonicalize_nan, divide, round_to, square_root

F64 = st.floats(-(2.0**60), 2.0**60)
POSITIVE = st.floats(2.0**-60, 2.0**60, width=32)


@given(F64)
def test_directed_modes_enclose_the_number(x):
    values = np.array([x])
    down, up = (float(round_to(values, np.dtype(np.float32), mode)[0]) for mode in ("rm", "rp"))
    toward_zero = float(round_to(values, np.dtype(np.float32), "rz")[0])
    assert down <= x <= up
    assert toward_zero == (down if x >= 0 else up)


@given(F64, F64)
def test_an_inexact_sum_is_odd(a, b):
    total = add_to_odd(np.array([a]), np.array([b]))
    exact = Fraction(a) + Fraction(b)
    if Fraction(float(total[0])) != exact:
        assert int(total.view(np.int64)[0]) & 1


@pytest.mark.parametrize("mode", ["rm", "rp"])
@given(POSITIVE, POSITIVE)
def test_quotients_and_roots(mode, a, b):
    x, y = (np.array([value], np.float32) for value in (a, b))
    quotient = Fraction(float(divide(x, y, x.dtype, mode)[0]))
    root = Fraction(float(square_root(x, x.dtype, mode)[0]))
    if mode == "rm":
        assert quotient * Fraction(b) <= Fraction(a)
        assert root * root <= Fraction(a)
    else:
        assert quotient * Fraction(b) >= Fraction(a)
        assert root * root >= Fraction(a)


def test_nan_is_canonical():
    values = np.array([0xFFC01234, 0x3F800000], np.uint32).view(np.float32)
    assert canonicalize_nan(values).view(np.uint32).tolist() == [0x7FFFFFFF, 0x3F800000]
