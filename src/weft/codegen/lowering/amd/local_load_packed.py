"""Transposing loads of packed fp4: packed along rows in LDS, along k in registers.

    amdg.local_load_packed_tranposed %b : memdesc<64x128xi8> -> tensor<128x64xi8>

A byte in memory holds elements (2 m, k) and (2 m + 1, k), a byte of the result (m, 2 k) and (m, 2 k
+ 1). Both are treated as tensors of 4-bit elements, 128x128, whose lowest offset or register bit
selects a half of a byte:

    memory     offset bit 0 → row 1     the others → as the bytes', rows doubled
    result     register bit 0 → k 1     the others → as the bytes', k doubled

An instruction that transposes 4-bit elements then loads whole bytes of the result.
"""

from __future__ import annotations

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import from_integer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.shared_memory_access import SharedMemoryAccess
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg
from weft.layouts.plans.shared_access import SharedAccess
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.packed_load import plan_packed_load


class _Halves(SharedMemoryAccess):
    """Byte addresses of an access that is planned in 4-bit elements."""

    def __init__(self, ctx: LoweringContext, access: SharedAccess, base: str, moved: str) -> None:
        super().__init__(ctx, access, 8, base=base, moved=moved)
        lanes, warps = (
            [image // 2 for image in each]
            for each in (access.lane_offsets(), access.warp_offsets())
        )
        self.first, self.mask = ctx.threads.offset(lanes, warps)
        self.constants = [offset // 2 ^ int(moved) for offset in access.instruction_offsets()]


@lowers(amdg.LocalLoadPackedTransposedOp)
def _load(ctx: LoweringContext, op: amdg.LocalLoadPackedTransposedOp) -> None:
    view, result = memdesc_of(op.src), op.result.type
    address, moved = ctx.view(op.src)
    access = plan_packed_load(op, ctx.hardware.target)
    if not moved.isdigit():
        raise CodegenError("the offset of a loaded subview must be constant", found=view)
    side = _Halves(ctx, access, address, moved)
    results = [""] * ctx.num_registers(op.result)
    type_ = llvm_type(result)
    for instruction, halves in enumerate(side.numbers[0]):
        loaded = ctx.hardware.memory.load_shared(
            ctx.writer, access.name, 8, side.address(instruction), len(halves) // 2
        )
        for half, value in zip(halves[::2], loaded, strict=True):
            results[half // 2] = from_integer(ctx.writer, type_, 8, value)
    ctx.define(op.result, ctx.replicate(op.result, results))
