"""Asynchronous copies from LDS to global memory: gfx1250.

    amdg.async_copy_local_to_global %b, %p mask %m    →    global_store_async_from_lds_b128

Each lane copies vectors that are contiguous on both sides, of 1, 4, 8 or 16 bytes; a mask is a
branch. They share a counter with copies to LDS, but complete out of order with those, so a wait in
a kernel with such stores waits for all (`async_copy`). Cache modifiers and eviction policies have
no effect, as with Triton 3.7.1, whose LLVM IR is the source.
"""

from __future__ import annotations

from weft.codegen.llvm.types import storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.common.shared_memory_access import SharedMemoryAccess
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg
from weft.layouts import PaddedSharedEncoding
from weft.layouts.column_action import remove_broadcast
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.shared_access import plan_copy_to_global
from weft.targets.wait_counters import wait_counters

_BYTES = (1, 4, 8, 16)  # that one lane copies


@lowers(amdg.AsyncCopyLocalToGlobalOp)
def _store(ctx: LoweringContext, op: amdg.AsyncCopyLocalToGlobalOp) -> None:
    target, view = ctx.hardware.target, memdesc_of(op.src)
    if "copy" not in {row.kind for row in wait_counters(str(target.arch))}:
        raise CodegenError(f"{target} has no copies from shared to global memory")
    access = plan_copy_to_global(op, ctx.axis_info, target)
    size = storage_bytes(view.element_type)
    bytes_ = access.tile.bits // 8
    if bytes_ not in _BYTES:
        raise CodegenError(
            "no instruction copies this many bytes from shared to global memory",
            found=f"{bytes_} bytes",
            accepted=[f"{each} bytes" for each in _BYTES],
            hint="pointers that are divisible by 16 make wider ones (tl.multiple_of)",
        )
    address, offset = ctx.view(op.src)
    gaps = view.encoding if isinstance(view.encoding, PaddedSharedEncoding) else None
    side = SharedMemoryAccess(ctx, access, 8 * size, base=address, moved=offset, gaps=gaps)
    registers_to_copy = remove_broadcast(layout_of(op.dst.type)).apply_values(
        range(ctx.num_registers(op.dst))
    )
    owner = ctx.owner_predicate(op.dst.type)
    for instruction, registers in enumerate(side.numbers[0]):
        first = registers_to_copy[registers[0]]
        predicate = owner if op.mask is None else ctx[op.mask][first]
        if op.mask is not None and owner:
            predicate = ctx.writer.value(f"and i1 {predicate}, {owner}")
        _copy(ctx, ctx[op.dst][first], side.address(instruction), bytes_, predicate)
    ctx.define(op.token, [])


def _copy(ctx: LoweringContext, target: str, source: str, bytes_: int, predicate: str) -> None:
    """Write one instruction where the predicate, an i1, is true; "" for all lanes."""
    w = ctx.writer
    with w.where(predicate, "leave"):
        w.call(
            "void",
            f"llvm.amdgcn.global.store.async.from.lds.b{8 * bytes_}",
            ("ptr addrspace(1)", target),
            ("ptr addrspace(3)", source),
            ("i32", "0"),
            ("i32", "0"),
        )
