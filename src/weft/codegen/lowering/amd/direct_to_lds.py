"""Direct-to-LDS loads: copies from global memory to LDS without registers.

    amdg.buffer_load_to_local %p[%o] mask = %m into %b    →    buffer_load_dwordx4 … offen lds
    ttg.async_copy_global_to_local %q, %b                 →    global_load_lds_dwordx4

The lanes of a wave write contiguously: lane l to base + l · bytes, where the base is uniform. If
the layout is swizzled, lane l's vector may belong to another position s. Then lane s takes pointer
and mask of lane l by a shuffle before the load:

    offset of lane l, instruction c    M l ^ c      position s loads what lane M⁻¹ (s ^ c) points to

By hand, for a swizzle that exchanges neighbouring vectors in odd rows (c = 1): lane 4 loads the
vector of lane 5, and lane 5 that of lane 4.

If a lane's mask is false, a buffer load gets an out-of-bounds offset, for which the hardware writes
zeros. A load by pointer is a branch, and the masked lanes store `other`.

If the lanes of a wave would not write contiguously, the copy is a load to registers and a store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from xdsl.ir import Attribute, SSAValue

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.llvm.word_packing import as_integer
from weft.codegen.lowering.amd.buffer import (
    OUT_OF_BOUNDS,
    RESOURCE,
    buffer_resource,
    cache_bits,
    load_buffer_registers,
)
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import shuffle_value
from weft.codegen.lowering.common.linear_maps import xor_all
from weft.codegen.lowering.common.registers import layout_of, representative_parts
from weft.codegen.lowering.global_memory import load_registers, zero_literal
from weft.codegen.lowering.local_memory import write_registers
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import amdg, ttg, types
from weft.layouts import PaddedSharedEncoding, gf2
from weft.layouts.column_action import remove_broadcast
from weft.layouts.plans.direct_to_lds import lane_positions
from weft.layouts.plans.shared_access import SharedAccess
from weft.lowering_plans.memdesc import memdesc_of
from weft.lowering_plans.shared_access import plan_async_copy, plan_buffer_copy

__all__ = ["copy_by_pointer", "count_buffer_loads"]

# Alias metadata of the intrinsics, so that LLVM does not wait for them before every load from LDS:
# the IR has the waits.
ALIAS_SCOPE, NO_ALIAS = ", !alias.scope !3", ", !noalias !3"


class _Instruction(Struct, frozen=True):
    """One instruction of a copy.

    Attributes:
        registers: Registers of the tensor, the first of which has the pointer or offset.
        base: The wave's LDS address.
        own: The lane's LDS address.
        source_lane: The lane whose pointer and mask this lane uses; "" for itself.
    """

    registers: Sequence[int]
    base: str
    own: str
    source_lane: str


def count_buffer_loads(ctx: LoweringContext, op: amdg.BufferLoadToLocalOp) -> int:
    """Count the instructions of a copy that every warp issues."""
    if op.other is not None:
        return 0  # a warp whose lanes are all masked branches around them
    access = plan_buffer_copy(op, ctx.axis_info, ctx.hardware.target)
    return 0 if access is None else len(access.register_numbers()[0])


def _instructions(
    ctx: LoweringContext, tensor: Attribute, view: SSAValue, access: SharedAccess
) -> Iterator[_Instruction]:
    """Yield the addresses of each instruction of a copy."""
    w, type_ = ctx.writer, memdesc_of(view)
    address, view_offset = ctx.view(view)
    if not view_offset.isdigit():
        raise CodegenError(
            "a direct-to-LDS copy needs a constant offset in the buffer", found=type_
        )
    bits = 8 * storage_bytes(type_.element_type)
    count = access.tile.bits // bits
    places = lane_positions(access, count)
    assert places is not None
    # The lanes of a wave write a contiguous, aligned window; a swizzle permutes vectors within it.
    window = (1 << len(places)) * count - 1
    inverse = gf2.solve(places, [1 << bit for bit in range(len(places))])
    assert inverse is not None
    layout = layout_of(tensor)
    unique_registers = remove_broadcast(layout).apply_values(range(layout.in_dims["register"]))
    every = (1 << len(places)) - 1
    warps = access.warp_offsets()
    first, mask = ctx.threads.offset([0], [image & ~window for image in warps])
    shifts = [_mapped(inverse, (image & window) // count) for image in warps]
    lane, _ = ctx.threads.offset(inverse, shifts)
    straight = inverse == [1 << bit for bit in range(len(inverse))] and not any(shifts)
    own = ctx.threads.apply_bases(
        "lane", [access.tile.bits // 8 << bit for bit in range(len(places))]
    )
    for instruction, registers in enumerate(access.register_numbers()[0]):
        constant = access.instruction_offsets()[instruction] ^ int(view_offset)
        offset, _ = xor_all(w, [(first, mask), (str(constant & ~window), constant & ~window)])
        if isinstance(type_.encoding, PaddedSharedEncoding):
            offset = _with_gaps(ctx, type_.encoding, offset)
        base = w.value(f"getelementptr i{bits}, ptr addrspace(3) {address}, i32 {offset}")
        shift = _mapped(inverse, (constant & window) // count)
        source_lane = (
            "" if straight and not shift else xor_all(w, [(lane, every), (str(shift), shift)])[0]
        )
        yield _Instruction(
            [unique_registers[register] for register in registers],
            base,
            w.value(f"getelementptr i8, ptr addrspace(3) {base}, i32 {own}"),
            source_lane,
        )


def _mapped(images: Sequence[int], value: int) -> int:
    """Compute the xor of the images of a value's bits."""
    total = 0
    for bit, image in enumerate(images):
        total ^= image if value >> bit & 1 else 0
    return total


