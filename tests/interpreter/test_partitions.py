"""Partitions run concurrently, and a missing signal between them shows."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.matmul_kernels import substitute
from weft.errors import LaunchError
from weft.interpreter import run
from weft.ir.text import parse_module

BARRIER = "!ttg.memdesc<1xi64, #s, #smem, mutable>"
BUFFER = "!ttg.memdesc<128xf32, #s, #smem, mutable>"
# The partition squares what the default region stores, n times, through one buffer.
SQUARES = f"""
#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>
#s = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @squares(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {{
  %full = ttg.local_alloc : () -> {BARRIER}
  %empty = ttg.local_alloc : () -> {BARRIER}
  %m = ttg.local_alloc : () -> {BUFFER}
  ttng.init_barrier %full, 1 : {BARRIER}
  ttng.init_barrier %empty, 1 : {BARRIER}
  %last = ttg.warp_specialize(%full, %empty, %m, %y, %n)
  default {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %r = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32, #b>
    %i = scf.for %i = %c0 to %n step %c1 iter_args(%free = %c1) -> (i32) : i32 {{
      %o = arith.muli %i, %c128 : i32
      %p = tt.addptr %x, %o : !tt.ptr<f32>, i32
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
      %q = tt.addptr %ps, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
      %v = tt.load %q : tensor<128x!tt.ptr<f32>, #b>
      ttng.wait_barrier %empty, %free : {BARRIER}
      ttg.local_store %v, %m : tensor<128xf32, #b> -> {BUFFER}
      ttng.arrive_barrier %full, 1 : {BARRIER}
      %next = arith.xori %free, %c1 : i32
      scf.yield %next : i32
    }}
    ttg.warp_yield %i : i32
  }}
  partition0(%f: {BARRIER}, %e: {BARRIER}, %b: {BUFFER}, %out: !tt.ptr<f32>, %count: i32) num_warps(4) {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %r = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32, #b>
    %i = scf.for %i = %c0 to %count step %c1 iter_args(%phase = %c0) -> (i32) : i32 {{
      ttng.wait_barrier %f, %phase : {BARRIER}
      %v = ttg.local_load %b : {BUFFER} -> tensor<128xf32, #b>
      ttng.arrive_barrier %e, 1 : {BARRIER}
      %w = arith.mulf %v, %v : tensor<128xf32, #b>
      %o = arith.muli %i, %c128 : i32
      %p = tt.addptr %out, %o : !tt.ptr<f32>, i32
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
      %q = tt.addptr %ps, %r : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
      tt.store %q, %w : tensor<128x!tt.ptr<f32>, #b>
      %next = arith.xori %phase, %c1 : i32
      scf.yield %next : i32
    }}
    ttg.warp_return
  }} : ({BARRIER}, {BARRIER}, {BUFFER}, !tt.ptr<f32>, i32) -> i32
  tt.return
}}
}}
"""  # noqa: E501


def squares(text: str, count: int = 5) -> tuple[np.ndarray, np.ndarray]:
    x = np.arange(count * 128, dtype=np.float32)
    y = np.zeros_like(x)
    run(parse_module(text), "squares", (1,), [x, y, count])
    return y, x * x


@pytest.mark.parametrize("count", [0, 1, 5])
def test_partitions_exchange_values(count):
    np.testing.assert_array_equal(*squares(SQUARES, count))


def test_a_buffer_that_is_free_too_early_is_overwritten():
    load = r"( *%v = ttg.local_load .*\n)( *ttng.arrive_barrier %e.*\n)"
    actual, expected = squares(substitute(load, r"\2\1", SQUARES))
    assert not np.array_equal(actual, expected)


def test_a_reader_that_does_not_wait_reads_undefined_elements():
    text = substitute(r" *ttng.wait_barrier %f.*\n", "", SQUARES)
    text = substitute(r" *ttng.(wait|arrive)_barrier %e.*\n", "", text)
    actual, expected = squares(text)
    assert not np.array_equal(actual, expected)


def test_a_deadlock_names_each_wait():
    before = threading.active_count()
    text = substitute(r" *ttng.arrive_barrier %e.*\n", "", SQUARES)
    with pytest.raises(LaunchError, match="deadlock: all partitions") as caught:
        squares(text)
    waits = str(caught.value.found)
    assert "default waits" in waits
    assert "partition0 waits" in waits
    assert waits.count("lacks 1 arrivals and 0 bytes") == 2
    assert threading.active_count() == before


def test_an_error_ends_all_partitions():
    before = threading.active_count()
    text = substitute(r"ttng.arrive_barrier %e, 1", "ttng.arrive_barrier %e, 2", SQUARES)
    with pytest.raises(LaunchError, match="too many arrivals on an mbarrier"):
        squares(text)
    assert threading.active_count() == before


def test_partitions_do_not_nest():
    inner = """ttg.warp_specialize()
    default { ttg.warp_yield }
    partition0() num_warps(4) { ttg.warp_return } : () -> ()
    ttg.warp_return"""
    with pytest.raises(LaunchError, match="a partition cannot have partitions"):
        squares(substitute("ttg.warp_return", inner, SQUARES))
