"""How few numbers a thread's places and addresses are made of, and that they are right."""

from __future__ import annotations

import re

import pytest

import weft
import weft.language as tl
from tests.codegen.comparing import require_same
from weft.codegen import lower
from weft.runtime.machine_code import machine

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
def test_places_are_right(chip, num_warps):
    require_same(compiled(added, chip, num_warps=num_warps, block=2048))
    for row in (1, 3, -1):
        require_same(compiled(scaled, chip, num_warps=num_warps, block=1024, row=row))
    for rows, columns in ((16, 64), (64, 16)):
        turn = compiled(turned, chip, num_warps=num_warps, rows=rows, columns=columns)
        require_same(turn)


def test_a_number_that_overflows_stays_in_its_type():
    require_same(compiled(wrapped, "cuda:90", block=1024, row=0x40000001))


def test_lane_and_warp_travel_as_one_number():
    text = lower(compiled(added, "cuda:90", block=1024).module("ttgir")).text
    (thread,) = re.findall(r"(\S+) = call i32 @llvm.nvvm.read.ptx.sreg.tid.x", text)
    assert f"shl nuw nsw i32 {thread}, 3" in text


def test_elements_without_alignment_share_one_address():
    llvm = lower(compiled(added, "cuda:90", block=2048).module("ttgir"))
    ptx = machine().emit(llvm, "assembly").decode()
    assert ptx.count("ld.global.b16") == 16
    assert ptx.count("mul.wide.s32") <= 2  # two runs of eight; the rest are constants added
