"""TTIR passes preserve values: the interpreter runs kernels before and after, on random inputs."""

from __future__ import annotations

import pytest

from weft.testing import check_pass

PIPELINE = (
    "inline,triton-rewrite-tensor-pointer,canonicalize,triton-combine,triton-reorder-broadcast,"
    "cse,triton-licm,symbol-dce,triton-loop-unroll,canonicalize"
)

POINTERS = """
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %base, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
"""

BODIES = {
    "loop": """
  %r:2 = scf.for %i = %c0 to %n step %c3 iter_args(%a = %v, %b = %v)
      -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %w = tt.load %p : tensor<64x!tt.ptr<f32>>
    %f = arith.sitofp %i : i32 to f32
    %s = tt.splat %f : f32 -> tensor<64xf32>
    %1 = arith.addf %a, %s : tensor<64xf32>
    %2 = arith.addf %1, %w : tensor<64xf32>
    scf.yield %2, %b : tensor<64xf32>, tensor<64xf32>
  } {tt.loop_unroll_factor = 2 : i32}
  %o = arith.subf %r#0, %r#1 : tensor<64xf32>
  tt.store %p, %o : tensor<64x!tt.ptr<f32>>
  tt.return
""",
    "calls": """
  %w = tt.call @early(%v, %n) : (tensor<64xf32>, i32) -> tensor<64xf32>
  %u = tt.call @early(%w, %c3) : (tensor<64xf32>, i32) -> tensor<64xf32>
  tt.store %p, %u : tensor<64x!tt.ptr<f32>>
  tt.return
""",
    "branches": """
  %small = arith.cmpi slt, %n, %c3 : i32
  %true = arith.constant true
  %large = arith.xori %small, %true : i1
  %w = scf.if %large -> (tensor<64xf32>) {
    %1 = arith.addf %v, %v : tensor<64xf32>
    scf.yield %1 : tensor<64xf32>
  } else {
    scf.yield %v : tensor<64xf32>
  }
  scf.if %small {
    tt.store %p, %w : tensor<64x!tt.ptr<f32>>
  }
  scf.if %large {
    %2 = arith.mulf %w, %v : tensor<64xf32>
    tt.store %p, %2 : tensor<64x!tt.ptr<f32>>
  }
  tt.return
""",
    "while": """
  %r:3 = scf.while (%i = %c0, %m = %n, %a = %v)
      : (i32, i32, tensor<64xf32>) -> (tensor<64xf32>, i32, i32) {
    %1 = arith.cmpi slt, %i, %m : i32
    scf.condition(%1) %a, %i, %m : tensor<64xf32>, i32, i32
  } do {
  ^bb0(%a: tensor<64xf32>, %i: i32, %m: i32):
    %2 = arith.addf %a, %v : tensor<64xf32>
    %3 = arith.addi %i, %c3 : i32
    scf.yield %3, %m, %2 : i32, i32, tensor<64xf32>
  }
  %f = arith.sitofp %r#1 : i32 to f32
  %s = tt.splat %f : f32 -> tensor<64xf32>
  %o = arith.addf %r#0, %s : tensor<64xf32>
  tt.store %p, %o : tensor<64x!tt.ptr<f32>>
  tt.return
""",
    "block_pointer": """
  %size = arith.extsi %n : i32 to i64
  %one = arith.constant 1 : i64
  %q = tt.make_tensor_ptr %x, [%size], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %w = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  %o = arith.addf %v, %w : tensor<64xf32>
  tt.store %q, %o {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
""",
}

EARLY = """
tt.func private @early(%t: tensor<64xf32>, %k: i32) -> tensor<64xf32> {
  %c5 = arith.constant 5 : i32
  %0 = arith.cmpi slt, %k, %c5 : i32
  cf.cond_br %0, ^bb1, ^bb2
^bb1:
  %1 = arith.addf %t, %t : tensor<64xf32>
  tt.return %1 : tensor<64xf32>
^bb2:
  tt.return %t : tensor<64xf32>
}
"""


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_the_pipeline_preserves_values(name, n):
    text = f"tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {{{POINTERS}{BODIES[name]}}}"
    text += EARLY if name == "calls" else ""
    check_pass(text, PIPELINE, grid=(1,), scalars={1: n}, seeds=range(2))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("pass_", PIPELINE.split(","))
def test_each_pass_preserves_values(name, pass_):
    text = f"tt.func public @k(%x: !tt.ptr<f32>, %n: i32) {{{POINTERS}{BODIES[name]}}}"
    text += EARLY if name == "calls" else ""
    check_pass(text, pass_, grid=(1,), scalars={1: 7}, seeds=range(1))
