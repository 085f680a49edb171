"""Pointer arithmetic: correct offsets, and few address registers per thread."""

from __future__ import annotations

import re

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.codegen.lowering.common.pointer_offsets import contiguous_offsets
from weft.compiler.machine_code import llvm_machine
from weft.layouts import parse as parse_layout

CHIPS = ("cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1201")
"""Chips of both makers, with warps of 32 and of 64 lanes."""


@weft.jit
def added(x, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@weft.jit
def scaled(x, out, n, block: tl.constexpr, row: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    places = at * row + 9999
    tl.store(out + places, tl.load(x + places, mask=at < n, other=1.0) * 2, mask=at < n)


@weft.jit
def wrapped(x, out, block: tl.constexpr, row: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + at, tl.load(x + ((at * row + 0x7FFFFFFF) & 0xFFFF)))


@weft.jit
def turned(x, out, gap, rows: tl.constexpr, columns: tl.constexpr):
    down, across = tl.arange(0, rows), tl.arange(0, columns)
    tile = tl.load(x + (tl.program_id(0) * rows + down[:, None]) * columns + across[None, :] + 99)
    tl.store(out + (across[None, :] + 1000) * rows + down[:, None] * -1 + gap * 0, tile)


def compiled(kernel, chip, *, num_warps=4, **constexprs):
    kinds = {"x": "*bf16:16", "out": "*bf16:16", "n": "i32", "gap": "i32"}
    signature = ", ".join(str({**kinds, **constexprs}[name]) for name in kernel.arg_names)
    return weft.compile(kernel, signature=signature, target=chip, num_warps=num_warps)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("num_warps", [1, 4])
def test_offsets_are_correct(chip, num_warps):
    require_same(compiled(added, chip, num_warps=num_warps, block=2048))
    for row in (1, 3, -1):
        require_same(compiled(scaled, chip, num_warps=num_warps, block=1024, row=row))
    for rows, columns in ((16, 64), (64, 16)):
        turn = compiled(turned, chip, num_warps=num_warps, rows=rows, columns=columns)
        require_same(turn)


def test_integer_overflow_wraps():
    require_same(compiled(wrapped, "cuda:90", block=1024, row=0x40000001))


def test_lane_and_warp_share_an_offset():
    text = lower(compiled(added, "cuda:90", block=1024).module("ttgir")).text
    (thread,) = re.findall(r"(\S+) = call i32 @llvm.nvvm.read.ptx.sreg.tid.x", text)
    assert f"shl nuw nsw i32 {thread}, 3" in text


def test_unaligned_elements_share_an_address():
    llvm = lower(compiled(added, "cuda:90", block=2048).module("ttgir"))
    ptx = llvm_machine().emit(llvm, "assembly").decode()
    assert ptx.count("ld.global.b16") == 16
    assert ptx.count("mul.wide.s32") <= 2  # two runs of eight; the rest are constants added


@weft.jit
def rows_walked(x, out, n, stride, rows: tl.constexpr, block: tl.constexpr):
    """Sum tiles of rows whose starts are not aligned, by pointers that a loop carries."""
    down, across = tl.arange(0, rows), tl.arange(0, block)
    at = x + down[:, None] * stride + across[None, :]
    total = tl.zeros((rows, block), tl.float32)
    for _ in range(n):
        total += tl.load(at)
        at += block
    tl.store(out + down[:, None] * block + across[None, :], total)
    tl.store(out + 4096 + down[:, None] * block + across[None, :], tl.load(at))


@pytest.mark.parametrize("chip", CHIPS)
def test_a_loop_carries_a_pointer_for_each_run(chip):
    artifact = weft.compile(
        rows_walked,
        signature="*bf16:16, *fp32:16, i32, i32, 16, 64",
        target=chip,
        num_warps=1,
        num_stages=1,
    )
    require_same(artifact, tolerance=1e-2)
    if chip.startswith("cuda"):  # others give a thread no neighbours here
        text = lower(artifact.module("ttgir")).text
        assert len(re.findall(r"= phi ptr addrspace\(1\)", text)) == 16  # of 32 registers


@weft.jit
def far_rows(x, out, stride, first: tl.constexpr, rows: tl.constexpr, block: tl.constexpr):
    """Copy rows whose starts take 64 bits."""
    down, across = tl.arange(0, rows).to(tl.int64), tl.arange(0, block)
    tile = tl.load(x + (down[:, None] + first + 9) * stride + across[None, :])
    tl.store(out + stride * down[:, None] + across[None, :], tile)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("first", [0, 7, -9])
def test_wide_row_strides(chip, first):
    """Of 32 rows a thread has 8 or 16: they start at one product and up to four of its stride."""
    artifact = weft.compile(
        far_rows,
        signature=f"*fp32:16, *fp32:16, i64, {first}, 32, 64",
        target=chip,
        num_warps=4,
    )
    require_same(artifact)
    matrices = 2
    assert lower(artifact.module("ttgir")).text.count(" = mul i64 ") <= matrices * (1 + 4)


@weft.jit
def mirrored_rows(x, out, stride, rows: tl.constexpr, block: tl.constexpr):
    """Copy rows, those in front of the first as well: sums with constants below zero."""
    down, across = tl.arange(0, rows).to(tl.int64), tl.arange(0, block)
    tile = tl.load(x + 9999 + (down[:, None] - 9) * stride + across[None, :])
    tl.store(out + down[:, None] * block + across[None, :], tile)


def test_negative_row_offsets():
    signature = "*fp32:16, *fp32:16, i64, 32, 64"
    for chip in ("cuda:90", "hip:gfx942"):
        require_same(weft.compile(mirrored_rows, signature=signature, target=chip, num_warps=2))


def test_contiguous_registers():
    layout = parse_layout(
        "#ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], "
        "order = [1, 0]}>"
    ).linear((16, 32))
    assert contiguous_offsets(layout, 1, 4) == {
        first + n: (first, n) for first in range(0, 16, 4) for n in (1, 2, 3)
    }
    assert contiguous_offsets(layout, 1, 2) == {n: (n - 1, 1) for n in range(1, 16, 2)}
    assert contiguous_offsets(layout, 1, 1) == {}
    assert contiguous_offsets(layout, 0, 2) == {n: (n - 4, 1) for n in range(16) if n & 4}
    spread = parse_layout(
        "#ttg.linear<{register = [[0, 1], [0, 4]], "
        "lane = [[0, 2], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>"
    ).linear((8, 16))
    assert contiguous_offsets(spread, 1, 8) == {1: (0, 1), 2: (0, 4), 3: (0, 5)}
    mixed = parse_layout(
        "#ttg.linear<{register = [[0, 1], [0, 8]], "
        "lane = [[0, 3], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>"
    ).linear((8, 16))
    assert contiguous_offsets(mixed, 1, 16) == {2: (0, 8)}  # a lane may have 1 set, and no sum
