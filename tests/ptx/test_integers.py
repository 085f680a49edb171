"""Integers, bits, comparisons and sums of products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ptx.running import floats, run, words
from weft.errors import CodegenError
from weft.ptx import read

WORD = st.integers(0, 2**32 - 1)


def signed(value: int) -> int:
    """Return the low 32 bits of a number as one with a sign."""
    return (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def one(text: str, *values: int) -> int:
    """Return what a text makes of words."""
    return int(run(text, np.uint32, *(words(value) for value in values))[0])


@given(WORD, WORD, WORD)
def test_arithmetic_wraps(a, b, c):
    low = 0xFFFFFFFF
    assert one("add.u32 $0, $1, $2;", a, b) == a + b & low
    assert one("sub.s32 $0, $1, $2;", a, b) == a - b & low
    assert one("mul.lo.s32 $0, $1, $2;", a, b) == a * b & low
    assert one("mul.hi.u32 $0, $1, $2;", a, b) == a * b >> 32
    assert one("mul.hi.s32 $0, $1, $2;", a, b) == signed(a) * signed(b) >> 32 & low
    assert one("mad.lo.u32 $0, $1, $2, $3;", a, b, c) == a * b + c & low
    assert one("min.s32 $0, $1, $2;", a, b) == min(signed(a), signed(b)) & low
    assert one("neg.s32 $0, $1;", a) == -a & low
    assert one("abs.s32 $0, $1;", a) == abs(signed(a)) & low
    total = min(max(signed(a) + signed(b), -(2**31)), 2**31 - 1)
    assert one("add.sat.s32 $0, $1, $2;", a, b) == total & low
    if b:
        assert one("div.u32 $0, $1, $2;", a, b) == a // b
        assert one("rem.u32 $0, $1, $2;", a, b) == a % b
        rest = abs(signed(a)) % abs(signed(b))
        assert one("rem.s32 $0, $1, $2;", a, b) == (rest if signed(a) >= 0 else -rest) & low


def test_wide_products():
    found = run("mul.wide.s32 $0, $1, $2;", np.int64, words(2**32 - 3), words(5))
    assert found.tolist() == [-15]
    found = run("mad.wide.u32 $0, $1, $2, 7;", np.uint64, words(2**32 - 1), words(2**32 - 1))
    assert int(found[0]) == (2**32 - 1) ** 2 + 7


@given(WORD, WORD, WORD, st.integers(0, 255))
def test_any_logic(a, b, c, table):
    wanted = sum(
        (table >> ((a >> n & 1) * 4 + (b >> n & 1) * 2 + (c >> n & 1)) & 1) << n for n in range(32)
    )
    assert one(f"lop3.b32 $0, $1, $2, $3, {table};", a, b, c) == wanted


@given(WORD, WORD, WORD)
def test_bytes_are_picked(a, b, chosen):
    bytes_ = (b << 32 | a).to_bytes(8, "little")
    wanted = 0
    for place in range(4):
        pick = chosen >> 4 * place & 15
        byte = bytes_[pick & 7]
        wanted |= ((255 if byte & 128 else 0) if pick & 8 else byte) << 8 * place
    assert one("prmt.b32 $0, $1, $2, $3;", a, b, chosen) == wanted


@given(WORD, st.integers(0, 40), st.integers(0, 40))
def test_shifts_and_fields(a, by, length):
    low = 0xFFFFFFFF
    assert one("shl.b32 $0, $1, $2;", a, by) == (a << by & low if by < 32 else 0)
    assert one("shr.u32 $0, $1, $2;", a, by) == a >> by
    assert one("shr.s32 $0, $1, $2;", a, by) == signed(a) >> by & low
    assert one("bfe.u32 $0, $1, $2, $3;", a, by, length) == a >> by & (1 << length) - 1
    mask = ((1 << length) - 1 << by) & low
    assert one("bfi.b32 $0, $1, $2, $3, $4;", 0xABCD1234, a, by, length) == (
        a & ~mask | 0xABCD1234 << by & mask
    )
    count = min(by, 32)
    assert one("shf.l.clamp.b32 $0, $1, $2, $3;", a, 5, by) == (5 << 32 | a) << count >> 32 & low
    assert one("shf.r.wrap.b32 $0, $1, $2, $3;", a, 5, by) == (5 << 32 | a) >> (by & 31) & low


def test_fields_with_a_sign():
    assert one("bfe.s32 $0, $1, 4, 4;", 0x80) == 0xFFFFFFF8
    assert one("bfe.s32 $0, $1, 28, 8;", 0x80000000) == 0xFFFFFFF8
    assert one("bfe.s32 $0, $1, 4, 0;", 0xFF) == 0


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
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
def test_bits(text, value, wanted):
    assert one(text, value) == wanted


def test_sums_of_products():
    a, b = 0x01FF0280, 0x02030405
    assert one("dp4a.u32.u32 $0, $1, $2, 10;", a, b) == 2 + 255 * 3 + 2 * 4 + 128 * 5 + 10
    assert signed(one("dp4a.s32.s32 $0, $1, $2, 10;", a, b)) == 2 - 3 + 8 - 128 * 5 + 10
    assert signed(one("dp4a.s32.u32 $0, $1, $2, 0;", a, 0xFF)) == -128 * 255
    assert one("dp2a.lo.u32.u32 $0, $1, $2, 0;", 0x00020003, b) == 3 * 5 + 2 * 4
    assert one("dp2a.hi.u32.u32 $0, $1, $2, 0;", 0x00020003, b) == 3 * 3 + 2 * 2


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ("lt", "1000"),
        ("ltu", "1001"),
        ("ne", "1100"),
        ("neu", "1101"),
        ("nan", "0001"),
        ("num", "1110"),
    ],
)
def test_comparisons(how, wanted):
    text = f"{{.reg .pred p; setp.{how}.f32 p, $1, $2; selp.b32 $0, 1, 0, p;}}"
    a, b = floats(1, 3, 2, np.nan), floats(2, 2, 2, 2)
    assert "".join(map(str, run(text, np.uint32, a, b))) == wanted


def test_comparisons_are_joined():
    text = """{
        .reg .pred p, q;
        setp.hi.u32 p, $1, 5;          // as unsigned
        setp.lt.and.s32 q, $1, 0, p;   /* both */
        selp.b32 $0, 7, 9, q;
        @!p mov.b32 $0, 1;
    }"""
    assert run(text, np.uint32, words(0xFFFFFFFF, 9, 3)).tolist() == [7, 9, 1]
    text = "{.reg .pred p; setp.ge.s32 p, $1, 0; selp.b32 $0, 1, 0, !p;}"
    with pytest.raises(CodegenError, match="operand"):
        read(text.replace("!p", "$9"), "=r,r")
    text = "{.reg .pred p; testp.infinite.f32 p, $1; selp.b32 $0, 1, 0, p;}"
    assert run(text, np.uint32, floats(1, np.inf)).tolist() == [0, 1]
    text = "slct.b32.s32 $0, 1, 2, $1;"
    assert run(text, np.uint32, words(3, 0xFFFFFFFF)).tolist() == [1, 2]


def test_subnormals_are_zeros_to_a_comparison_that_flushes():
    tiny, zero = np.array([1], np.uint32).view(np.float32), floats(0.0)
    for flush, wanted in (("", 7), (".ftz", 9)):
        text = f"{{.reg .pred p; setp.gt{flush}.f32 p, $1, $2; selp.b32 $0, 7, 9, p;}}"
        assert run(text, np.uint32, tiny, zero).tolist() == [wanted]
        text = f"slct{flush}.b32.f32 $0, 7, 9, $1;"
        assert run(text, np.uint32, -tiny).tolist() == [9 if not flush else 7]
