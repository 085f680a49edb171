"""Plan atomic updates of global memory, and the broadcast of their results.

    a scalar, 4 warps, used      1 update by thread 0, a store, a barrier, a load
    1024 x f32, sm_90, unused    2 updates of four floats per thread

Only one of the threads that hold an element updates memory, so only it has the old value: lanes of
the same warp read it by a shuffle, other warps from shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.ir import Operation, SSAValue

from weft.analysis.axis_info import ModuleAxisInfo
from weft.ir import amdg, tt, types
from weft.ir.enums import RMWOp
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps
from weft.lowering_plans import lane_moves
from weft.lowering_plans.address_info import address_info
from weft.lowering_plans.global_access import atomic_width, vector_starts, vector_width
from weft.lowering_plans.instruction import Instruction
from weft.lowering_plans.registers import layout_of, pointee_of
from weft.lowering_plans.sectors import (
    SectorTraffic,
    address_strides,
    count_sectors,
    knows_sectors,
)
from weft.targets import Target

__all__ = [
    "atomic_instructions",
    "broadcast_bytes",
    "buffer_atomic_width",
    "pointer_atomic_width",
    "repeating_ctas",
]

BufferAtomic = amdg.BufferAtomicRMWOp | amdg.BufferAtomicCASOp


def repeating_ctas(op: Operation) -> int:
    """Compute the bits of the CTA rank in which replicas of the result differ."""
    type_ = op.results[0].type
    if types.is_tensor(type_):
        return layout_of(type_).free_variable_masks().get("block", 0)
    return lookup_num_ctas(op) - 1


def _warps_repeat(op: Operation) -> bool:
    """Check whether several warps or CTAs hold the same elements of a result."""
    type_ = op.results[0].type
    if repeating_ctas(op):
        return True
    if not types.is_tensor(type_):
        return lookup_num_warps(op) > 1
    return bool(layout_of(type_).free_variable_masks().get("warp", 0))


def broadcast_bytes(op: Operation) -> int:
    """Count the bytes of shared memory that the broadcast of a result takes."""
    (result,) = op.results
    if not result.uses or not _warps_repeat(op):
        return 0
    return prod(types.shape(result.type)) * types.storage_bytes(result.type)


def pointer_atomic_width(
    facts: ModuleAxisInfo,
    pointer: SSAValue,
    mask: SSAValue | None,
    operation: str,
    target: Target,
) -> int:
    """Count the registers that one update by pointers takes.

    Args:
        facts: The axis information of the module.
        pointer: The pointers.
        mask: The mask, if there is one.
        operation: Triton's keyword: "fadd".
        target: The chip.
    """
    most = atomic_width(target, operation, str(pointee_of(pointer.type)))
    return min(most, vector_width(facts, pointer, mask))


def buffer_atomic_width(
    facts: ModuleAxisInfo, op: BufferAtomic, mask: SSAValue | None, operation: str, target: Target
) -> int:
    """Count the registers that one update by offsets takes; arguments as of pointers."""
    element = types.element(op.results[0].type)
    most = atomic_width(target, operation, str(element))
    bits = 8 * types.storage_bytes(element)
    most = min(most, facts.contiguity(op.offsets, bits))
    return most if mask is None else min(most, facts.mask_alignment(mask))


def atomic_instructions(
    op: Operation, facts: ModuleAxisInfo, target: Target, num_warps: int
) -> Iterator[Instruction]:
    """Yield the updates, and the broadcast of the results with its barrier."""
    result = op.results[0].type
    mask = op.mask if isinstance(op, tt.AtomicRMWOp | amdg.BufferAtomicRMWOp) else None
    operation = "cas"
    if isinstance(op, tt.AtomicRMWOp | amdg.BufferAtomicRMWOp):
        operation = RMWOp.of(op.properties["atomic_rmw_op"]).keyword
    if isinstance(op, BufferAtomic):
        count = buffer_atomic_width(facts, op, mask, operation, target)
    else:
        count = pointer_atomic_width(facts, op.operands[0], mask, operation, target)
    bits = 8 * types.storage_bytes(result) * count
    if operation == "fadd" and not lane_moves.shuffles_any_lane(target):
        bits = max(32, bits)  # a float of 16 bits is added as one of a pair
    updates = len(list(vector_starts(result, count)))
    free = layout_of(result).free_variable_masks() if types.is_tensor(result) else {}
    warps = num_warps >> free.get("warp", 0).bit_count() if types.is_tensor(result) else 1
    sectors, certain = _sectors(op, facts, count)
    yield Instruction(
        "global atomic",
        bits,
        updates,
        warps,
        sectors=sectors.sectors,
        ideal_sectors=sectors.ideal,
        distinct_sectors=sectors.distinct,
        name=operation,
        certain=certain,
    )
    if op.results[0].uses:
        yield from _broadcast(op, free, target, num_warps)


def _sectors(op: Operation, facts: ModuleAxisInfo, count: int) -> tuple[SectorTraffic, bool]:
    """Count the sectors of the updates, and check whether their addresses are known."""
    result = op.results[0].type
    if not types.is_tensor(result):
        return SectorTraffic(1, 1, 1, 1), True
    pointers = op.offsets if isinstance(op, BufferAtomic) else op.operands[0]
    info = address_info(pointers, facts)
    if info is None:
        return SectorTraffic(), False
    shape, bits = types.shape(result), 8 * types.storage_bytes(result)
    starts = list(vector_starts(result, count))
    strides = address_strides(info, shape)
    traffic = count_sectors(result, starts, count, strides, bits, owners=True)
    return traffic, knows_sectors(info, shape, bits)


def _broadcast(
    op: Operation, free: dict[str, int], target: Target, num_warps: int
) -> Iterator[Instruction]:
    """Yield the instructions that pass old values from their owners to all holders."""
    result = op.results[0].type
    is_tensor = types.is_tensor(result)
    if is_tensor and not any(free.values()):
        return  # every thread owns its elements
    registers = layout_of(result).in_size("register") if is_tensor else 1
    if not broadcast_bytes(op):
        words = lane_moves.count_words(result)
        yield Instruction("shuffle", 32, registers * words, num_warps)
        return
    bits, between_ctas = 8 * types.storage_bytes(result), bool(repeating_ctas(op))
    owners = num_warps >> free.get("warp", 0).bit_count() if is_tensor else 1
    # Neighbouring threads store neighbouring elements; the owner of a scalar stores alone.
    passes = len(target.shared_memory.phases(bits, "write")) if is_tensor else 1
    stored = registers * owners * passes
    yield Instruction("shared store", bits, registers, owners, stored, stored, certain=False)
    kind, count = ("cluster barrier", 2) if between_ctas else ("barrier", 1)
    yield Instruction(kind, 0, count, num_warps)
    load = "cluster load" if between_ctas else "shared load"
    memory = target.shared_memory
    phases = (
        memory.phases(bits, "read")
        if is_tensor
        else memory.phases_of([0] * memory.lanes, bits, "read")
    )
    loaded = registers * num_warps * len(phases)
    yield Instruction(load, bits, registers, num_warps, loaded, loaded, certain=False)
