"""Logic, shifts, bit fields and counts."""

from __future__ import annotations

import numpy as np
import pytest
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


@given(WORD, WORD, WORD, st.integers(0, 255))
def test_lop3(a, b, c, table):
    expected = sum(
        (table >> ((a >> n & 1) * 4 + (b >> n & 1) * 2 + (c >> n & 1)) & 1) << n for n in range(32)
    )
    assert run_one(f"lop3.b32 $0, $1, $2, $3, {table};", a, b, c) == expected


@given(WORD, WORD, WORD)
def test_prmt(a, b, selector):
    bytes_ = (b << 32 | a).to_bytes(8, "little")
    expected = 0
    for place in range(4):
        nibble = selector >> 4 * place & 15
        byte = bytes_[nibble & 7]
        expected |= ((255 if byte & 128 else 0) if nibble & 8 else byte) << 8 * place
    assert run_one("prmt.b32 $0, $1, $2, $3;", a, b, selector) == expected


@given(WORD, st.integers(0, 40), st.integers(0, 40))
def test_shifts_and_fields(a, by, length):
    low = 0xFFFFFFFF
    assert run_one("shl.b32 $0, $1, $2;", a, by) == (a << by & low if by < 32 else 0)
    assert run_one("shr.u32 $0, $1, $2;", a, by) == a >> by
    assert run_one("shr.s32 $0, $1, $2;", a, by) == signed(a) >> by & low
    assert run_one("bfe.u32 $0, $1, $2, $3;", a, by, length) == a >> by & (1 << length) - 1
    mask = ((1 << length) - 1 << by) & low
    assert run_one("bfi.b32 $0, $1, $2, $3, $4;", 0xABCD1234, a, by, length) == (
        a & ~mask | 0xABCD1234 << by & mask
    )
    count = min(by, 32)
    assert (
        run_one("shf.l.clamp.b32 $0, $1, $2, $3;", a, 5, by) == (5 << 32 | a) << count >> 32 & low
    )
    assert run_one("shf.r.wrap.b32 $0, $1, $2, $3;", a, 5, by) == (5 << 32 | a) >> (by & 31) & low


def test_signed_fields():
    assert run_one("bfe.s32 $0, $1, 4, 4;", 0x80) == 0xFFFFFFF8
    assert run_one("bfe.s32 $0, $1, 28, 8;", 0x80000000) == 0xFFFFFFF8
    assert run_one("bfe.s32 $0, $1, 4, 0;", 0xFF) == 0


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("popc.b32 $0, $1;", 0xF00F, 8),
        ("clz.b32 $0, $1;", 1, 31),
        ("brev.b32 $0, $1;", 1, 1 << 31),
        ("bfind.u32 $0, $1;", 0x100, 8),
        ("bfind.s32 $0, $1;", 0xFFFFFF00, 7),
        ("bfind.u32 $0, $1;", 0, 0xFFFFFFFF),
        ("not.b32 $0, $1;", 0xF, 0xFFFFFFF0),
        ("cnot.b32 $0, $1;", 0, 1),
        ("and.b32 $0, $1, 0xFF;", 0x1234, 0x34),
        ("xor.b32 $0, $1, -1;", 0x1234, 0xFFFFEDCB),
    ],
)
def test_one_operand(text, value, expected):
    assert run_one(text, value) == expected
