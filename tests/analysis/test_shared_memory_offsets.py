"""Offsets of a module's buffers."""

from __future__ import annotations

from weft.analysis.allocation import ByteRange
from weft.analysis.scratch_memory import ScratchRequest
from weft.analysis.shared_memory_offsets import shared_memory_offsets
from weft.ir import tt, ttg
from weft.ir.text import parse_module

TEXT = """
#swizzled = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
#padded = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [8, 32]}>
#spread = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0,
                                  partitionLayout = #padded}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
                   "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<8x32xf16, #swizzled, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<8x32xf16, #nvmma, #smem, mutable>
    %c = ttg.local_alloc : () -> !ttg.memdesc<8x32xf16, #padded, #smem, mutable>
    %d = ttg.local_alloc {alignment = 2048 : i32}
      : () -> !ttg.memdesc<4x32xf16, #swizzled, #smem, mutable>
    tt.call @callee() : () -> ()
    ttg.local_dealloc %a : !ttg.memdesc<8x32xf16, #swizzled, #smem, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<8x32xf16, #nvmma, #smem, mutable>
    ttg.local_dealloc %c : !ttg.memdesc<8x32xf16, #padded, #smem, mutable>
    ttg.local_dealloc %d : !ttg.memdesc<4x32xf16, #swizzled, #smem, mutable>
    tt.return
  }
  tt.func private @callee() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<16x32xf16, #spread, #smem, mutable>
    tt.return
  }
}
"""


def test_sizes_and_alignments():
    offsets = shared_memory_offsets(parse_module(TEXT))
    kernel, callee = offsets.functions.values()
    ranges = list(kernel.buffers.values())
    # The padding after the last element of %c is left out.
    assert [range_.size for (range_,) in ranges] == [512, 512, 512 + 3 * 4 * 2, 256]
    assert ranges[1][0].start % 512 == 0
    assert ranges[3][0].start % 2048 == 0
    # 512 elements with 7 paddings of 4, in two parts.
    assert [range_.size for range_ in next(iter(callee.buffers.values()))] == [540, 540]
    assert [type(op) for op in kernel.scratch] == [tt.CallOp]
    assert next(iter(kernel.scratch.values())).size == callee.size == 1084
    assert offsets.size == kernel.size


def test_partitions():
    offsets = shared_memory_offsets(parse_module(TEXT), partition_bytes=65536)
    (parts,) = list(offsets.functions.values())[1].buffers.values()
    assert parts == (ByteRange(0, 540), ByteRange(65536, 540))


def test_scratch_memory_of_the_caller_s_choice():
    def request_of(op):
        return ScratchRequest(32 if isinstance(op, ttg.LocalDeallocOp) else 0)

    offsets = shared_memory_offsets(parse_module(TEXT), request_of)
    kernel, _ = offsets.functions.values()
    assert [type(op) for op in kernel.scratch] == [*[ttg.LocalDeallocOp] * 4, tt.CallOp]


def test_bytes_of_a_value():
    offsets = shared_memory_offsets(parse_module(TEXT))
    kernel, _ = offsets.functions.values()
    value = next(iter(kernel.buffers))
    assert kernel.bytes_of(value) == kernel.buffers[value]
