"""cvt: numbers to other types, pairs of small floats."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.ptx.running import floats, pairs, run, words
from weft.errors import CodegenError
from weft.ptx import read

X = (np.random.default_rng(3).normal(size=512) * 60).astype(np.float32)
SMALL = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
HALF = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("kind", HALF)
def test_two_floats_become_a_pair(kind):
    a, b = X[:256], X[256:]
    found = run(f"cvt.rn.{kind}x2.f32 $0, $1, $2;", np.uint32, a, b)
    assert np.array_equal(found, pairs(np.stack([b, a], axis=1).astype(HALF[kind])))
    one = run(f"{{.reg .b16 h; cvt.rn.{kind}.f32 h, $1; mov.b32 $0, {{h, h}};}}", np.uint32, a)
    assert np.array_equal(one, pairs(np.stack([a, a], axis=1).astype(HALF[kind])))
    toward = run(f"cvt.rz.{kind}x2.f32 $0, $1, $2;", np.uint32, a, b)
    cut = np.ascontiguousarray(toward).view(HALF[kind]).reshape(-1, 2).astype(np.float32)
    assert (np.abs(cut) <= np.abs(np.stack([b, a], axis=1))).all()


@pytest.mark.parametrize("kind", SMALL)
def test_floats_of_eight_bits(kind):
    codes = np.arange(1 << 16, dtype=np.uint16)
    text = f"cvt.rn.f16x2.{kind}x2 $0, $1;"
    wanted = codes.view(np.uint8).view(SMALL[kind]).astype(np.float16).reshape(-1, 2)
    found = run(text, np.uint32, codes).view(np.float16).reshape(-1, 2)
    assert np.array_equal(found, wanted, equal_nan=True)
    text = f"{{.reg .b16 t; cvt.rn.satfinite.{kind}x2.f32 t, $1, $2; cvt.u32.u16 $0, t;}}"
    wide = np.concatenate([X, floats(1e9, -np.inf, 0)])
    found = run(text, np.uint32, wide, -wide)
    limit = float(ml_dtypes.finfo(SMALL[kind]).max)
    both = np.clip(np.stack([-wide, wide], axis=1), -limit, limit).astype(SMALL[kind])
    assert np.array_equal(found, np.ascontiguousarray(both).view(np.uint16)[:, 0])


def test_floats_of_four_bits():
    text = "{.reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t;}"
    found = run(text, np.uint32, floats(6.0, -0.5, np.nan), floats(1.0, 100.0, 0.25))
    assert [hex(each) for each in found] == ["0x72", "0x97", "0x70"]
    back = "{.reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; cvt.rn.f16x2.e2m1x2 $0, b;}"
    halves = run(back, np.uint32, words(0x00007200)).view(np.float16)
    assert halves.tolist() == [1.0, 6.0]


def test_powers_of_two():
    text = "{{.reg .b16 t; cvt.{}.satfinite.ue8m0x2.f32 t, $1, $1; cvt.u32.u16 $0, t;}}"
    x = floats(1.0, 3.0, 0.75, 0.0, np.inf, np.nan)
    down = run(text.format("rz"), np.uint32, x) & 255
    up = run(text.format("rp"), np.uint32, x) & 255
    assert down.tolist() == [127, 128, 126, 0, 254, 255]
    assert up.tolist() == [127, 129, 127, 0, 254, 255]
    back = "{.reg .b16 t; cvt.u16.u32 t, $1; cvt.rn.bf16x2.ue8m0x2 $0, t;}"
    assert run(back, np.uint32, words(0x8081)).view(ml_dtypes.bfloat16).tolist() == [4.0, 2.0]


def test_integers_of_floats():
    x = floats(1.5, -2.5, 3e9, -3e9, np.nan, np.inf)
    limits = [2**31 - 1, -(2**31)]
    found = run("cvt.rni.s32.f32 $0, $1;", np.int32, x)
    assert found.tolist() == [2, -2, *limits, 0, limits[0]]
    assert run("cvt.rzi.s32.f32 $0, $1;", np.int32, x)[:2].tolist() == [1, -2]
    assert run("cvt.rmi.u32.f32 $0, $1;", np.uint32, x)[:3].tolist() == [1, 0, 3_000_000_000]
    assert run("cvt.rpi.f32.f32 $0, $1;", np.float32, x)[:2].tolist() == [2, -2]


def test_floats_of_integers():
    x = np.array([2**24 + 1, -(2**24) - 1, 7], np.int32)
    assert run("cvt.rn.f32.s32 $0, $1;", np.float32, x).tolist() == [2**24, -(2**24), 7]
    assert run("cvt.rp.f32.s32 $0, $1;", np.float32, x)[0] == 2**24 + 2
    wide = np.array([2**53 + 1, 2**62 + 1], np.int64)
    assert run("cvt.rn.f64.s64 $0, $1;", np.float64, wide)[0] == 2**53
    assert run("cvt.rp.f32.s64 $0, $1;", np.float32, wide)[1] > 2**62


def test_integers_of_integers():
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
    ("text", "said"),
    [
        ("cvt.s32.f32 $0, $1;", "says how it rounds"),
        ("cvt.f32 $0, $1;", "no cvt of PTX"),
        ("cvt.f32.f16 $0, $1;", "a register of 32 bits where cvt.f32.f16 has one of 16"),
    ],
)
def test_what_is_not_known_is_named(text, said):
    with pytest.raises(CodegenError, match=said):
        read(text, "=r,r")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cvt.rn.f16x2.f32 $0, $1, $2;", 0x7FFF3C00),
        ("cvt.rn.bf16x2.f32 $0, $1, $2;", 0x7FFF3F80),
        ("{.reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $1, $2; cvt.u32.u16 $0, t;}", 0x7F38),
        ("{.reg .b16 t; cvt.rn.satfinite.e5m2x2.f32 t, $1, $2; cvt.u32.u16 $0, t;}", 0x7F3C),
    ],
)
@pytest.mark.parametrize("nan", [0x7FC00000, 0xFFC01234])
def test_there_is_one_nan(text, wanted, nan):
    found = run(text, np.uint32, words(nan).view(np.float32), floats(1.0))
    assert hex(found[0]) == hex(wanted)


def test_what_nan_says_is_cut_off_in_tf32():
    given = words(0x7F8CFC76, 0xFFC01234, 0x7F800000).view(np.float32)
    found = run("cvt.rna.tf32.f32 $0, $1;", np.uint32, given)
    assert [hex(each) for each in found] == ["0x7f8ce000", "0xffc00000", "0x7f800000"]


def test_tf32_stays_finite_where_that_is_asked_for():
    given = words(0x7F7FFFFF, 0xFF800000, 0x3F800000).view(np.float32)
    found = run("cvt.rna.satfinite.tf32.f32 $0, $1;", np.uint32, given)
    assert [hex(each) for each in found] == ["0x7f7fe000", "0xff7fe000", "0x3f800000"]
    beyond = run("cvt.rna.tf32.f32 $0, $1;", np.uint32, given)
    assert [hex(each) for each in beyond] == ["0x7f800000", "0xff800000", "0x3f800000"]
