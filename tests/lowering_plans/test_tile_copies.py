"""Copies of tiles by TMA and TDM, and of rows by index."""

from __future__ import annotations

import pytest

from tests.lowering_plans.modules import instructions, summary

SMEM = "#ttg.shared_memory, mutable>"
SWIZZLED = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
PLAIN = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>"
FLAT = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
BAR = f"!ttg.memdesc<1xi64, {PLAIN}, {SMEM}"


def rows_of(warps: str) -> str:
    """Write the layout of indices that each thread holds in fours, with warps along a dimension."""
    return (
        "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], "
        f"threadsPerWarp = [32, 1], warpsPerCTA = [{warps}], order = [1, 0]}}>}}>"
    )


def tma_rows(columns: int, warps: str) -> str:
    desc = f"!tt.tensordesc<tensor<1x{columns}xf16, {SWIZZLED}>>"
    view, rows = (
        f"!ttg.memdesc<32x{columns}xf16, {SWIZZLED}, {SMEM}",
        f"tensor<32xi32, {rows_of(warps)}>",
    )
    return f"""
tt.func public @k(%d: {desc}, %r: {rows}, %j: i32, %p: i1) {{
  %m = ttg.local_alloc : () -> {view}
  %b = ttg.local_alloc : () -> {BAR}
  ttng.async_tma_gather %d[%r, %j] %m, %b, %p : {desc}, {rows}, i32, {BAR}, {view}, i1
  ttng.async_tma_scatter %d[%r, %j] %m : {desc}, {rows}, i32, {view}
  tt.return
}}
"""


@pytest.mark.parametrize(
    ("columns", "warps", "count", "copying"),
    [
        (64, "1, 4", 2, 4),  # 8 rows per warp
        (64, "4, 1", 8, 1),  # every warp holds all rows, and the first one copies them
        (256, "1, 4", 8, 4),  # 4 boxes of 128 bytes in a row
    ],
)
def test_rows_of_tma(columns, warps, count, copying):
    for name in ("gather", "scatter"):
        (copy,) = instructions(tma_rows(columns, warps), f"ttng.async_tma_{name}", chip="cuda:100")
        assert (copy.kind, copy.count, copy.warps) == ("tile copy", count, copying)
        assert copy.sectors == copy.ideal_sectors == 32 * columns * 2 // 32
        assert copy.name == {"gather": "load", "scatter": "store"}[name]


def tdm_rows(bits: int, layout: str) -> str:
    rows, view = (
        f"tensor<32xi{bits}, #ttg.linear<{{{layout}}}>>",
        f"!ttg.memdesc<32x64xf16, {FLAT}, {SMEM}",
    )
    desc = "!tt.tensordesc<tensor<32x64xf16>>"
    return f"""
tt.func public @k(%d: {desc}, %r: {rows}, %j: i32) {{
  %m = ttg.local_alloc : () -> {view}
  %t = amdg.async_tdm_gather %d[%r, %j] to %m : {rows}, {view} -> {desc}
  %u = amdg.async_tdm_scatter %d[%r, %j] from %m : {rows}, {view} -> {desc}
  tt.return
}}
"""


BY_LANES = "register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []"
BY_REGISTERS = (
    "register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0]], warp = [[8], [16]], block = []"
)


@pytest.mark.parametrize(
    ("bits", "layout", "count", "copying"),
    [
        (32, BY_LANES, 4, 1),  # 8 rows at a time, by one of the 4 warps
        (16, BY_LANES, 2, 1),  # 16 rows at a time
        (32, BY_REGISTERS, 1, 4),  # each warp copies its 8 rows
    ],
)
def test_rows_of_tdm(bits, layout, count, copying):
    for name in ("gather", "scatter"):
        body = tdm_rows(bits, layout)
        (copy,) = instructions(body, f"amdg.async_tdm_{name}", chip="hip:gfx1250")
        assert (copy.kind, copy.count, copy.warps) == ("tile copy", count, copying)
        assert copy.sectors == 32 * 64 * 2 // 32


def test_a_tile_of_tma_is_copied_box_by_box():
    desc = f"!tt.tensordesc<tensor<64x128xf16, {SWIZZLED}>>"
    view = f"!ttg.memdesc<64x128xf16, {SWIZZLED}, {SMEM}"
    body = f"""
tt.func public @k(%d: {desc}, %i: i32) {{
  %m = ttg.local_alloc : () -> {view}
  ttng.async_tma_copy_local_to_global %d[%i, %i] %m : {desc}, {view}
  tt.return
}}
"""
    name = "ttng.async_tma_copy_local_to_global"
    assert summary(body, name) == [("tile copy", 0, 1, 2)]
    assert summary(body, name, warps=1) == [("tile copy", 0, 2, 1)]
