"""Atomic updates by AMD's buffer instructions.

    %old = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %x, %p[%o], %m : tensor<64xf32, #blocked>

A lane whose mask is false gets an out-of-bounds offset, as with loads and stores. The instructions
have no memory order, so fences before and after them release and acquire. Updates without a buffer
instruction use a global address.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from xdsl.ir import Operation, SSAValue

from weft.codegen.hardware.capabilities.memory import Atomic
from weft.codegen.llvm.types import intrinsic_suffix, llvm_type, storage_bytes
from weft.codegen.llvm.word_packing import as_integer, from_integer
from weft.codegen.lowering.amd.buffer import RESOURCE, buffer_offset, buffer_resource
from weft.codegen.lowering.atomics import check_element, memory_order, predicates
from weft.codegen.lowering.common.atomic_results import broadcast_result
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.registry import lowers
from weft.ir import amdg
from weft.ir.enums import RMWOp
from weft.lowering_plans.atomics import broadcast_bytes, buffer_atomic_width
from weft.lowering_plans.global_access import vector_starts
from weft.targets import Target
from weft.targets.buffer_instructions import buffer_instructions

_VERBS = {
    "add": "add",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "max": "smax",
    "min": "smin",
    "umax": "umax",
    "umin": "umin",
    "exch": "swap",
    "fadd": "fadd",
    "cas": "cmpswap",
}


class Update(Struct, frozen=True):
    """An atomic update through a buffer.

    Attributes:
        op: The operation.
        operation: Triton's keyword; "cas" for compare and swap.
        base: Base pointer.
        offsets: Offsets of the elements.
        values: Operands; of compare and swap the expected and the new value.
        mask: The mask, if any.
    """

    op: amdg.BufferAtomicRMWOp | amdg.BufferAtomicCASOp
    operation: str
    base: SSAValue
    offsets: SSAValue
    values: Sequence[SSAValue]
    mask: SSAValue | None

    @property
    def element(self) -> str:
        """The LLVM type of an element."""
        return llvm_type(self.op.results[0].type)

    @property
    def size(self) -> int:
        """The bytes of an element."""
        return storage_bytes(self.op.results[0].type)


@lowers(amdg.BufferAtomicRMWOp)
def _combine(ctx: LoweringContext, op: amdg.BufferAtomicRMWOp) -> None:
    operation = RMWOp.of(op.properties["atomic_rmw_op"]).keyword
    _update(ctx, Update(op, operation, op.ptr, op.offsets, [op.value], op.mask))


@lowers(amdg.BufferAtomicCASOp)
def _compare_and_swap(ctx: LoweringContext, op: amdg.BufferAtomicCASOp) -> None:
    _update(ctx, Update(op, "cas", op.ptr, op.offsets, [op.cmp, op.val], None))


def _update(ctx: LoweringContext, one: Update) -> None:
    result = one.op.results[0]
    check_element(one.operation, one.element, 8 * one.size)
    count = buffer_atomic_width(ctx.axis_info, one.op, one.mask, one.operation, ctx.hardware.target)
    order, scope = memory_order(one.op)
    owner = ctx.owner_predicate(result.type)
    results = [""] * ctx.num_registers(result)
    if order in ("release", "acq_rel"):
        ctx.hardware.memory.fence(ctx.writer, "release", scope)
    by_buffer = _has_instruction(ctx, one, count)
    resource = ""
    if by_buffer:
        resource = buffer_resource(ctx, ctx.scalar(one.base), ctx.hardware.target)
    starts = list(vector_starts(result.type, count))
    wheres = predicates(ctx, owner, one.mask, starts)
    for start, predicate in zip(starts, wheres, strict=True):
        if by_buffer:
            old = _by_buffer(ctx, one, resource, range(start, start + count), predicate)
        else:
            old = _by_address(ctx, one, range(start, start + count), predicate, scope)
        results[start : start + count] = old
    if order in ("acquire", "acq_rel"):
        ctx.hardware.memory.fence(ctx.writer, "acquire", scope)
    if result.uses:
        registers = broadcast_result(ctx, one.op, owner, ctx.replicate(result, results))
        ctx.define(result, registers)


def _has_instruction(ctx: LoweringContext, one: Update, count: int) -> bool:
    """Check whether the chip has a buffer atomic for so many elements."""
    rows = buffer_instructions(str(ctx.hardware.target.arch))
    whole = one.size * count >= 4
    return whole and rows.has_atomic(one.operation, intrinsic_suffix(one.element))


def _by_buffer(
    ctx: LoweringContext, one: Update, resource: str, run: range, predicate: str
) -> list[str]:
    w, bits = ctx.writer, 8 * one.size
    where = buffer_offset(ctx, ctx[one.offsets][run.start], one.size, predicate)
    type_ = one.element if one.operation == "fadd" else f"i{bits}"
    values = [ctx[value][run.start] for value in one.values]
    if type_ != one.element:
        values = [as_integer(w, one.element, bits, value) for value in values]
    name = intrinsic_suffix(type_)
    if len(run) > 1:
        registers = [ctx[one.values[0]][n] for n in run]
        values = [_vector(ctx, type_, registers)]
        type_, name = f"<{len(run)} x {type_}>", f"v{len(run)}{name}"
    operands = [(type_, value) for value in reversed(values)]  # the new value comes first
    old = w.call(
        type_,
        f"llvm.amdgcn.raw.ptr.buffer.atomic.{_VERBS[one.operation]}.{name}",
        *operands,
        (RESOURCE, resource),
        ("i32", where),
        ("i32", "0"),
        ("i32", "0"),
    )
    if len(run) > 1:
        return [w.value(f"extractelement {type_} {old}, i32 {n}") for n in range(len(run))]
    return [old if type_ == one.element else from_integer(w, one.element, bits, old)]


def _vector(ctx: LoweringContext, type_: str, values: Sequence[str]) -> str:
    vector, whole = f"<{len(values)} x {type_}>", "poison"
    for n, value in enumerate(values):
        whole = ctx.writer.value(f"insertelement {vector} {whole}, {type_} {value}, i32 {n}")
    return whole


def _by_address(
    ctx: LoweringContext, one: Update, run: range, predicate: str, scope: str
) -> list[str]:
    offset = ctx[one.offsets][run.start]
    address = ctx.writer.value(
        f"getelementptr {one.element}, ptr addrspace(1) {ctx.scalar(one.base)}, i32 {offset}"
    )
    update = Atomic(
        one.operation,
        one.element,
        len(run),
        8 * one.size,
        address,
        predicate,
        "relaxed",
        scope,
    )
    values = [ctx[value][n] for value in one.values for n in run]
    return ctx.hardware.memory.atomics(ctx.writer, [update], [values])


@scratch(amdg.BufferAtomicRMWOp, amdg.BufferAtomicCASOp)
def _bytes(op: Operation, target: Target) -> int:
    """Count a slot per element if several warps hold it and the result has uses."""
    return broadcast_bytes(op)
