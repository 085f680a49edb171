"""The functions of `gl` for all targets."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.errors import StaticAssertionError, WeftError
from weft.experimental import gluon
from weft.experimental.gluon import language as gl

ROW = gl.BlockedLayout([4], [32], [4], [0])
TILE = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
SWIZZLED = gl.SwizzledSharedLayout(4, 1, 8, [1, 0])


@gluon.jit
def add(x, y, out, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = i < n
    gl.store(out + i, gl.load(x + i, mask) + gl.load(y + i, mask), mask)


@gluon.jit
def transpose(x, out, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr, memory: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    tile = gl.load(x + rows[:, None] * N + columns[None, :])
    buffer = gl.allocate_shared_memory(tile.dtype, [M, N], memory, tile)
    result = buffer.permute((1, 0)).load(layout)
    rows = gl.arange(0, N, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, M, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * M + columns[None, :], result)


def source(kernel, signature, target="cuda:90", **constants):
    compiled = weft.compile(
        kernel, signature=signature, constexprs=constants, target=target, stop_after="source"
    )
    return compiled.asm["source"]


def test_tensors_have_the_layouts_that_the_kernel_spells():
    text = source(add, "*fp32, *fp32, *fp32, i32", BLOCK=512, layout=ROW)
    assert "tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>" in text
    assert 'ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32' in text


def test_vector_add_on_the_cpu_device():
    x, y = (np.random.default_rng(seed).normal(size=1000).astype("f4") for seed in (0, 1))
    out = np.zeros_like(x)
    add[(2,)](x, y, out, 1000, 512, ROW)
    assert (out == x + y).all()


def test_transposed_view_of_shared_memory_on_the_cpu_device():
    x = np.arange(32 * 64, dtype="f4").reshape(32, 64)
    out = np.zeros((64, 32), "f4")
    transpose[(1,)](x, out, 32, 64, TILE, SWIZZLED)
    assert (out == x.T).all()


@gluon.jit
def mismatch(out, one: gl.constexpr, other: gl.constexpr):
    gl.store(out + gl.arange(0, 128, layout=one), gl.arange(0, 128, layout=other))


def test_layouts_must_match():
    other = gl.BlockedLayout([1], [32], [4], [0])
    with pytest.raises(WeftError, match="Layout mismatch in broadcast: BlockedLayout"):
        source(mismatch, "*i32", one=ROW, other=other)


@gluon.jit
def infer(out, layout: gl.constexpr):
    i = gl.arange(0, 128)
    gl.store(out + gl.arange(0, 128, layout=layout), i + 1)


def test_auto_layout_is_that_of_its_use():
    compiled = weft.compile(infer, signature="*i32", constexprs={"layout": ROW}, target="cuda:90")
    assert "auto_encoding" not in compiled.asm["ttgir"]
    out = np.zeros(128, "i4")
    infer[(1,)](out, ROW)
    assert (out == np.arange(1, 129)).all()


@gluon.jit
def count_conflicts(layout: gl.constexpr, memory: gl.constexpr, number: gl.constexpr):
    registers: gl.constexpr = gl.distributed_type(gl.float32, [64, 64], layout)
    buffer: gl.constexpr = gl.shared_memory_descriptor_type(gl.float32, [64, 64], memory, [64, 64])
    conflicts: gl.constexpr = gl.bank_conflicts(registers, buffer)
    gl.static_assert(conflicts == number)


def test_bank_conflicts():
    """Eight lanes at a time load four words each, of rows that begin in one bank."""
    column = gl.BlockedLayout([1, 1], [32, 1], [4, 1], [1, 0])
    memory = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    source(count_conflicts, "", layout=column, memory=memory, number=7)
    with pytest.raises(StaticAssertionError):
        source(count_conflicts, "", layout=column, memory=memory, number=8)
