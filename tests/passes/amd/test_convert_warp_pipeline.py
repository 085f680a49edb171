# ruff: noqa: E501
"""Warp-pipelined loops run without races, and code generation synchronizes their clusters."""

from __future__ import annotations

import numpy as np
import pytest

from weft.compiler.machine_code import lower_ttgir
from weft.compiler.options import CompileOptions
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline
from weft.simulator import run_module

STEPS = 5
WIDE = "threadsPerWarp = [32], warpsPerCTA = [16]"
BORDER = 'rocdl.sched.barrier 0 {triton.warp_pipeline.border = "NAME"}'
LOOP = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [8], order = [0]}>
#reversed = #ttg.linear<{register = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @shuffled(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %at = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #blocked>
    %from = tt.addptr %ps, %at : tensor<512x!tt.ptr<i32>, #blocked>, tensor<512xi32, #blocked>
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xi32, #shared, #smem, mutable>
    %zero = arith.constant dense<0> : tensor<512xi32, #reversed>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<512xi32, #reversed>)  : i32 {
      %x = tt.load %from : tensor<512x!tt.ptr<i32>, #blocked>
      %is = tt.splat %i : i32 -> tensor<512xi32, #blocked>
      %y = arith.addi %x, %is : tensor<512xi32, #blocked>
      BORDER_A
      ttg.local_store %y, %b : tensor<512xi32, #blocked> -> !ttg.memdesc<512xi32, #shared, #smem, mutable>
      BORDER_B
      BORDER_C
      %z = ttg.local_load %b : !ttg.memdesc<512xi32, #shared, #smem, mutable> -> tensor<512xi32, #reversed>
      %total = arith.addi %acc, %z : tensor<512xi32, #reversed>
      BORDER_D
      scf.yield %total : tensor<512xi32, #reversed>
    }
    %back = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #reversed>
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #reversed>
    %to = tt.addptr %qs, %back : tensor<512x!tt.ptr<i32>, #reversed>, tensor<512xi32, #reversed>
    tt.store %to, %sum : tensor<512x!tt.ptr<i32>, #reversed>
    tt.return
  }
}
"""


@pytest.mark.parametrize(("chip", "lanes"), [("gfx942", 64), ("gfx950", 64), ("gfx1250", 32)])
def test_clusters_are_synchronized(chip, lanes):
    text = LOOP.replace("gfx950", chip)
    if lanes == 32:
        text = text.replace("threadsPerWarp = [64], warpsPerCTA = [8]", WIDE)
        text = text.replace("[[8], [16],", "[[16],").replace("[4]], block", "[4], [8]], block")
        text = text.replace('num-warps" = 8', 'num-warps" = 16').replace(
            "= 64 : i32}", "= 32 : i32}"
        )
    for name in "ABCD":
        text = text.replace(f"BORDER_{name}", BORDER.replace("NAME", name))
    module = parse_module(text)
    run_pipeline(parse_pipeline("tritonamdgpu-warp-pipeline"), module, verify=True)
    before = print_module(module)
    assert before.count("triton.warp_pipeline.stage") == 4
    llvm = lower_ttgir(module, CompileOptions(num_warps=512 // lanes))
    assert print_module(module) == before
    assert llvm.text.count("llvm.amdgcn.sched.barrier") > 8
    x, y = np.arange(512, dtype=np.int32), np.zeros(512, np.int32)
    run_module(llvm, grid=(1,), arguments=[x, y, STEPS])
    np.testing.assert_array_equal(y, STEPS * x + sum(range(STEPS)))
