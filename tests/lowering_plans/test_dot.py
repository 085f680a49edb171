"""Dots: the matrix instructions of a warp."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import find, instructions
from weft.lowering_plans.dot import operations_of

MMA = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2],"
    " instrShape = [16, 8]}>"
)
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
