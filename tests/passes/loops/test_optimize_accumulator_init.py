"""Accumulators that a loop resets, where Triton's pass changes the values that others read."""

from __future__ import annotations

import re

import pytest

from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

HEAD = """
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100",
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%n: i32, %a: A, %b: B, %init: T, %p: tensor<128x64x!tt.ptr<f32>, #linear>)
      -> T {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %zero = arith.constant dense<0.0> : T
"""
TYPES = {
    "A": "!ttg.memdesc<128x64xf16, #shared, #ttg.shared_memory>",
    "B": "!ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>",
    "D": "!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>",
    "T": "tensor<128x64xf32, #linear>",
}
MMA = """
      %m, %t = ttng.tmem_alloc %acc : (T) -> (D, !ttg.async.token)
      %u = ttng.tc_gen5_mma %a, %b, %m[%t], %true, %true : A, B, D
      %d, %v = ttng.tmem_load %m[%u] : D -> T
"""
END = """
    }
    tt.return %r : T
  }
}
"""


def optimized(body: str, argument: str = "%acc") -> list[str]:
    """Run the pass on a loop with an iter_arg that starts as %init; return its IR's lines."""
    loop = f"%r = scf.for %i = %c0 to %n step %c1 iter_args({argument} = %init) -> (T) : i32 {{"
    text = HEAD + loop + body + END
    text = re.sub(r"(?<![\w%])([ABDT])(?!\w)", lambda match: TYPES[match[1]], text)
    module = parse_module(text)
    run_pipeline(parse_pipeline("tritongpu-optimize-accumulator-init"), module, verify=True)
    return [line.strip() for line in print_module(module).splitlines()]


def test_result_of_the_loop_is_reset_after_the_last_iteration():
    lines = optimized(
        MMA
        + """
      %ends = arith.cmpi eq, %i, %c1 : i32
      %next = arith.select %ends, %zero, %d : T
      scf.yield %next : T"""
    )
    returned = next(line for line in lines if line.startswith("tt.return")).split()[1]
    select = next(line for line in lines if line.startswith(f"{returned} = "))
    assert select.startswith(f"{returned} = arith.select %0#1, %0#0, %cst")


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        # The select's result is stored, too.
        (
            """
      %ends = arith.cmpi eq, %i, %c1 : i32
      %acc = arith.select %ends, %zero, %last : T
      tt.store %p, %acc : tensor<128x64x!tt.ptr<f32>, #linear>"""
            + MMA
            + "      scf.yield %d : T",
            "%last",
        ),
        # The next iteration stores it.
        (
            "      tt.store %p, %acc : tensor<128x64x!tt.ptr<f32>, #linear>"
            + MMA
            + """
      %ends = arith.cmpi eq, %i, %c1 : i32
      %next = arith.select %ends, %zero, %d : T
      scf.yield %next : T""",
            "%acc",
        ),
        # It is stored after the reset.
        (
            MMA
            + """
      %ends = arith.cmpi eq, %i, %c1 : i32
      %next = arith.select %ends, %zero, %d : T
      tt.store %p, %next : tensor<128x64x!tt.ptr<f32>, #linear>
      scf.yield %next : T""",
            "%acc",
        ),
    ],
    ids=["before", "next_iteration", "after"],
)
def test_accumulator_that_others_read_keeps_its_resets(body: str, argument: str):
    lines = optimized("\n" + body, argument)
    assert any("arith.select" in line and "%cst" in line for line in lines)
    (mma,) = [line for line in lines if "tc_gen5_mma" in line]
    assert "%true, %true" in mma
