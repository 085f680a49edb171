"""cvt to and from packed types."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.ptx.run_ptx import floats, pairs, run, words
from weft.errors import CodegenError
from weft.ptx import read

X = (np.random.default_rng(3).normal(size=512) * 60).astype(np.float32)
SMALL = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
HALF = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("kind", HALF)
def test_f32_to_packed_f16(kind):
    a, b = X[:256], X[256:]
    result = run(f"cvt.rn.{kind}x2.f32 $0, $1, $2;", np.uint32, a, b)
    assert np.array_equal(result, pairs(np.stack([b, a], axis=1).astype(HALF[kind])))
    one = run(f"{{.reg .b16 h; cvt.rn.{kind}.f32 h, $1; mov.b32 $0, {{h, h}};}}", np.uint32, a)
    assert np.array_equal(one, pairs(np.stack([a, a], axis=1).astype(HALF[kind])))
    truncated = run(f"cvt.rz.{kind}x2.f32 $0, $1, $2;", np.uint32, a, b)
    numbers = np.ascontiguousarray(truncated).view(HALF[kind]).reshape(-1, 2).astype(np.float32)
    assert (np.abs(numbers) <= np.abs(np.stack([b, a], axis=1))).all()


@pytest.mark.parametrize("kind", SMALL)
def test_fp8(kind):
    codes = np.arange(1 << 16, dtype=np.uint16)
    text = f"cvt.rn.f16x2.{kind}x2 $0, $1;"
    expected = codes.view(np.uint8).view(SMALL[kind]).astype(np.float16).reshape(-1, 2)
    result = run(text, np.uint32, codes).view(np.float16).reshape(-1, 2)
    assert np.array_equal(result, expected, equal_nan=True)
    text = f"{{.reg .b16 t; cvt.rn.satfinite.{kind}x2.f32 t, $1, $2; cvt.u32.u16 $0, t;}}"
    wide = np.concatenate([X, floats(1e9, -np.inf, 0)])
    result = run(text, np.uint32, wide, -wide)
    limit = float(ml_dtypes.finfo(SMALL[kind]).max)
    both = np.clip(np.stack([-wide, wide], axis=1), -limit, limit).astype(SMALL[kind])
    assert np.array_equal(result, np.ascontiguousarray(both).view(np.uint16)[:, 0])


def test_fp4():
    text = "{.reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t;}"
    result = run(text, np.uint32, floats(6.0, -0.5, np.nan), floats(1.0, 100.0, 0.25))
    assert [hex(each) for each in result] == ["0x72", "0x97", "0x70"]
    back = "{.reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; cvt.rn.f16x2.e2m1x2 $0, b;}"
    halves = run(back, np.uint32, words(0x00007200)).view(np.float16)
    assert halves.tolist() == [1.0, 6.0]


def test_ue8m0():
    text = "{{.reg .b16 t; cvt.{}.satfinite.ue8m0x2.f32 t, $1, $1; cvt.u32.u16 $0, t;}}"
    x = floats(1.0, 3.0, 0.75, 0.0, np.inf, np.nan)
    down = run(text.format("rz"), np.uint32, x) & 255
    up = run(text.format("rp"), np.uint32, x) & 255
    assert down.tolist() == [127, 128, 126, 0, 254, 255]
    assert up.tolist() == [127, 129, 127, 0, 254, 255]
    back = "{.reg .b16 t; cvt.u16.u32 t, $1; cvt.rn.bf16x2.ue8m0x2 $0, t;}"
    assert run(back, np.uint32, words(0x8081)).view(ml_dtypes.bfloat16).tolist() == [4.0, 2.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cvt.rn.f16x2.f32 $0, $1, $2;", 0x7FFF3C00),
        ("cvt.rn.bf16x2.f32 $0, $1, $2;", 0x7FFF3F80),
        ("{.reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $1, $2; cvt.u32.u16 $0, t;}", 0x7F38),
        ("{.reg .b16 t; cvt.rn.satfinite.e5m2x2.f32 t, $1, $2; cvt.u32.u16 $0, t;}", 0x7F3C),
    ],
)
@pytest.mark.parametrize("nan", [0x7FC00000, 0xFFC01234])
def test_nan_is_canonical(text, expected, nan):
    result = run(text, np.uint32, words(nan).view(np.float32), floats(1.0))
    assert hex(result[0]) == hex(expected)


def test_unsupported_forms():
    with pytest.raises(CodegenError, match="this form of cvt is not supported"):
        read("cvt.rn.f16x2.f16x2 $0, $1;", "=r,r")
