"""Scaled MFMA: formats that the simulator does not support."""

from __future__ import annotations

import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


def test_an_unsupported_format():
    arguments = ", ".join(
        [
            "<8 x i32> zeroinitializer",
            "<8 x i32> zeroinitializer",
            "<16 x float> zeroinitializer",
            *["i32 2"] * 2,
            *["i32 0"] * 4,
        ]
    )
    name = "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.v8i32.v8i32"
    with pytest.raises(CodegenError, match="does not support this format of scaled operands"):
        run_text(
            f"  %d = call <16 x float> @{name}({arguments})\n  ret void",
            [],
            threads=64,
            lanes=64,
            chip="gfx950",
        )
