"""The scratch memory of operations: sizes that Triton 3.7.1 allocates."""

from __future__ import annotations

import pytest

from weft.analysis.scratch_memory import ScratchRequest, scratch_request
from weft.ir import tt, ttg
from weft.ir.rewriting import walk
from weft.ir.text import parse_module

HEAD = """
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2],
                      order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#other = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!buffer = !ttg.memdesc<64x64xf32, #shared, #ttg.shared_memory>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(
    %x: tensor<64x64xf32, #rows>, %v: tensor<1024xi32, #line>, %p: !tt.ptr<i64>, %n: i64,
    %i: tensor<64x64xi32, #rows>, %q: tensor<16x!tt.ptr<i32>, #line>, %w: tensor<16xi32, #line>,
    %m: !buffer
  ) {
"""
REDUCE = """%r = "tt.reduce"(%x) <{{axis = {} : i32}}> ({{
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }}) : (tensor<64x64xf32, #rows>) -> tensor<64xf32, #ttg.slice<{{dim = {}, parent = #rows}}>>"""
SCAN = """%r = "tt.scan"({}) <{{axis = {} : i32, reverse = false}}> ({{
  ^bb0(%a: {}, %b: {}):
    tt.scan.return %a : {}
  }}) : ({}) -> {}"""


def scan(value: str, axis: int, element: str, type_: str) -> str:
    return SCAN.format(value, axis, element, element, element, type_, type_)


def request_of(statement: str) -> ScratchRequest:
    """Compute what the first operation of a statement needs."""
    module = parse_module(f"{HEAD}{statement}\n tt.return\n }}\n }}")
    function = next(op for op in walk(module) if isinstance(op, tt.FuncOp))
    assert function.entry.first_op is not None
    return scratch_request(function.entry.first_op)


@pytest.mark.parametrize(
    ("statement", "size"),
    [
        (REDUCE.format(0, 0), 2 * 64 * 4),
        (REDUCE.format(1, 1), 64 * 2 * 4),
        (scan("%v", 0, "i32", "tensor<1024xi32, #line>"), 8 * 4 * 4),
        (scan("%x", 1, "f32", "tensor<64x64xf32, #rows>"), 512),
        ("%r = tt.histogram %v : tensor<1024xi32, #line> -> tensor<8xi32, #line>", 32 * 4),
        ("%r = tt.histogram %v : tensor<1024xi32, #line> -> tensor<64xi32, #line>", 64 * 4),
        (
            "%r = tt.gather %x[%i] {axis = 0 : i32} : "
            "(tensor<64x64xf32, #rows>, tensor<64x64xi32, #rows>) -> tensor<64x64xf32, #rows>",
            64 * 64 * 4,
        ),
        (
            "%r = ttg.convert_layout %v : tensor<1024xi32, #line> -> tensor<1024xi32, #other>",
            4096,
        ),
        (
            "%r = ttg.convert_layout %v : tensor<1024xi32, #line> -> tensor<1024xi32, #line>",
            0,
        ),
        # The result has no use.
        ("%r = tt.atomic_cas acq_rel, gpu, %p, %n, %n : (!tt.ptr<i64>, i64, i64) -> i64", 0),
        (
            "%r = tt.atomic_cas acq_rel, gpu, %p, %n, %n : (!tt.ptr<i64>, i64, i64) -> i64\n"
            "%s = arith.addi %r, %r : i64",
            8,
        ),
        # Lanes 16 to 31 and warps 1 to 3 hold what others hold.
        (
            "%r = tt.atomic_rmw add, acq_rel, gpu, %q, %w : "
            "(tensor<16x!tt.ptr<i32>, #line>, tensor<16xi32, #line>) -> tensor<16xi32, #line>\n"
            "%s = arith.addi %r, %r : tensor<16xi32, #line>",
            64,
        ),
        ("%r = arith.addi %v, %v : tensor<1024xi32, #line>", 0),
    ],
)
def test_sizes(statement, size):
    assert request_of(statement).size == size


def test_captures_of_partitions():
    request = request_of(
        """ttg.warp_specialize(%n, %p, %m)
    default {
      ttg.warp_yield
    }
    partition0(%a: i64, %b: !tt.ptr<i64>, %c: !buffer) num_warps(2) {
      ttg.warp_return
    } : (i64, !tt.ptr<i64>, !buffer) -> ()"""
    )
    assert request == ScratchRequest(8 + 8 + 16, 8)


def test_a_function_needs_a_byte_per_warp_of_its_partitions():
    module = parse_module(
        f"""{HEAD}
    ttg.warp_specialize()
    default {{
      ttg.warp_yield
    }}
    partition0() num_warps(2) {{
      ttg.warp_return
    }}
    partition1() num_warps(4) {{
      ttg.warp_return
    }} : () -> ()
    tt.return
  }}
}}"""
    )
    function = next(op for op in walk(module) if isinstance(op, tt.FuncOp))
    assert scratch_request(function) == ScratchRequest(6, 4)
    assert any(isinstance(op, ttg.WarpSpecializeOp) for op in walk(function))
