"""MFMA and WMMA: infinities, and modifiers that the simulator does not support."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("mfma.f32.32x32x8f16", "<4 x half> X, <4 x half> X, <16 x float> X, i32 0, i32 1, i32 0"),
        ("mfma.f32.4x4x4f16", "<4 x half> X, <4 x half> X, <4 x float> X, i32 4, i32 0, i32 1"),
        (
            "wmma.i32.16x16x16.iu8.v8i32.v4i32",
            "i1 0, <4 x i32> X, i1 1, <4 x i32> X, <8 x i32> X, i1 0",
        ),
        (
            "wmma.f32.16x16x16.f16.v8f32.v16f16",
            "<16 x half> X, <16 x half> X, <8 x float> X, i1 1",
        ),
    ],
)
def test_unsupported_modifiers(name, arguments):
    line = f"%d = call <4 x float> @llvm.amdgcn.{name}({arguments.replace('X', 'zeroinitializer')})"
    with pytest.raises(CodegenError, match="does not support these modifiers"):
        run_text(f"  {line}\n  ret void", [])


def test_infinity_times_zero_is_nan():
    out = np.zeros((64, 4), np.float32)
    infinities = ", ".join(["half 0xH7C00"] * 4)
    run_text(
        f"  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> <{infinities}>,"
        " <4 x half> zeroinitializer, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)\n"
        "  %p = getelementptr <4 x float>, ptr addrspace(1) %p0, i32 %i\n"
        "  store <4 x float> %d, ptr addrspace(1) %p\n"
        "  ret void",
        [out],
        threads=64,
        lanes=64,
        chip="gfx942",
    )
    assert np.isnan(out).all()
