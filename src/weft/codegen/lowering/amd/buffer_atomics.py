"""Atomic updates by AMD's buffer instructions.

    %old = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %x, %p[%o], %m : tensor<64xf32, #blocked>

A lane whose mask is false gets an offset behind the buffer's end, as with loads and stores; the
instruction carries no memory order, so fences stand before and behind. What a chip's buffer
instructions cannot update is updated through the address.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from weft.codegen.hardware.capabilities.memory import Atomic
from weft.codegen.hardware.common.llvm_atomics import atomic_width
from weft.codegen.llvm.types import llvm_type, storage_bytes, suffix
from weft.codegen.llvm.words import as_integer, from_integer
from weft.codegen.lowering.amd.buffer import RESOURCE, buffer_place, buffer_resource
from weft.codegen.lowering.atomics import check_element, predicates, said_order
from weft.codegen.lowering.common.atomic_results import shared_bytes, shared_with_all
from weft.codegen.lowering.common.lowering import Lowering
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.global_memory import runs_of
from weft.codegen.lowering.registry import lowers
from weft.ir import amdg
from weft.ir.enums import RMWOp
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


@dataclass(frozen=True, slots=True)
class Update:
    """One operation: what it does to which elements.

    values: what to combine with; of compare and swap what is expected, and what to write.
    """

    op: Operation
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
def _combine(low: Lowering, op: amdg.BufferAtomicRMWOp) -> None:
    operation = RMWOp.of(op.properties["atomic_rmw_op"]).keyword
    _update(low, Update(op, operation, op.ptr, op.offsets, [op.value], op.mask))


@lowers(amdg.BufferAtomicCASOp)
def _compare_and_swap(low: Lowering, op: amdg.BufferAtomicCASOp) -> None:
    _update(low, Update(op, "cas", op.ptr, op.offsets, [op.cmp, op.val], None))


def _update(low: Lowering, one: Update) -> None:
    result = one.op.results[0]
    check_element(one.operation, one.element, 8 * one.size)
    count = _width(low, one)
    order, scope = said_order(one.op)
    owner = low.owner(result.type)
    made = [""] * low.count(result)
    if order in ("release", "acq_rel"):
        low.hardware.memory.fence(low.writer, "release", scope)
    by_buffer = _has_instruction(low, one, count)
    resource = ""
    if by_buffer:
        resource = buffer_resource(low, low.scalar(one.base), low.hardware.target)
    starts = list(runs_of(result.type, count))
    wheres = predicates(low, owner, one.mask, starts)
    for start, predicate in zip(starts, wheres, strict=True):
        if by_buffer:
            old = _by_buffer(low, one, resource, range(start, start + count), predicate)
        else:
            old = _by_address(low, one, range(start, start + count), predicate, scope)
        made[start : start + count] = old
    if order in ("acquire", "acq_rel"):
        low.hardware.memory.fence(low.writer, "acquire", scope)
    if result.uses:
        registers = shared_with_all(low, one.op, owner, low.repeated(result, made))
        low.define(result, registers)


def _width(low: Lowering, one: Update) -> int:
    """Return how many registers one instruction takes."""
    most = atomic_width(low.hardware.target, one.operation, one.element)
    most = min(most, low.axis_info.contiguity(one.offsets, 8 * one.size))
    return most if one.mask is None else min(most, low.axis_info.mask_alignment(one.mask))


def _has_instruction(low: Lowering, one: Update, count: int) -> bool:
    """Tell whether the chip has a buffer instruction for so many elements at once."""
    rows = buffer_instructions(str(low.hardware.target.arch))
    whole = one.size * count >= 4
    return whole and rows.has_atomic(one.operation, suffix(one.element))


def _by_buffer(low: Lowering, one: Update, resource: str, run: range, predicate: str) -> list[str]:
    w, bits = low.writer, 8 * one.size
    where = buffer_place(low, low[one.offsets][run.start], one.size, predicate)
    type_ = one.element if one.operation == "fadd" else f"i{bits}"
    values = [low[value][run.start] for value in one.values]
    if type_ != one.element:
        values = [as_integer(w, one.element, bits, value) for value in values]
    name = suffix(type_)
    if len(run) > 1:
        registers = [low[one.values[0]][n] for n in run]
        values = [_vector(low, type_, registers)]
        type_, name = f"<{len(run)} x {type_}>", f"v{len(run)}{name}"
    given = [(type_, value) for value in reversed(values)]  # what to write comes first
    old = w.call(
        type_,
        f"llvm.amdgcn.raw.ptr.buffer.atomic.{_VERBS[one.operation]}.{name}",
        *given,
        (RESOURCE, resource),
        ("i32", where),
        ("i32", "0"),
        ("i32", "0"),
    )
    if len(run) > 1:
        return [w.value(f"extractelement {type_} {old}, i32 {n}") for n in range(len(run))]
    return [old if type_ == one.element else from_integer(w, one.element, bits, old)]


def _vector(low: Lowering, type_: str, values: Sequence[str]) -> str:
    vector, whole = f"<{len(values)} x {type_}>", "poison"
    for n, value in enumerate(values):
        whole = low.writer.value(f"insertelement {vector} {whole}, {type_} {value}, i32 {n}")
    return whole


def _by_address(low: Lowering, one: Update, run: range, predicate: str, scope: str) -> list[str]:
    offset = low[one.offsets][run.start]
    address = low.writer.value(
        f"getelementptr {one.element}, ptr addrspace(1) {low.scalar(one.base)}, i32 {offset}"
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
    values = [low[value][n] for value in one.values for n in run]
    return low.hardware.memory.atomics(low.writer, [update], [values])


@scratch(amdg.BufferAtomicRMWOp, amdg.BufferAtomicCASOp)
def _bytes(op: Operation, target: Target) -> int:
    """Count a slot per element where several warps hold it and anybody reads it."""
    return shared_bytes(op)