def _with_gaps(ctx: LoweringContext, encoding: PaddedSharedEncoding, offset: str) -> str:
    w, total = ctx.writer, offset
    if offset == "0":
        return offset
    for interval, amount in zip(encoding.intervals, encoding.paddings, strict=True):
        gaps = w.value(f"lshr i32 {offset}, {interval.bit_length() - 1}")
        total = w.value(f"add i32 {total}, {w.value(f'mul i32 {gaps}, {amount}')}")
    return total


def _from_source_lane(ctx: LoweringContext, place: _Instruction, type_: str, value: str) -> str:
    """Read a value from the lane whose vector this lane copies."""
    if not place.source_lane or not value:
        return value
    return shuffle_value(
        ctx.writer,
        type_,
        value,
        lambda word: ctx.hardware.lanes.shuffle_index(ctx.writer, word, place.source_lane),
    )


def _others(ctx: LoweringContext, place: _Instruction, value: SSAValue | None) -> list[str]:
    """List the elements for lanes whose mask is false; [] for zeros."""
    if value is None:
        return []
    values = [ctx[value][register] for register in place.registers]
    return [
        _from_source_lane(ctx, place, llvm_type(value.type), each) if each.startswith("%") else each
        for each in values
    ]


def _write_predicate(ctx: LoweringContext, access: SharedAccess, predicate: str) -> str:
    """Compute whether a lane writes: its mask is true, and no other lane writes the same."""
    is_owner = ctx.threads.bits_are_zero({"lane": access.idle_lanes, "warp": access.idle_warps})
    if is_owner and predicate:
        return ctx.writer.value(f"and i1 {is_owner}, {predicate}")
    return is_owner or predicate


def copy_by_pointer(ctx: LoweringContext, op: ttg.AsyncCopyGlobalToLocalOp) -> None:
    """Lower a copy from pointers."""
    access = plan_async_copy(op, ctx.axis_info, ctx.hardware.target)
    if access is None:
        results = load_registers(ctx, op, op.src, op.mask, op.other)
        _copy_registers(ctx, op.src.type, results, op.result)
        return
    size = access.tile.bits // 8
    for place in _instructions(ctx, op.src.type, op.result, access):
        start = place.registers[0]
        source = _from_source_lane(ctx, place, "ptr addrspace(1)", ctx[op.src][start])
        mask = "" if op.mask is None else _from_source_lane(ctx, place, "i1", ctx[op.mask][start])
        arguments = [
            ("ptr addrspace(1)", source),
            ("ptr addrspace(3)", place.base),
            ("i32", str(size)),
            ("i32", "0"),
            ("i32", str(cache_bits(ctx, op, "load"))),
        ]
        others = _others(ctx, place, op.other)
        _branch(
            ctx, access, mask, place, ("llvm.amdgcn.global.load.lds", arguments), op.other, others
        )


