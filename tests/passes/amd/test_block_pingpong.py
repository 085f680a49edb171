"""Ping-pong scheduled products run without races and give numpy's result."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.compiler.machine_code import lower_ttgir
from weft.simulator import run as simulate

CASES = [
    # chip, M, N, K of a step, options, conditional barriers
    ("gfx942", 64, 64, 64, {"num_warps": 4}, 0),
    ("gfx942", 256, 128, 64, {"num_warps": 8}, 2),
    ("gfx942", 256, 256, 64, {"num_warps": 8}, 2),
    ("gfx950", 128, 128, 64, {"num_warps": 8, "num_stages": 3, "use_async_copy": True}, 2),
    ("gfx942", 256, 256, 64, {"num_warps": 8, "use_block_pingpong": False}, 0),
]


@weft.jit
def product(
    a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    """One tile of a product; both operands are contiguous along K."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + start + k[:, None])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@pytest.mark.parametrize(("chip", "rows", "columns", "step", "options", "barriers"), CASES)
def test_product(chip, rows, columns, step, options, barriers):
    depth = 4 * step
    compiled = weft.compile(
        product,
        signature=f"*fp16:16, *fp16:16, *fp32:16, i32:16, {rows}, {columns}, {step}",
        target=f"hip:{chip}",
        **options,
    )
    text = compiled.asm["ttgir"]
    assert text.count("amdg.cond_barrier") == barriers
    assert ("rocdl.sched.barrier" in text) is options.get("use_block_pingpong", True)
    llvm = lower_ttgir(compiled.module("ttgir"), compiled.metadata.options)
    random = np.random.default_rng(0)
    a = random.standard_normal((rows, depth)).astype(np.float16)
    b = random.standard_normal((columns, depth)).astype(np.float16)
    c = np.zeros((rows, columns), np.float32)
    simulate(
        llvm.text,
        grid=(1,),
        arguments=[a, b, c, depth],
        warp_size=64,
        shared_bytes=llvm.shared_bytes,
    )
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32).T, 1e-3, 1e-2)
