"""Conversions of small floats on AMD chips."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.simulator.programs import run_text
from weft.errors import CodegenError


@pytest.mark.parametrize(
    ("chip", "lanes", "dtype"),
    [
        ("gfx942", 64, ml_dtypes.float8_e4m3fnuz),
        ("gfx950", 64, ml_dtypes.float8_e4m3fn),
        ("gfx1201", 32, ml_dtypes.float8_e4m3fn),
    ],
)
def test_fp8_is_the_format_of_the_chip(chip, lanes, dtype):
    body = """
  %from = getelementptr i32, ptr addrspace(1) %p0, i32 %i
  %w = load i32, ptr addrspace(1) %from, align 4
  %v = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %w, i1 false)
  %to = getelementptr <2 x float>, ptr addrspace(1) %p1, i32 %i
  store <2 x float> %v, ptr addrspace(1) %to, align 8
  ret void"""
    words = np.arange(64, dtype=np.int32) * 257
    values = np.zeros((64, 2), np.float32)
    run_text(body, [words, values], threads=64, lanes=lanes, chip=chip)
    expected = words.astype(np.uint16).view(np.uint8).view(dtype).astype(np.float32)
    np.testing.assert_array_equal(values.reshape(-1), expected)


def test_a_chip_without_fp8():
    line = "  %v = call <2 x float> @llvm.amdgcn.cvt.pk.f32.fp8(i32 %i, i1 false)\n  ret void"
    with pytest.raises(CodegenError, match="gfx1100 does not support fp8"):
        run_text(line, [], chip="gfx1100")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("i32 @llvm.nvvm.prmt(i32 0, i32 0, i32 8)", "prmt that replicates a sign"),
        ("i32 @llvm.amdgcn.perm(i32 0, i32 0, i32 8)", "v_perm that replicates signs"),
        (
            "i32 @llvm.amdgcn.cvt.pk.fp8.f32(float 1.0, float 1.0, i32 0, i1 false)",
            "a conversion to fp8 without the mode that saturates",
        ),
    ],
)
def test_unsupported_operands(call, message):
    with pytest.raises(CodegenError, match=message):
        run_text(f"  %x = call {call}\n  ret void", [], chip="gfx942")


def test_an_unsupported_mode_register():
    with pytest.raises(CodegenError, match="does not support this register of s_setreg"):
        run_text("  call void @llvm.amdgcn.s.setreg(i32 5, i32 1)\n  ret void", [], chip="gfx942")
