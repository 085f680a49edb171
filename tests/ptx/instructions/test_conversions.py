"""cvt between numbers of one register each."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.run_ptx import floats, run, words
from weft.errors import CodegenError
from weft.ptx import read


def test_float_to_integer():
    x = floats(1.5, -2.5, 3e9, -3e9, np.nan, np.inf)
    limits = [2**31 - 1, -(2**31)]
    result = run("cvt.rni.s32.f32 $0, $1;", np.int32, x)
    assert result.tolist() == [2, -2, *limits, 0, limits[0]]
    assert run("cvt.rzi.s32.f32 $0, $1;", np.int32, x)[:2].tolist() == [1, -2]
    assert run("cvt.rmi.u32.f32 $0, $1;", np.uint32, x)[:3].tolist() == [1, 0, 3_000_000_000]
    assert run("cvt.rpi.f32.f32 $0, $1;", np.float32, x)[:2].tolist() == [2, -2]


def test_integer_to_float():
    x = np.array([2**24 + 1, -(2**24) - 1, 7], np.int32)
    assert run("cvt.rn.f32.s32 $0, $1;", np.float32, x).tolist() == [2**24, -(2**24), 7]
    assert run("cvt.rp.f32.s32 $0, $1;", np.float32, x)[0] == 2**24 + 2
    wide = np.array([2**53 + 1, 2**62 + 1], np.int64)
    assert run("cvt.rn.f64.s64 $0, $1;", np.float64, wide)[0] == 2**53
    assert run("cvt.rp.f32.s64 $0, $1;", np.float32, wide)[1] > 2**62


def test_integer_to_integer():
    text = "{.reg .b16 t; cvt.s16.s32 t, $1; cvt.s32.s16 $0, t;}"
    assert run(text, np.int32, words(0x12345, 0x18000)).tolist() == [0x2345, -0x8000]
    assert run("cvt.sat.s8.s32 $0, $1;", np.int32, words(300, 2**32 - 300, 5)).tolist() == [
        127,
        -128,
        5,
    ]


def test_tf32():
    x = words(0x3F801000, 0x3F803000, 0x3F801001).view(np.float32)
    bits = {mode: run(f"cvt.{mode}.tf32.f32 $0, $1;", np.uint32, x) for mode in ("rna", "rn", "rz")}
    assert [hex(each) for each in bits["rna"]] == ["0x3f802000", "0x3f804000", "0x3f802000"]
    assert [hex(each) for each in bits["rn"]] == ["0x3f800000", "0x3f804000", "0x3f802000"]
    assert [hex(each) for each in bits["rz"]] == ["0x3f800000", "0x3f802000", "0x3f800000"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cvt.s32.f32 $0, $1;", "cvt to an integer needs a rounding modifier"),
        ("cvt.f32 $0, $1;", "this form of cvt is not supported"),
        ("cvt.tf32.f32 $0, $1;", "this form of cvt is not supported"),
        ("cvt.f32.f16 $0, $1;", "cvt.f32.f16 takes a register of 16 bits, not of 32"),
    ],
)
def test_unsupported_forms(text, message):
    with pytest.raises(CodegenError, match=message):
        read(text, "=r,r")


def test_tf32_truncates_the_payload_of_nan():
    x = words(0x7F8CFC76, 0xFFC01234, 0x7F800000).view(np.float32)
    result = run("cvt.rna.tf32.f32 $0, $1;", np.uint32, x)
    assert [hex(each) for each in result] == ["0x7f8ce000", "0xffc00000", "0x7f800000"]


def test_tf32_satfinite():
    x = words(0x7F7FFFFF, 0xFF800000, 0x3F800000).view(np.float32)
    result = run("cvt.rna.satfinite.tf32.f32 $0, $1;", np.uint32, x)
    assert [hex(each) for each in result] == ["0x7f7fe000", "0xff7fe000", "0x3f800000"]
    overflow = run("cvt.rna.tf32.f32 $0, $1;", np.uint32, x)
    assert [hex(each) for each in overflow] == ["0x7f800000", "0xff800000", "0x3f800000"]
