"""Atomic updates of global memory.

    %old = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %m : tensor<1024xf16, #blocked>

Registers are cut into vectors as those of a store; the chip limits the vector width. Of the threads
that hold an element only the owner updates it, and broadcasts the old value if it has uses.

The memory order is on the instruction if there is one. Of several instructions, which have no order
among each other, the first releases and the last acquires. If masks may disable either, fences
before and after them release and acquire.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from xdsl.ir import Operation, SSAValue

from weft.codegen.hardware.capabilities.memory import Atomic
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.atomic_results import broadcast_result
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import pointee_of
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.global_memory import (
    and_predicates,
    mask_registers,
)
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt
from weft.ir.enums import MemSemantic, MemSyncScope, RMWOp
from weft.lowering_plans.atomics import broadcast_bytes, pointer_atomic_width
from weft.lowering_plans.global_access import vector_starts
from weft.targets import Target

_FLOATS = ("half", "bfloat", "float", "double")
_FEW = 2  # up to this many instructions have the full order each


def check_element(operation: str, element: str, bits: int) -> None:
    """Check that memory has atomic updates of an element type.

    Raises:
        CodegenError: The operation does not support the type.
    """
    if operation == "fadd":
        accepted, fits = list(_FLOATS), element in _FLOATS
    elif operation == "cas":
        accepted, fits = ["elements of 16, 32 or 64 bits"], bits in (16, 32, 64)
    elif operation == "exch":
        accepted, fits = ["elements of 32 or 64 bits"], bits in (32, 64)
    else:
        accepted, fits = ["i32", "i64"], element in ("i32", "i64")
    if not fits:
        raise CodegenError(
            f"atomic {operation} cannot be lowered for these elements",
            found=element,
            accepted=accepted,
        )


def split_order(order: str, count: int, *, alike: bool) -> tuple[list[str], tuple[str, ...]]:
    """Choose the memory order of each of several instructions, and the fences around them.

    Args:
        order: The operation's memory order.
        count: Instructions.
        alike: Whether a thread executes all of them or none.
    """
    if order == "relaxed" or count <= 1 or (count <= _FEW and not alike):
        return [order] * count, ()
    releases, acquires = order in ("release", "acq_rel"), order in ("acquire", "acq_rel")
    # One release and one acquire suffice for all of a thread's updates: the first and the last
    # have them if the thread executes both, otherwise fences around them.
    middle = ["relaxed"] * count
    if alike:
        middle[0] = "release" if releases else "relaxed"
        middle[-1] = "acquire" if acquires else "relaxed"
        return middle, ()
    fences = [name for name, holds in (("release", releases), ("acquire", acquires)) if holds]
    return middle, tuple(fences)


def predicates(
    ctx: LoweringContext, owner: str, mask: SSAValue | None, starts: Sequence[int]
) -> list[str]:
    """Compute the predicate of each vector of registers, "" for true."""
    if mask is None:
        return [owner] * len(starts)
    masks = mask_registers(ctx, mask)
    cache = {
        one: and_predicates(ctx, owner, one) for one in dict.fromkeys(masks[n] for n in starts)
    }
    return [cache[masks[n]] for n in starts]


def memory_order(op: Operation) -> tuple[str, str]:
    """Get the memory order and scope of an operation, Triton's keywords."""
    sem = MemSemantic.of(op.properties["sem"]).keyword
    return sem, MemSyncScope.of(op.properties["scope"]).keyword


@lowers(tt.AtomicRMWOp)
def _combine(ctx: LoweringContext, op: tt.AtomicRMWOp) -> None:
    _update(ctx, op, RMWOp.of(op.properties["atomic_rmw_op"]).keyword, [op.val], op.mask)


@lowers(tt.AtomicCASOp)
def _compare_and_swap(ctx: LoweringContext, op: tt.AtomicCASOp) -> None:
    _update(ctx, op, "cas", [op.cmp, op.val], None)


def _update(
    ctx: LoweringContext,
    op: Operation,
    operation: str,
    operands: Sequence[SSAValue],
    mask: SSAValue | None,
) -> None:
    pointer, result = op.operands[0], op.results[0]
    pointee = pointee_of(pointer.type)
    element, bits = llvm_type(pointee), 8 * storage_bytes(pointee)
    check_element(operation, element, bits)
    count = pointer_atomic_width(ctx.axis_info, pointer, mask, operation, ctx.hardware.target)
    owner = ctx.owner_predicate(pointer.type)
    starts = list(vector_starts(pointer.type, count))
    masks = predicates(ctx, owner, mask, starts)
    order, scope = memory_order(op)
    orders, fences = split_order(order, len(starts), alike=len(set(masks)) == 1)
    values = [ctx[value] for value in operands]
    results = [""] * ctx.num_registers(result)
    if "release" in fences:
        ctx.hardware.memory.fence(ctx.writer, "release", scope)
    # Neighbouring updates with the same predicate share a branch, on chips without predicates.
    for predicate, group in groupby(zip(starts, masks, orders, strict=True), lambda run: run[1]):
        runs = list(group)
        updates = [
            Atomic(operation, element, count, bits, ctx[pointer][start], predicate, own, scope)
            for start, _, own in runs
        ]
        elements = [
            [value for registers in values for value in registers[start : start + count]]
            for start, _, _ in runs
        ]
        old_values = ctx.hardware.memory.atomics(ctx.writer, updates, elements)
        for n, (start, _, _) in enumerate(runs):
            results[start : start + count] = old_values[n * count : (n + 1) * count]
    if "acquire" in fences:
        ctx.hardware.memory.fence(ctx.writer, "acquire", scope)
    if result.uses:
        ctx.define(result, broadcast_result(ctx, op, owner, ctx.replicate(result, results)))


@scratch(tt.AtomicRMWOp, tt.AtomicCASOp)
def _bytes(op: Operation, target: Target) -> int:
    """Count a slot per element if several warps hold it and the result has uses."""
    return broadcast_bytes(op)
