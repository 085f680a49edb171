"""Arithmetic of integers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.ptx.run_ptx import run, words

WORD = st.integers(0, 2**32 - 1)


def signed(value: int) -> int:
    """Interpret the low 32 bits of a number as signed."""
    return (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def run_one(text: str, *values: int) -> int:
    """Run assembly on one word per input."""
    return int(run(text, np.uint32, *(words(value) for value in values))[0])


@given(WORD, WORD, WORD)
def test_arithmetic_wraps(a, b, c):
    low = 0xFFFFFFFF
    assert run_one("add.u32 $0, $1, $2;", a, b) == a + b & low
    assert run_one("sub.s32 $0, $1, $2;", a, b) == a - b & low
    assert run_one("mul.lo.s32 $0, $1, $2;", a, b) == a * b & low
    assert run_one("mul.hi.u32 $0, $1, $2;", a, b) == a * b >> 32
    assert run_one("mul.hi.s32 $0, $1, $2;", a, b) == signed(a) * signed(b) >> 32 & low
    assert run_one("mad.lo.u32 $0, $1, $2, $3;", a, b, c) == a * b + c & low
    assert run_one("min.s32 $0, $1, $2;", a, b) == min(signed(a), signed(b)) & low
    assert run_one("neg.s32 $0, $1;", a) == -a & low
    assert run_one("abs.s32 $0, $1;", a) == abs(signed(a)) & low
    total = min(max(signed(a) + signed(b), -(2**31)), 2**31 - 1)
    assert run_one("add.sat.s32 $0, $1, $2;", a, b) == total & low
    if b:
        assert run_one("div.u32 $0, $1, $2;", a, b) == a // b
        assert run_one("rem.u32 $0, $1, $2;", a, b) == a % b
        rest = abs(signed(a)) % abs(signed(b))
        assert run_one("rem.s32 $0, $1, $2;", a, b) == (rest if signed(a) >= 0 else -rest) & low


def test_wide_products():
    result = run("mul.wide.s32 $0, $1, $2;", np.int64, words(2**32 - 3), words(5))
    assert result.tolist() == [-15]
    result = run("mad.wide.u32 $0, $1, $2, 7;", np.uint64, words(2**32 - 1), words(2**32 - 1))
    assert int(result[0]) == (2**32 - 1) ** 2 + 7
