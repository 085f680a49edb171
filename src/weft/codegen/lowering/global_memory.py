"""tt.load and tt.store: accesses to global memory, as wide as layout and addresses allow.

    tt.load %p, %m, %o : tensor<1024x!tt.ptr<f16>, #blocked>     8 registers, one access of 16 bytes

A thread's registers are cut into vectors that are contiguous in memory (by the layout), aligned (by
axis info) and share one mask bit. Each vector is one access of at most 128 bits. All threads that
hold an element load it, but only one stores it.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from weft.codegen.hardware.capabilities.memory import Access
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import pointee_of
from weft.codegen.lowering.registry import lowers
from weft.ir import tt, types
from weft.ir.enums import CacheModifier, EvictionPolicy
from weft.lowering_plans.global_access import vector_starts, vector_width
from weft.lowering_plans.properties import integer_property


def mask_registers(ctx: LoweringContext, mask: SSAValue) -> tuple[str, ...]:
    """List a mask's registers, with equal ones replaced by one value.

    If a mask is constant over 16 neighbours, the 8 that a thread holds are one value.
    """
    registers = ctx[mask]
    if not types.is_tensor(mask.type):
        return registers
    return tuple(registers[first] for first in ctx.representatives(mask))


def _access(op: Operation, pointer: SSAValue, address: str, count: int, predicate: str) -> Access:
    pointee = pointee_of(pointer.type)
    return Access(
        element="i8" if pointee == types.i1 else llvm_type(pointee),
        count=count,
        bits=8 * storage_bytes(pointee),
        address=address,
        predicate=predicate,
        cache=CacheModifier.of(op.properties["cache"]).keyword,
        evict=EvictionPolicy.of(op.properties["evict"]).keyword,
        volatile=bool(integer_property(op, "isVolatile", 0)),
    )


def load_registers(
    ctx: LoweringContext,
    op: Operation,
    pointer: SSAValue,
    mask: SSAValue | None,
    other: SSAValue | None,
) -> list[str]:
    """Load the elements that pointers point to.

    Args:
        ctx: State of the function.
        op: The load, which has cache modifier and eviction policy.
        pointer: The pointers.
        mask: Where to load; None for everywhere.
        other: The elements where the mask is false; None for zeros.

    Returns:
        The elements by register, "" for those that repeat others.
    """
    count = vector_width(ctx.axis_info, pointer, mask)
    pointers = ctx[pointer]
    masks = None if mask is None else mask_registers(ctx, mask)
    others = None if other is None else ctx[other]
    is_bool = pointee_of(pointer.type) == types.i1
    results: list[str] = [""] * len(pointers)
    for start in vector_starts(pointer.type, count):
        run = range(start, start + count)
        predicate = "" if masks is None else masks[start]
        access = _access(op, pointer, pointers[start], count, predicate)
        other_values = ["poison"] * count if others is None else [others[n] for n in run]
        if predicate and others is None:
            other_values = [zero_literal(access.element)] * count
        if is_bool and others is not None:
            other_values = [ctx.writer.value(f"zext i1 {value} to i8") for value in other_values]
        loaded = ctx.hardware.memory.load(ctx.writer, access, other_values)
        if is_bool:
            loaded = [ctx.writer.value(f"trunc i8 {value} to i1") for value in loaded]
        for n, value in zip(run, loaded, strict=True):
            results[n] = value
    return results


@lowers(tt.LoadOp)
def _load(ctx: LoweringContext, op: tt.LoadOp) -> None:
    results = load_registers(ctx, op, op.ptr, op.mask, op.other)
    ctx.define(op.result, ctx.replicate(op.result, results))


def zero_literal(type_: str) -> str:
    """Get the zero of an LLVM type, which a masked-off lane gets without `other`."""
    if type_.startswith("ptr"):
        return "null"
    return "0" if type_.startswith("i") else "0.0"


@lowers(tt.StoreOp)
def _store(ctx: LoweringContext, op: tt.StoreOp) -> None:
    count = vector_width(ctx.axis_info, op.ptr, op.mask)
    pointers, values = ctx[op.ptr], ctx[op.value]
    masks = None if op.mask is None else mask_registers(ctx, op.mask)
    owner = ctx.owner_predicate(op.ptr.type)
    if types.element(op.value.type) == types.i1:
        values = tuple(ctx.writer.value(f"zext i1 {value} to i8") for value in values)
    for start in vector_starts(op.ptr.type, count):
        predicate = owner if masks is None else and_predicates(ctx, owner, masks[start])
        access = _access(op, op.ptr, pointers[start], count, predicate)
        ctx.hardware.memory.store(ctx.writer, access, values[start : start + count])


def and_predicates(ctx: LoweringContext, owner: str, mask: str) -> str:
    """Combine an owner predicate and a mask; "" is true."""
    return ctx.writer.value(f"and i1 {owner}, {mask}") if owner else mask
