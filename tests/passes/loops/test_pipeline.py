"""tritongpu-pipeline keeps a buffer while a wgmma of the previous iteration may read it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.interpreter import run
from weft.passes.loops.pipeline import async_loads

TILE = 64


@weft.jit
def product_and_sums(a, b, out, sums, n, B: tl.constexpr, USE_AT_ONCE: tl.constexpr):
    """Multiply B rows of a with b, and sum the rows of b, each of which is loaded once."""
    rows, columns, depth = tl.arange(0, B), tl.arange(0, B), tl.arange(0, B)
    product = tl.zeros((B, B), tl.float32)
    total = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        left = tl.load(a + rows[:, None] * n + k + depth[None, :])
        right = tl.load(b + (k + depth[:, None]) * B + columns[None, :])
        if USE_AT_ONCE:
            product += tl.abs(tl.dot(left, right))
        else:
            product = tl.dot(left, right, product)
        total += tl.sum(right.to(tl.float32), 0)
    tl.store(out + rows[:, None] * B + columns[None, :], product)
    tl.store(sums + columns, total)


def compiled(num_stages: int, *, use_at_once: bool = False):
    return weft.compile(
        product_and_sums,
        signature=f"*fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16, {TILE}, {use_at_once}",
        target="cuda:90",
        num_stages=num_stages,
        stop_after="ttgir",
    ).module("ttgir")


def results(module, n: int):
    random = np.random.default_rng(0)
    a = random.standard_normal((TILE, n)).astype(np.float16)
    b = random.standard_normal((n, TILE)).astype(np.float16)
    out, sums = np.zeros((TILE, TILE), np.float32), np.zeros(TILE, np.float32)
    run(module, "product_and_sums", (1,), [a, b, out, sums, n])
    a, b = a.astype(np.float32), b.astype(np.float32)
    return (out, a @ b), (sums, b.sum(0))


@pytest.mark.parametrize("num_stages", range(1, 6))
@pytest.mark.parametrize("iterations", [0, 1, 2, 7])
def test_a_tile_for_an_mma_and_for_registers(num_stages, iterations):
    for actual, expected in results(compiled(num_stages), iterations * TILE):
        np.testing.assert_allclose(actual, expected, atol=2e-2, rtol=1e-2)


@pytest.mark.parametrize("num_stages", [2, 3])
def test_without_the_extra_buffer_a_copy_overwrites_what_an_mma_reads(num_stages, monkeypatch):
    monkeypatch.setattr(async_loads, "_may_be_pending", lambda *_: False)
    actual, expected = results(compiled(num_stages), 7 * TILE)[0]
    assert not np.allclose(actual, expected, atol=2e-2, rtol=1e-2)


@pytest.mark.parametrize(("use_at_once", "buffers"), [(False, 3), (True, 2)])
def test_only_an_mma_that_stays_pending_needs_the_extra_buffer(use_at_once, buffers):
    text = str(compiled(3, use_at_once=use_at_once))
    allocations = [line for line in text.splitlines() if "local_alloc : ()" in line]
    assert any(f"memdesc<{buffers}x{TILE}x{TILE}xf16" in line for line in allocations)
