"""MFMA and WMMA: modifiers that the simulator does not support."""

from __future__ import annotations

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
