"""Kernels whose reports are tested."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def larger(a, b):
    return tl.maximum(a, b)


@weft.jit
def matmul(a_ptr, b_ptr, c_ptr, K, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    ks = tl.arange(0, BLOCK)
    a_ptrs = a_ptr + rows[:, None] * K + ks[None, :]
    b_ptrs = b_ptr + ks[:, None] * BLOCK + rows[None, :]
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for _ in tl.range(0, K, BLOCK, num_stages=3):
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
        a_ptrs += BLOCK
        b_ptrs += BLOCK * BLOCK
    acc = larger(acc, 0.0)
    tl.store(c_ptr + rows[:, None] * BLOCK + rows[None, :], acc.to(tl.float16))


SIGNATURE = "*fp16:16, *fp16:16, *fp16:16, i32:16, 64"


@weft.jit
def masked_add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Masks split accesses of 4 elements, so the heuristics' layout is not the cheapest."""
    at = tl.arange(0, BLOCK)
    total = tl.load(x_ptr + at, mask=at < n) + 1.0
    tl.store(y_ptr + at, total, mask=at < n)


MASKED_SIGNATURE = "*fp32:16, *fp32:16, i32, 1024"


@weft.jit
def reduced(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, x - tl.max(x, axis=0))
