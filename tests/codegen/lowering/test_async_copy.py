"""`ttg.async_copy_global_to_local`: one copy per element, and proxy fences before wgmma."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.codegen.wgmma_sums import sums
from weft.analysis.hazards.async_proxy import AsyncProxyCopies
from weft.codegen import lower
from weft.errors import CodegenError
from weft.ir.text import parse_module
from weft.simulator import run as simulate

MATMUL = Path(__file__).parents[3] / "benchmarks" / "ttgir" / "matmul.ttgir"
SIZE = 64


def text(lanes: int, mask: str = "") -> str:
    """Return a kernel that copies 64 numbers by way of shared memory.

    Args:
        lanes: The lanes of each of four warps that hold distinct pointers.
        mask: The mask of the copy, as text.
    """
    kind = f"tensor<{SIZE}x{{}}, #b>"
    pointers, numbers, data = (kind.format(one) for one in ("!tt.ptr<f32>", "i32", "f32"))
    vector = SIZE // lanes
    return f"""
#b = #ttg.linear<{{register = {[[1 << n] for n in range(vector.bit_length() - 1)]}, lane = {[[vector << n] if 1 << n < lanes else [0] for n in range(5)]}, warp = [[0], [0]], block = []}}>
#s = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @k(%x: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %y: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}) {{
  %r = tt.make_range {{start = 0 : i32, end = {SIZE} : i32}} : {numbers}
  %end = arith.constant dense<40> : {numbers}
  %m = arith.cmpi slt, %r, %end : {numbers}
  %xs = tt.splat %x : !tt.ptr<f32> -> {pointers}
  %p = tt.addptr %xs, %r : {pointers}, {numbers}
  %ys = tt.splat %y : !tt.ptr<f32> -> {pointers}
  %q = tt.addptr %ys, %r : {pointers}, {numbers}
  %v = ttg.local_alloc : () -> !ttg.memdesc<{SIZE}xf32, #s, #smem, mutable>
  %t = ttg.async_copy_global_to_local %p, %v {mask} : {pointers} -> <{SIZE}xf32, #s, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %w = ttg.async_wait %g {{num = 0 : i32}}
  %d = ttg.local_load %v token %w : !ttg.memdesc<{SIZE}xf32, #s, #smem, mutable> -> {data}
  tt.store %q, %d : {pointers}
  tt.return
}}
}}
"""  # noqa: E501


@pytest.mark.parametrize("mask", ["", "mask %m"])
@pytest.mark.parametrize("lanes", [4, 16, 32])
def test_replicated_elements_are_copied_once(lanes, mask):
    llvm = lower(parse_module(text(lanes, mask)))
    copies = re.findall(r'"(@\$[23] )?cp\.async\.c[ag]\.', llvm.text)
    assert copies
    assert all(copies)
    x, y = np.arange(1, SIZE + 1, dtype=np.float32), np.zeros(SIZE, np.float32)
    simulate(llvm.text, grid=(1,), arguments=[x, y], warp_size=32, shared_bytes=llvm.shared_bytes)
    assert (y == np.where((np.arange(SIZE) < 40) | (not mask), x, 0)).all()


def multiplied(after: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Run wgmma on what was copied; return what it found and what it should.

    Args:
        after: An operation after the wait for copies.
    """
    wait = "%l = ttg.async_wait %g {num = 0 : i32}\n"
    whole = sums(copied=True)
    assert wait in whole
    llvm = lower(parse_module(whole.replace(wait, wait + after)))
    x = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float16)
    y = np.zeros((64, 64), np.float32)
    simulate(
        llvm.text, grid=(1,), arguments=[x, y, 3], warp_size=32, shared_bytes=llvm.shared_bytes
    )
    return y, 6 * (x.astype(np.float32) @ x.astype(np.float32))


@pytest.mark.parametrize("after", ["", "ttg.barrier local\n"], ids=["no barrier", "barrier"])
def test_proxy_fence_before_wgmma(after):
    actual, expected = multiplied(after)
    np.testing.assert_allclose(actual, expected, 1e-3, 1e-3)


def test_missing_fence_is_reported(monkeypatch):
    monkeypatch.setattr(AsyncProxyCopies, "are_complete_after", lambda *_: False)
    with pytest.raises(
        CodegenError,
        match="no proxy fence between a thread's store to shared memory and the matrix instruction",
    ):
        multiplied()


def test_no_fence_after_the_last_wgmma():
    """After the loop of a matmul, the last copies are complete and not read."""
    text = lower(parse_module(MATMUL.read_text())).text
    fence = "fence.proxy.async"
    assert text.count("cp.async.wait_group") == 2
    assert text.count(fence) == 1
    waited, fenced = text.index("cp.async.wait_group \t2"), text.index(fence)
    assert (
        waited < text.index("@llvm.nvvm.barrier", waited) < fenced < text.index("wgmma.mma_async")
    )
