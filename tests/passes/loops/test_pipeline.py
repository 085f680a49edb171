"""tritongpu-pipeline keeps a buffer while a wgmma of the previous iteration may read it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.decisions import collecting
from weft.interpreter import run
from weft.ir.text import parse_module
from weft.passes.loops.pipeline import Pipeline, async_loads

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


SAME_STAGE = """
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @sum(%n: i32, %q: tensor<512x!tt.ptr<f32>, #blocked>, %zero: tensor<512xf32, #blocked>) -> tensor<512xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<512xf32, #blocked>) : i32 {
      %x = tt.load %q {loop.cluster = 0 : i32, loop.stage = 1 : i32} : tensor<512x!tt.ptr<f32>, #blocked>
      %y = arith.addf %acc, %x {loop.cluster = 0 : i32, loop.stage = 1 : i32} : tensor<512xf32, #blocked>
      scf.yield %y : tensor<512xf32, #blocked>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %result : tensor<512xf32, #blocked>
  }
}
"""  # noqa: E501


def test_a_load_in_the_stage_of_its_use_says_why():
    module = parse_module(SAME_STAGE, "k.ttgir")
    with collecting() as decisions:
        Pipeline().run(module)
    (decision,) = [one for one in decisions if one.op == "tt.load" and one.choice != "scheduled"]
    assert decision.choice == "not pipelined"
    assert ("limit", "same-stage") in decision.facts
    assert "which puts its first use in its own stage" in decision.reason
