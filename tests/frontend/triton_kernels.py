"""A kernel decorated with Triton's jit."""

from __future__ import annotations

import triton
import triton.language as tl

FACTOR = tl.constexpr(3)


@triton.jit
def scaled(x, BY: tl.constexpr):
    return x.to(tl.float32) * BY


@triton.jit
def scaled_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    width: tl.constexpr = triton.next_power_of_2(BLOCK)
    offsets = tl.arange(0, width)
    x = tl.load(x_ptr + offsets, mask=offsets < tl.cdiv(n, 2) * 2, other=0.0)
    tl.store(out_ptr, tl.sum(scaled(x, FACTOR), axis=0) + tl.exp(tl.math.sqrt(2.0)))
