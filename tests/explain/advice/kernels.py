"""Kernels with an avoidable cost, and the same kernels without it."""

from __future__ import annotations

import weft
import weft.language as tl

__all__ = [
    "add_transposed",
    "copy",
    "copy_hinted",
    "gather",
    "matmul",
    "precise_matmul",
    "row_sum",
    "transposed_add",
    "wrapped_copy",
]


@weft.jit
def add_transposed(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    p = i[:, None] * N + i[None, :]
    tl.store(z + p, tl.load(x + p) + tl.trans(tl.load(y + p)))


@weft.jit
def transposed_add(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    p = i[:, None] * N + i[None, :]
    tl.store(z + p, tl.trans(tl.load(y + p)) + tl.load(x + p))


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@weft.jit
def copy_hinted(x, y, n, BLOCK: tl.constexpr):
    n = tl.multiple_of(n, 16)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@weft.jit
def wrapped_copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wrapped = i % n
    tl.store(y + i, tl.load(x + wrapped))


@weft.jit
def gather(x, y, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * stride))


@weft.jit
def row_sum(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
    tl.store(y + tl.program_id(0), tl.sum(row))


@weft.jit
def precise_matmul(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    p = i[:, None] * N + i[None, :]
    tl.store(c + p, tl.dot(tl.load(a + p), tl.load(b + p), input_precision="ieee"))


@weft.jit
def matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        ks = k + tl.arange(0, BLOCK_K)
        a_tile = tl.load(a + rows[:, None] * K + ks[None, :])
        b_tile = tl.load(b + ks[:, None] * N + columns[None, :])
        acc += tl.dot(a_tile, b_tile)
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16))
