"""Dots: the matrix instructions of a warp."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import BLOCKED, find, instructions
from weft.lowering_plans.dot import depth_of, element_bits, operations_of

MMA = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2],"
    " instrShape = [16, 8]}>"
)
ROWS = BLOCKED % ("1, 8", "8, 4", "4, 1", "1, 0")
MFMA = (
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8],"
    " isTransposed = true}>"
)


def body(layout: str, width: int) -> str:
    a, b = (f"#ttg.dot_op<{{opIdx = {n}, parent = {layout}, kWidth = {width}}}>" for n in range(2))
    return f"""
tt.func public @k(%a: tensor<128x64xf16, {a}>, %b: tensor<64x128xf16, {b}>,
    %c: tensor<128x128xf32, {layout}>) {{
  %d = tt.dot %a, %b, %c : tensor<128x64xf16, {a}> * tensor<64x128xf16, {b}>
    -> tensor<128x128xf32, {layout}>
  tt.return
}}
"""


@pytest.mark.parametrize(
    ("layout", "width", "chip", "count"),
    [
        (MMA, 2, "cuda:80", 8 * 4 * 4),  # a warp has 64x64: 4 by 8 tiles, 4 steps along k
        (MFMA, 4, "hip:gfx942", 2 * 2 * 8),
    ],
)
def test_tiles_times_steps_along_k(layout, width, chip, count):
    (mma,) = instructions(body(layout, width), "tt.dot", chip=chip)
    assert (mma.kind, mma.count, mma.warps) == ("mma", count, 4)


def test_operations():
    op, _ = find(body(MMA, 2), "tt.dot", chip="cuda:80")
    assert operations_of(op) == 2 * 128 * 128 * 64


@pytest.mark.parametrize(
    ("formats", "attributes", "depth", "bits"),
    [
        ("lhs = e2m1 rhs = e2m1", "", 128, 4),  # 64 bytes of two elements
        ("lhs = e2m1 rhs = e2m1", " {lhs_k_pack = false, rhs_k_pack = false}", 64, 4),
        ("lhs = e4m3 rhs = e5m2", "", 64, 8),
    ],
)
def test_depth_of_scaled_dots(formats, attributes, depth, bits):
    a_fp4, by_k = "lhs = e2m1" in formats, "false" not in attributes
    k = depth if a_fp4 else 64
    a = f"tensor<{128 if by_k or not a_fp4 else 64}x{k // 2 if a_fp4 and by_k else k}xi8, {ROWS}>"
    b = f"tensor<{k // 2 if a_fp4 and by_k else k}x{128 if by_k or not a_fp4 else 64}xi8, {ROWS}>"
    if not a_fp4:
        a, b = a.replace("i8", "f8E4M3FN"), b.replace("i8", "f8E5M2")
    c = f"tensor<128x128xf32, {ROWS}>"
    text = f"""
tt.func public @k(%a: {a}, %b: {b}, %c: {c}) {{
  %d = tt.dot_scaled %a, %b, %c {formats}{attributes} : {a} * {b} -> {c}
  tt.return
}}
"""
    op, _ = find(text, "tt.dot_scaled", chip="cuda:100")
    assert (depth_of(op), element_bits(op)) == (depth, bits)
    assert operations_of(op) == 2 * 128 * 128 * depth
