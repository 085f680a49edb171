"""Buffers in shared memory: allocations, views, stores and loads.

A view is an address and an element offset that is added by xor: a subslice of a swizzled tile
starts at the offset of its first element, and since the layout is linear over GF(2), the offsets of
its other elements are xors with that.

    %a = ttg.local_alloc %x                        address of the allocation, 0
    %b = ttg.memdesc_index %buffers[%i]            address + i · bytes of a buffer, 0
    %c = ttg.memdesc_subslice %a [0, 32]           address, offset ^ offset of (0, 32)
    %d = ttg.memdesc_trans %a                      the same: the type says how to read it
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.buffer_size import buffer_stride_bytes
from weft.analysis.tensor_memory import is_in_tensor_memory
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.llvm.word_packing import as_integer, from_integer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of, representative_parts
from weft.codegen.lowering.common.shared_memory_access import SharedMemoryAccess
from weft.codegen.lowering.common.view_offsets import subslice_offset
from weft.codegen.lowering.nvidia.tcgen05.addresses import lower_memdesc_index
from weft.codegen.lowering.registry import lowers
from weft.ir import ttg
from weft.layouts import PaddedSharedEncoding
from weft.layouts.column_action import remove_broadcast
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.shared_access import plan_local_access


@lowers(ttg.LocalAllocOp)
def _allocate(ctx: LoweringContext, op: ttg.LocalAllocOp) -> None:
    (result,) = op.results
    start = ctx.allocation.buffers[result].start
    address = ctx.threads.shared
    if start:
        address = ctx.threads.constant_address(start)
    ctx.define(result, [address, "0"])
    if op.operands:
        write(ctx, op.operands[0], result)


@lowers(ttg.LocalDeallocOp)
def _deallocate(ctx: LoweringContext, op: ttg.LocalDeallocOp) -> None:
    """Write nothing: live ranges are computed from uses."""


@lowers(ttg.MemDescIndexOp)
def _index(ctx: LoweringContext, op: ttg.MemDescIndexOp) -> None:
    if is_in_tensor_memory(op.operands[0]):
        lower_memdesc_index(ctx, op)
        return
    address, offset = ctx.view(op.operands[0])
    size = buffer_stride_bytes(memdesc_of(op.results[0]))
    index = ctx.scalar(op.operands[1])
    w = ctx.writer
    step = str(int(index) * size) if index.isdigit() else w.value(f"mul i32 {index}, {size}")
    moved = w.value(f"getelementptr i8, ptr addrspace(3) {address}, i32 {step}")
    ctx.define(op.results[0], [moved, offset])


@lowers(ttg.MemDescSubsliceOp)
def _subslice(ctx: LoweringContext, op: ttg.MemDescSubsliceOp) -> None:
    address, offset = ctx.view(op.operands[0])
    place = subslice_offset(op)  # without padding, which accesses add to the sum
    if place and offset.isdigit():
        offset = str(int(offset) ^ place)
    elif place:
        offset = ctx.writer.value(f"xor i32 {offset}, {place}")
    ctx.define(op.results[0], [address, offset])


@lowers(ttg.MemDescTransOp, ttg.MemDescReshapeOp, ttg.MemDescReinterpretOp)
def _same_bytes(ctx: LoweringContext, op: Operation) -> None:
    ctx.define(op.results[0], ctx[op.operands[0]])


def _side(ctx: LoweringContext, tensor: Attribute, view: SSAValue, kind: str) -> SharedMemoryAccess:
    """Plan how a tensor is stored to, or loaded from, a memory descriptor."""
    type_ = memdesc_of(view)
    address, offset = ctx.view(view)
    bits = 8 * storage_bytes(type_.element_type)
    gaps = type_.encoding if isinstance(type_.encoding, PaddedSharedEncoding) else None
    access = plan_local_access(tensor, type_, kind, ctx.hardware.target)
    return SharedMemoryAccess(ctx, access, bits, base=address, moved=offset, gaps=gaps)


def write(ctx: LoweringContext, value: SSAValue, view: SSAValue) -> None:
    """Store a tensor to a memory descriptor."""
    write_registers(ctx, value.type, ctx[value], view)


def write_registers(
    ctx: LoweringContext, tensor: Attribute, registers: Sequence[str], view: SSAValue
) -> None:
    """Store the registers of a tensor to a memory descriptor.

    Args:
        ctx: State of the function.
        tensor: Type of the tensor.
        registers: Its elements; those that repeat others may be "".
        view: The memory descriptor.
    """
    w, type_ = ctx.writer, llvm_type(tensor)
    bits = 8 * storage_bytes(tensor)
    unique_registers = remove_broadcast(layout_of(tensor)).apply_values(range(len(registers)))
    values = [registers[register] for register in unique_registers]
    if type_ == "i1":
        values, type_ = [w.value(f"zext i1 {each} to i8") for each in values], "i8"
    _side(ctx, tensor, view, "write").store(
        0, [as_integer(w, type_, bits, each) for each in values]
    )


@lowers(ttg.LocalStoreOp)
def _store(ctx: LoweringContext, op: ttg.LocalStoreOp) -> None:
    write(ctx, op.operands[0], op.operands[1])


@lowers(ttg.LocalLoadOp)
def _load(ctx: LoweringContext, op: ttg.LocalLoadOp) -> None:
    (result,) = op.results
    w, type_ = ctx.writer, llvm_type(result.type)
    bits, layout = 8 * storage_bytes(result.type), layout_of(result.type)
    action = remove_broadcast(layout)
    unique_registers = action.apply_values(range(layout.in_dims["register"]))
    loaded = [""] * len(unique_registers)
    _side(ctx, result.type, op.operands[0], "read").load(0, loaded)
    value_of = dict(zip(unique_registers, loaded, strict=True))
    results = []
    for register, first in enumerate(representative_parts(result.type)):
        results.append(value_of.get(register, "") or results[first])
    integers = "i8" if type_ == "i1" else type_
    values = {each: from_integer(w, integers, bits, each) for each in dict.fromkeys(results)}
    if type_ == "i1":
        values = {each: w.value(f"trunc i8 {value} to i1") for each, value in values.items()}
    ctx.define(result, [values[each] for each in results])
