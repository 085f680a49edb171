"""`scf.execute_region`: results, shared memory and barriers inside its blocks."""

from __future__ import annotations

import numpy as np
import pytest

from weft.codegen import lower
from weft.ir.text import parse_module
from weft.simulator import run

KERNEL = """
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "CHIP", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l>
    %b = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
    %a = tt.addptr %b, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
    %x = tt.load %a : tensor<128x!tt.ptr<i32>, #l>
    %c7 = arith.constant 7 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %y, %t = scf.execute_region -> (tensor<128xi32, #l>, i32) {
      %large = arith.cmpi sgt, %n, %c7 : i32
      cf.cond_br %large, ^bb1, ^bb2(%n : i32)
    ^bb1:
      ttg.local_store %x, %m : tensor<128xi32, #l> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
      %z = ttg.local_load %m : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #l>
      scf.yield %z, %c7 : tensor<128xi32, #l>, i32
    ^bb2(%o: i32):
      %u = arith.addi %o, %c7 : i32
      scf.yield %r, %u : tensor<128xi32, #l>, i32
    }
    ttg.local_store %y, %m : tensor<128xi32, #l> -> !ttg.memdesc<128xi32, #s, #smem, mutable>
    %w = ttg.local_load %m : !ttg.memdesc<128xi32, #s, #smem, mutable> -> tensor<128xi32, #l>
    %v = tt.splat %t : i32 -> tensor<128xi32, #l>
    %d = arith.muli %w, %v : tensor<128xi32, #l>
    %e = tt.splat %q : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #l>
    %f = tt.addptr %e, %r : tensor<128x!tt.ptr<i32>, #l>, tensor<128xi32, #l>
    tt.store %f, %d : tensor<128x!tt.ptr<i32>, #l>
    tt.return
  }
}
"""


@pytest.mark.parametrize("chip", ["cuda:80", "hip:gfx1100"])
@pytest.mark.parametrize("n", [3, 9])
def test_yielded_values(chip, n):
    llvm = lower(parse_module(KERNEL.replace("CHIP", chip)))
    x, actual = np.arange(128, dtype=np.int32) * 5, np.zeros(128, np.int32)
    run(
        llvm.text, grid=(1,), arguments=[x, actual, n], warp_size=32, shared_bytes=llvm.shared_bytes
    )
    expected = x * 7 if n > 7 else np.arange(128) * (n + 7)
    np.testing.assert_array_equal(actual, expected)