def _copy_registers(
    ctx: LoweringContext, tensor: Attribute, registers: Sequence[str], view: SSAValue
) -> None:
    """Store what was loaded, where no copy can bypass the registers."""
    data = types.with_element(tensor, memdesc_of(view).element_type)
    values = [registers[first] for first in representative_parts(data)]
    write_registers(ctx, data, values, view)


@lowers(amdg.BufferLoadToLocalOp)
def _copy_by_offset(ctx: LoweringContext, op: amdg.BufferLoadToLocalOp) -> None:
    element = memdesc_of(op.dest).element_type
    access = plan_buffer_copy(op, ctx.axis_info, ctx.hardware.target)
    if access is None:
        data = types.with_element(op.offsets.type, element)
        _copy_registers(ctx, op.offsets.type, load_buffer_registers(ctx, op, data), op.dest)
        ctx.define(op.token, [])
        return
    resource = buffer_resource(ctx, ctx.scalar(op.ptr), ctx.hardware.target)
    bytes_, w = storage_bytes(element), ctx.writer
    branches = op.other is not None
    for place in _instructions(ctx, op.offsets.type, op.dest, access):
        start = place.registers[0]
        offset = _from_source_lane(ctx, place, "i32", ctx[op.offsets][start])
        where = w.value(f"mul i32 {offset}, {bytes_}") if bytes_ > 1 else offset
        mask = "" if op.mask is None else _from_source_lane(ctx, place, "i1", ctx[op.mask][start])
        if mask and not branches:
            where = w.value(f"select i1 {mask}, i32 {where}, i32 {OUT_OF_BOUNDS}")
        arguments = [
            (RESOURCE, resource),
            ("ptr addrspace(3)", place.base),
            ("i32", str(access.tile.bits // 8)),
            ("i32", where),
            ("i32", "0"),
            ("i32", "0"),
            ("i32", str(cache_bits(ctx, op, "load"))),
        ]
        others = _others(ctx, place, op.other)
        call = "llvm.amdgcn.raw.ptr.buffer.load.lds", arguments
        _branch(ctx, access, mask if branches else "", place, call, op.other, others)
    ctx.define(op.token, [])


def _branch(
    ctx: LoweringContext,
    access: SharedAccess,
    mask: str,
    place: _Instruction,
    call: tuple[str, list[tuple[str, str]]],
    others: SSAValue | None,
    kept: Sequence[str],
) -> None:
    """Write a copy where the mask is true, and a store of `others` where it is false.

    Args:
        ctx: State of the function.
        access: The access plan.
        mask: An i1; "" for true.
        place: The instruction's addresses.
        call: Intrinsic and arguments.
        others: The operand that `kept` are elements of, if any.
        kept: Elements for masked lanes; zeros if empty.
    """
    w = ctx.writer
    predicate = _write_predicate(ctx, access, mask)
    inside, skipped, after = w.label("copy"), w.label("kept"), w.label("copied")
    if predicate:
        w.branch(predicate, inside, skipped if mask else after)
        w.start(inside)
    w.call("void", call[0], *call[1], attributes=ALIAS_SCOPE)
    if not predicate:
        return
    w.jump(after)
    if mask:
        w.start(skipped)
        _keep(ctx, access, place, others, kept)
        w.jump(after)
    w.start(after)


def _keep(
    ctx: LoweringContext,
    access: SharedAccess,
    place: _Instruction,
    others: SSAValue | None,
    kept: Sequence[str],
) -> None:
    """Store the elements of a masked lane."""
    w, size = ctx.writer, access.tile.bits // 8
    vector = f"<{access.tile.bits // 32} x i32>"
    whole = "zeroinitializer"
    if kept and others is not None:
        type_ = llvm_type(others.type)
        bits = 8 * storage_bytes(others.type)
        if any(value != zero_literal(type_) for value in kept):
            vector = f"<{len(kept)} x i{bits}>"
            whole = "poison"
            for n, value in enumerate(kept):
                integer = as_integer(w, type_, bits, value)
                whole = w.value(f"insertelement {vector} {whole}, i{bits} {integer}, i32 {n}")
    w.line(f"store {vector} {whole}, ptr addrspace(3) {place.own}, align {size}{NO_ALIAS}")
