"""A Triton kernel, for tests that wrap it with weft."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n"])
def add(x, y, n, BLOCK: tl.constexpr):
    """Add 1 to the elements of x."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.autotune([triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    """Write n."""
    tl.store(x, n)
