"""The instructions of an operation, by the plan that code generation carries out for it.

    context = PlanContext(target("cuda:90"), axis_info(module))
    operation_instructions(load, context)
    # (Instruction("global load", 128, count=4, warps=4, sectors=512, …),)

Arithmetic is not counted, nor are barriers of a warp around mbarriers, what warp groups exchange to
start and end ttg.warp_specialize, and stores of lanes that a mask excludes from a copy to LDS.
Otherwise an operation without an entry here has no instruction of any kind that is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from xdsl.ir import Attribute, Operation, SSAValue

from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.tensor_memory import is_in_tensor_memory
from weft.ir import amdg, gpu, rocdl, tt, ttg, ttng, types
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import PaddedSharedEncoding
from weft.layouts.plans.shared_access import SharedAccess
from weft.lowering_plans.atomics import atomic_instructions
from weft.lowering_plans.conversion import (
    access_instruction,
    conversion_instructions,
    plan_conversion,
)
from weft.lowering_plans.dot import dot_instructions
from weft.lowering_plans.gather import gather_instructions
from weft.lowering_plans.global_access import buffer_width, vector_width
from weft.lowering_plans.global_traffic import global_access
from weft.lowering_plans.histogram import histogram_instructions
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.microscaling import plan_scales
from weft.lowering_plans.packed_load import PACKED_BITS, plan_packed_load
from weft.lowering_plans.reduction import plan_reduction
from weft.lowering_plans.registers import layout_of, pointee_of, representative_registers
from weft.lowering_plans.scan import plan_scan
from weft.lowering_plans.shared_access import (
    plan_async_copy,
    plan_buffer_copy,
    plan_copy_to_global,
    plan_local_access,
)
from weft.lowering_plans.tensor_memory import tensor_memory_instructions
from weft.lowering_plans.tile_copies import tile_copy_instruction
from weft.targets import Target

__all__ = ["PlanContext", "operation_instructions"]

Instructions: TypeAlias = Iterator[Instruction]


class PlanContext(Struct, frozen=True):
    """What plans depend on besides an operation.

    Attributes:
        target: The chip.
        facts: The axis information of the module.
        scratch_bytes: Finds the scratch memory that an operation has; None for what it prefers.
    """

    target: Target
    facts: ModuleAxisInfo
    scratch_bytes: Callable[[Operation], int | None] = lambda op: None


def operation_instructions(op: Operation, context: PlanContext) -> tuple[Instruction, ...]:
    """List the instructions that one execution of an operation takes, barriers within it included.

    The barrier that may precede the operation depends on those before it, and is not included.

    Raises:
        CodegenError: The operation cannot be lowered.
        LayoutError: No instruction moves its data.
    """
    plan = _PLANS.get(type(op))
    if plan is None:
        return ()
    num_warps = lookup_num_warps(op)
    instructions = plan(op, context, num_warps)
    if num_warps > 1:
        return tuple(instructions)
    # A barrier of a CTA of one warp is one of the warp.
    return tuple(
        replace(each, kind="warp barrier") if each.kind == "barrier" else each
        for each in instructions
    )


def _load(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, tt.LoadOp)
    count = vector_width(context.facts, op.ptr, op.mask)
    data = pointee_of(op.ptr.type)
    yield global_access("global load", op.ptr, data, count, context.facts, num_warps, owners=False)


def _store(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, tt.StoreOp)
    count = vector_width(context.facts, op.ptr, op.mask)
    data = pointee_of(op.ptr.type)
    yield global_access("global store", op.ptr, data, count, context.facts, num_warps, owners=True)


def _buffer_load(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, amdg.BufferLoadOp)
    data = op.result.type
    count = buffer_width(context.facts, op, op.offsets, op.mask, data)
    element = types.element(data)
    yield global_access(
        "global load", op.offsets, element, count, context.facts, num_warps, owners=False
    )


def _buffer_store(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, amdg.BufferStoreOp)
    data = op.value.type
    count = buffer_width(context.facts, op, op.offsets, op.mask, data)
    element = types.element(data)
    # A lane that owns nothing gets an offset out of bounds, so every warp executes the store.
    access = global_access(
        "global store", op.offsets, element, count, context.facts, num_warps, owners=True
    )
    yield replace(access, warps=num_warps)


def _local_load(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, ttg.LocalLoadOp)
    yield _local_access(op.results[0].type, op.src, "read", context)


def _local_store(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, ttg.LocalStoreOp)
    yield _local_access(op.src.type, op.dst, "write", context)


def _local_alloc(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    if op.operands:
        yield _local_access(op.operands[0].type, op.results[0], "write", context)


def _local_access(
    tensor: Attribute, view: SSAValue, kind: str, context: PlanContext
) -> Instruction:
    type_ = memdesc_of(view)
    access = plan_local_access(tensor, type_, kind, context.target)
    return _instruction(access, type_, context)


def _instruction(access: SharedAccess, view: ttg.MemDescType, context: PlanContext) -> Instruction:
    bits = 8 * types.storage_bytes(view.element_type)
    padding = view.encoding if isinstance(view.encoding, PaddedSharedEncoding) else None
    memory = context.target.shared_memory
    return access_instruction(access, bits, memory, context.target, padding)


def _packed_load(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, amdg.LocalLoadPackedTransposedOp)
    access = plan_packed_load(op, context.target)
    yield access_instruction(access, PACKED_BITS, context.target.shared_memory, context.target)


def _async_copy(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, ttg.AsyncCopyGlobalToLocalOp)
    access = plan_async_copy(op, context.facts, context.target)
    data = pointee_of(op.src.type)
    if access is None:
        count = vector_width(context.facts, op.src, op.mask)
        yield global_access(
            "global load", op.src, data, count, context.facts, num_warps, owners=False
        )
        tensor = types.with_element(op.src.type, memdesc_of(op.result).element_type)
        yield _local_access(tensor, op.result, "write", context)
        return
    yield _copied(access, op.src, op.result, context, num_warps)


def _buffer_copy(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, amdg.BufferLoadToLocalOp)
    access = plan_buffer_copy(op, context.facts, context.target)
    element = memdesc_of(op.dest).element_type
    if access is None:
        data = types.with_element(op.offsets.type, element)
        count = buffer_width(context.facts, op, op.offsets, op.mask, data)
        yield global_access(
            "global load", op.offsets, element, count, context.facts, num_warps, owners=False
        )
        yield _local_access(data, op.dest, "write", context)
        return
    yield _copied(access, op.offsets, op.dest, context, num_warps)


def _copied(
    access: SharedAccess,
    pointers: SSAValue,
    buffer: SSAValue,
    context: PlanContext,
    num_warps: int,
) -> Instruction:
    """Count an asynchronous copy: its sectors, and its wavefronts of shared memory."""
    view = memdesc_of(buffer)
    data = view.element_type
    write = _instruction(access, view, context)
    width = write.bits // (8 * types.storage_bytes(data))
    read = global_access("async copy", pointers, data, width, context.facts, num_warps, owners=True)
    return replace(
        read,
        count=write.count,
        wavefronts=write.wavefronts,
        ideal_wavefronts=write.ideal_wavefronts,
    )


def _copy_to_global(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, amdg.AsyncCopyLocalToGlobalOp)
    access = plan_copy_to_global(op, context.facts, context.target)
    yield _copied(access, op.dst, op.src, context, num_warps)


def _convert(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    plan = plan_conversion(op, context.target)
    yield from conversion_instructions(plan, context.target, num_warps, context.scratch_bytes(op))


def _upcast(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    plan = plan_scales(op, context.target)
    yield from conversion_instructions(plan, context.target, num_warps, context.scratch_bytes(op))


def _reduce(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    yield from plan_reduction(op, context.target).instructions(context.target, num_warps)


def _scan(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    yield from plan_scan(op).instructions(context.target, num_warps)


def _gather(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, tt.GatherOp)
    yield from gather_instructions(op, context.target, num_warps)


def _histogram(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, tt.HistogramOp)
    yield from histogram_instructions(op, context.target, num_warps)


def _atomic(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    yield from atomic_instructions(op, context.facts, context.target, num_warps)


def _dot(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    yield from dot_instructions(op, context.target, num_warps)


def _local_gather(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    """Count an indexed access to a buffer; its addresses are data."""
    assert isinstance(op, ttg.LocalGatherOp | ttg.LocalScatterOp)
    reads = isinstance(op, ttg.LocalGatherOp)
    tensor = op.results[0].type if reads else op.operands[1].type
    bits = 8 * types.storage_bytes(tensor)
    count = len(set(representative_registers(layout_of(tensor))))
    kind = "shared load" if reads else "shared store"
    ideal = count * num_warps * len(context.target.shared_memory.phases(bits, "read"))
    yield Instruction(kind, bits, count, num_warps, ideal, ideal, certain=False)


def _tile_copy(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    yield tile_copy_instruction(op, num_warps)


def _tensor_memory_load(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, ttng.TMEMLoadOp)
    kind = "tensor memory load"
    yield from tensor_memory_instructions(kind, op.result.type, op.src, num_warps)


def _tensor_memory_store(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, ttng.TMEMStoreOp)
    kind = "tensor memory store"
    yield from tensor_memory_instructions(kind, op.src.type, op.dst, num_warps)


def _tensor_memory_alloc(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    assert isinstance(op, ttng.TMEMAllocOp)
    if op.src is not None and is_in_tensor_memory(op.results[0]):
        kind = "tensor memory store"
        yield from tensor_memory_instructions(kind, op.src.type, op.results[0], num_warps)


def _tensor_map(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    """Count the stores that clear a descriptor; separate operations set its fields."""
    yield Instruction("shared store", 32, 1, 1, 1, 1)


def _barrier(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    yield Instruction("barrier", 0, 1, num_warps)


def _conditional_barrier(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    """Count a barrier of half of the waves, which then run later than the others."""
    yield Instruction("barrier", 0, 1, num_warps // 2)


def _cluster_barrier(op: Operation, context: PlanContext, num_warps: int) -> Instructions:
    """Count the barrier of a cluster where the warps wait."""
    yield Instruction("cluster barrier", 0, 1, num_warps)


_PLANS: dict[type[Operation], Callable[[Operation, PlanContext, int], Instructions]] = {
    amdg.AsyncCopyLocalToGlobalOp: _copy_to_global,
    amdg.AsyncTDMCopyGlobalToLocalOp: _tile_copy,
    amdg.AsyncTDMCopyLocalToGlobalOp: _tile_copy,
    amdg.AsyncTDMGatherOp: _tile_copy,
    amdg.AsyncTDMScatterOp: _tile_copy,
    amdg.BufferAtomicCASOp: _atomic,
    amdg.BufferAtomicRMWOp: _atomic,
    amdg.BufferLoadOp: _buffer_load,
    amdg.BufferLoadToLocalOp: _buffer_copy,
    amdg.BufferStoreOp: _buffer_store,
    amdg.ClusterBarrierWaitOp: _cluster_barrier,
    amdg.CondBarrierOp: _conditional_barrier,
    amdg.InThreadTransposeOp: _convert,
    amdg.LocalLoadPackedTransposedOp: _packed_load,
    amdg.UpcastMXFPOp: _upcast,
    gpu.BarrierOp: _barrier,
    rocdl.BarrierOp: _barrier,
    rocdl.SBarrierOp: _barrier,
    tt.AtomicCASOp: _atomic,
    tt.AtomicRMWOp: _atomic,
    tt.DotOp: _dot,
    tt.DotScaledOp: _dot,
    tt.GatherOp: _gather,
    tt.HistogramOp: _histogram,
    tt.LoadOp: _load,
    tt.ReduceOp: _reduce,
    tt.ScanOp: _scan,
    tt.StoreOp: _store,
    ttg.AsyncCopyGlobalToLocalOp: _async_copy,
    ttg.BarrierOp: _barrier,
    ttg.ConvertLayoutOp: _convert,
    ttg.LocalAllocOp: _local_alloc,
    ttg.LocalGatherOp: _local_gather,
    ttg.LocalLoadOp: _local_load,
    ttg.LocalScatterOp: _local_gather,
    ttg.LocalStoreOp: _local_store,
    ttng.AsyncTMACopyGlobalToLocalOp: _tile_copy,
    ttng.AsyncTMACopyLocalToGlobalOp: _tile_copy,
    ttng.AsyncTMAGatherOp: _tile_copy,
    ttng.AsyncTMAReduceOp: _tile_copy,
    ttng.AsyncTMAScatterOp: _tile_copy,
    ttng.ClusterWaitOp: _cluster_barrier,
    ttng.TCGen5MMAOp: _dot,
    ttng.TCGen5MMAScaledOp: _dot,
    ttng.TMEMAllocOp: _tensor_memory_alloc,
    ttng.TMEMLoadOp: _tensor_memory_load,
    ttng.TMEMStoreOp: _tensor_memory_store,
    ttng.TensormapCreateOp: _tensor_map,
    ttng.WarpGroupDotOp: _dot,
}
