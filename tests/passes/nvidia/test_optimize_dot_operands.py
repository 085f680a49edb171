"""The ledger of dot operands, and scales that tcgen05.cp copies to tensor memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.decisions import collecting
from weft.ir.text import parse_module, print_module
from weft.passes import parse_pipeline, run_pipeline

PIPELINE = "tritongpu-optimize-dot-operands{hoist-layout-conversion=true}"
TEXT = Path(__file__).with_name("optimize_dot_operands.mlir").read_text()


def test_reasons():
    module = parse_module(TEXT)
    with collecting() as decisions:
        run_pipeline(parse_pipeline(PIPELINE), module)
    reasons = {(decision.op, decision.reason) for decision in decisions}
    reason = "a transposed operand is loaded from a transposed view"
    assert {("ttg.local_alloc", reason), ("ttg.local_load", reason)} <= reasons
    assert ("ttg.local_alloc", "reshaped as a view of the buffer") in reasons


# The buffer holds each 128 x 4 scales as 512 contiguous bytes, in the order (32, 4, 4).
SCALES = """
#flat = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1],
  order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1],
  order = [1, 0]}>
#cube = #ttg.linear<{register = [[0, 0, 0, 0, 1], [0, 0, 0, 0, 2], [0, 0, 0, 1, 0],
  [0, 0, 0, 2, 0]], lane = [[0, 0, 1, 0, 0], [0, 0, 2, 0, 0], [0, 0, 4, 0, 0], [0, 0, 8, 0, 0],
  [0, 0, 16, 0, 0]], warp = [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], block = []}>
#turned = #ttg.linear<{register = [[0, 0, 0, 0, 1], [0, 0, 0, 0, 2], [0, 1, 0, 0, 0],
  [0, 2, 0, 0, 0]], lane = [[0, 0, 1, 0, 0], [0, 0, 2, 0, 0], [0, 0, 4, 0, 0], [0, 0, 8, 0, 0],
  [0, 0, 16, 0, 0]], warp = [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]], block = []}>
#lanes = #ttg.linear<{register = [[0, 1], [0, 2], [32, 0], [64, 0]], lane = [[1, 0], [2, 0],
  [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [32, 0], [64, 0]], lane = [[1, 0], [2, 0],
  [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], block = []}>
#operand = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [ORDER]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100",
  "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%a: !ttg.memdesc<128x128xf8E5M2, #operand, #smem>,
    %b: !ttg.memdesc<128x128xf8E5M2, #operand, #smem>,
    %d: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>,
    %t: !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>,
    %buffer: !ttg.memdesc<SHAPExi8, #plain, #smem, mutable>, %u: i1, %p: i1) {
  %0 = ttg.local_load %buffer : !ttg.memdesc<SHAPExi8, #plain, #smem, mutable>
    -> tensor<SHAPExi8, #flat>
  %1 = tt.reshape %0 : tensor<SHAPExi8, #flat> -> tensor<1x1x32x4x4xi8, #cube>
  %2 = tt.trans %1 {order = array<i32: 0, 3, 2, 1, 4>} : tensor<1x1x32x4x4xi8, #cube>
    -> tensor<1x4x32x1x4xi8, #turned>
  %3 = tt.reshape %2 : tensor<1x4x32x1x4xi8, #turned> -> tensor<128x4xi8, #lanes>
  %s = ttng.tmem_alloc %3 : (tensor<128x4xi8, #lanes>)
    -> !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>
  ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %t, %u, %p lhs = e5m2 rhs = e5m2
    : !ttg.memdesc<128x128xf8E5M2, #operand, #smem>, !ttg.memdesc<128x128xf8E5M2, #operand, #smem>,
      !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>,
      !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>,
      !ttg.memdesc<128x4xi8, #scales, #ttng.tensor_memory>
  tt.return
}
}
"""


@pytest.mark.parametrize(
    ("shape", "order", "is_copied"),
    [("1x512", "1, 0", True), ("32x16", "1, 0", False), ("1x512", "0, 1", True),
     ("32x16", "0, 1", False)],
)  # fmt: skip
def test_scales_are_copied_from_rows_of_whole_chunks(shape, order, is_copied):
    module = parse_module(SCALES.replace("SHAPE", shape).replace("ORDER", order))
    with collecting() as decisions:
        run_pipeline(parse_pipeline(PIPELINE), module)
    assert ("ttng.tmem_alloc" in print_module(module)) != is_copied
    reasons = [decision.reason for decision in decisions if "tcgen05.cp" in decision.reason]
    assert len(reasons) == is_copied
