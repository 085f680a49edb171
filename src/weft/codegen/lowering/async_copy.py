"""Asynchronous copies from global to shared memory: cp.async, and loads to LDS.

    ttg.async_copy_global_to_local %p, %b mask %m   →   cp.async.cg [b], [p], 16, !m;

Cache modifiers and `volatile` have no effect, as with Triton 3.7.1: copies of 16 bytes bypass L1,
others cannot.

A lane copies a vector that is contiguous on both sides. If its mask is false, it ignores the source
and fills the vector with zeros; another value is selected after the load (analysis.masked_copies).
Of threads that hold the same pointers only the first copies, on NVIDIA. Waits count commit groups
on NVIDIA and instructions on AMD.
"""

from __future__ import annotations

from xdsl.ir import Operation

from weft.analysis.async_wait_counts import (
    CopyInstructions,
    function_contains,
    max_outstanding_for_groups,
    max_outstanding_for_tokens,
)
from weft.analysis.masked_copies import selects_replace_masked_elements
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.amd.direct_to_lds import (
    copy_by_pointer,
    count_buffer_loads,
)
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.common.shared_memory_access import SharedMemoryAccess
from weft.codegen.lowering.global_memory import zero_literal
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, ttg
from weft.layouts import PaddedSharedEncoding
from weft.layouts.column_action import remove_broadcast
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.shared_access import plan_async_copy

_NARROWEST_BYTES = 4


@lowers(ttg.AsyncCopyGlobalToLocalOp)
def _copy(ctx: LoweringContext, op: ttg.AsyncCopyGlobalToLocalOp) -> None:
    if ctx.hardware.target.direct_to_lds_bits:
        copy_by_pointer(ctx, op)
        ctx.define(op.token, [])
        return
    view = memdesc_of(op.result)
    size = storage_bytes(view.element_type)
    tensor = layout_of(op.src.type)
    access = plan_async_copy(op, ctx.axis_info, ctx.hardware.target)
    assert access is not None
    _check(ctx, op, access.tile.bits // 8)
    address, moved = ctx.view(op.result)
    gaps = view.encoding if isinstance(view.encoding, PaddedSharedEncoding) else None
    side = SharedMemoryAccess(ctx, access, 8 * size, base=address, moved=moved, gaps=gaps)
    unique_registers = remove_broadcast(tensor).apply_values(range(ctx.num_registers(op.src)))
    pointers = [ctx[op.src][register] for register in unique_registers]
    masks = None if op.mask is None else [ctx[op.mask][register] for register in unique_registers]
    # Where waits count instructions, every warp must issue the same number.
    awake = (
        ""
        if ctx.hardware.async_copy.counts_instructions
        else ctx.owner_predicate_in_cta(op.src.type)
    )
    for instruction, registers in enumerate(side.numbers[0]):
        ctx.hardware.async_copy.copy(
            ctx.writer,
            side.address(instruction),
            pointers[registers[0]],
            access.tile.bits // 8,
            "" if masks is None else masks[registers[0]],
            awake,
        )
    ctx.define(op.token, [])


def instructions_of(ctx: LoweringContext, op: Operation) -> int:
    """Count the instructions that every warp issues for a copy; 0 for other operations."""
    if isinstance(op, amdg.BufferLoadToLocalOp):
        return count_buffer_loads(ctx, op)
    if isinstance(op, ttg.AsyncCopyGlobalToLocalOp) and op.mask is None:
        access = plan_async_copy(op, ctx.axis_info, ctx.hardware.target)
        return 0 if access is None else len(access.register_numbers()[0])
    return 0  # a warp whose lanes are all masked skips the instructions


def _check(ctx: LoweringContext, op: ttg.AsyncCopyGlobalToLocalOp, size: int) -> None:
    """Check that an instruction can copy the vectors.

    Raises:
        CodegenError: Vectors of less than four bytes, or `other` is not zero and used.
    """
    if size < _NARROWEST_BYTES:
        raise CodegenError(
            "an asynchronous copy needs at least 4 contiguous bytes per thread",
            found=f"{size} bytes",
            hint="pointers that are divisible by 16 make them (tl.multiple_of)",
        )
    if op.other is not None and not selects_replace_masked_elements(op):
        element = llvm_type(op.other.type)
        if any(not _is_zero(value, element) for value in ctx[op.other]):
            raise CodegenError(
                "an asynchronous copy can fill masked elements only with zeros",
                found=ctx[op.other][0],
            )


def _is_zero(value: str, type_: str) -> bool:
    digits = value.removeprefix("0xH").removeprefix("0xR").removeprefix("0x")
    return value == zero_literal(type_) or not digits.strip("0")


@lowers(ttg.AsyncCommitGroupOp)
def _commit(ctx: LoweringContext, op: ttg.AsyncCommitGroupOp) -> None:
    ctx.hardware.async_copy.commit_group(ctx.writer)
    ctx.define(op.results[0], [])


@lowers(ttg.AsyncWaitOp)
def _wait(ctx: LoweringContext, op: ttg.AsyncWaitOp) -> None:
    pending = integer_property(op, "num")
    if ctx.hardware.async_copy.counts_instructions:
        pending = 0 if function_contains(op, _is_store) else _outstanding(ctx, op, pending)
    ctx.hardware.async_copy.wait(ctx.writer, pending)
    for result in op.results:
        ctx.define(result, [])


def _is_store(op: Operation) -> bool:
    """Check for a copy to global memory: it shares a counter with copies to LDS, without order."""
    return isinstance(op, amdg.AsyncCopyLocalToGlobalOp)


def _outstanding(ctx: LoweringContext, op: Operation, groups: int) -> int:
    """Count the instructions that may be outstanding after a wait for groups or tokens."""

    def count(each: Operation) -> int:
        return instructions_of(ctx, each)

    return (
        max_outstanding_for_tokens(op, count)
        if op.operands
        else max_outstanding_for_groups(op, groups, count)
    )


@lowers(amdg.AsyncWaitOp)
def _wait_for_instructions(ctx: LoweringContext, op: amdg.AsyncWaitOp) -> None:
    """Wait for instructions as Triton counts them, unless a warp may issue fewer for a copy."""
    pending, counts = integer_property(op, "num_inst"), CopyInstructions(ctx.axis_info)
    if function_contains(op, _is_store):
        pending = 0
    elif function_contains(op, lambda each: instructions_of(ctx, each) < counts.of(each)):
        # Without tokens it is unknown which copies the number is of.
        pending = min(pending, _outstanding(ctx, op, 0))
    ctx.hardware.async_copy.wait(ctx.writer, pending)
    ctx.define(op.results[0], [])
