"""tt.gather: by shuffles within warps, or through shared memory.

    %r = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64x4xf32, #s>, tensor<32x4xi32, #i>)

The result at (r, c) is the source at (i, c), where i is the index at (r, c). If the warp that holds
the index holds the whole column c, lane and register of the element are bits of i: each candidate
register is shuffled from that lane, and selects choose among them by bits of i. By hand, with lanes
[1], [2] and a register [4] along the axis, for i = 6: lane 2, register 1.

Otherwise every element is stored to shared memory, and after a barrier each thread loads what it
needs. Each CTA of a cluster stores the elements that it holds, and bits of the index select the CTA
to load from.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import shuffle_value
from weft.codegen.lowering.common.linear_maps import apply_bases, xor_all
from weft.codegen.lowering.common.registers import (
    layout_of,
    representative_parts,
    representative_registers,
)
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.common.warp_partials import storage_type
from weft.codegen.lowering.registry import lowers
from weft.ir import tt, types
from weft.layouts import LinearLayout
from weft.lowering_plans.axis_runs import segment_bases
from weft.lowering_plans.gather import (
    Bits,
    Column,
    columns_of,
    fastest_dim,
    find_homes,
    gather_bytes,
    index_bits,
    is_within_warps,
    memory_strides,
    stored_elements,
)
from weft.lowering_plans.properties import integer_property
from weft.targets import Target


@lowers(tt.GatherOp)
def _gather(ctx: LoweringContext, op: tt.GatherOp) -> None:
    places = _places(ctx, op)
    if is_within_warps(op):
        ctx.define(op.result, _by_shuffles(ctx, op, places))
    else:
        ctx.define(op.result, _through_memory(ctx, op, places))


def _places(ctx: LoweringContext, op: tt.GatherOp) -> list[str]:
    """Convert the indices to i32.

    An index out of range is undefined behaviour, which the simulator detects by a comment in the
    text.
    """
    type_, size = llvm_type(op.indices.type), types.shape(op.src.type)[integer_property(op, "axis")]
    values = ctx[op.indices]
    for value in dict.fromkeys(values):
        ctx.writer.require_below(type_, value, size)
    if type_ == "i32":
        return list(values)
    verb = "trunc" if int(type_[1:]) > 32 else "zext"
    return [ctx.writer.value(f"{verb} {type_} {value} to i32") for value in values]


def _number(ctx: LoweringContext, place: str, bits: list[Bits], kind: str) -> str:
    """Extract the lane or register bits of an index, an i32."""
    images = [0] * sum(len(one.run.bits) for one in bits)
    for one in bits:
        if one.run.kind == kind:
            for n, bit in enumerate(one.run.bits):
                images[one.first + n] = 1 << bit
    return apply_bases(ctx.writer, place, 32, images)[0]


def _by_shuffles(ctx: LoweringContext, op: tt.GatherOp, places: list[str]) -> list[str]:
    axis, w = integer_property(op, "axis"), ctx.writer
    source, indices = layout_of(op.src.type), layout_of(op.indices.type)
    bits, values, kind = index_bits(op), ctx[op.src], llvm_type(op.src.type)
    lanes = sum(one.run.mask for one in bits if one.run.kind == "lane")
    every = ctx.hardware.target.threads_per_warp - 1
    rest = ctx.threads.apply_bases("lane", _kept(every & ~lanes, every)) if lanes != every else "0"
    registers = [1 << bit for one in bits if one.run.kind == "register" for bit in one.run.bits]
    first_of: dict[Column, int] = {}
    for register, column in enumerate(columns_of(source, axis)):
        first_of.setdefault(column, register)
    results: list[str] = []
    firsts = representative_registers(indices)
    for register, column in enumerate(columns_of(indices, axis)):
        if firsts[register] != register:
            results.append(results[firsts[register]])
            continue
        place = places[register]
        lane = xor_all(w, [(_number(ctx, place, bits, "lane"), lanes), (rest, every & ~lanes)])[0]
        elements = [values[first_of[column] ^ offset] for offset in _sums(registers)]
        if lanes:
            elements = [_fetched(ctx, kind, value, lane) for value in elements]
        results.append(_chosen(ctx, kind, elements, place, bits))
    return results


def _kept(mask: int, every: int) -> list[int]:
    return [1 << bit & mask for bit in range(every.bit_length())]


def _sums(steps: list[int]) -> list[int]:
    """List all sums of subsets of the steps, in the order of the subsets' bit masks."""
    results = [0]
    for step in steps:
        results += [one | step for one in results]
    return results


def _fetched(ctx: LoweringContext, kind: str, value: str, lane: str) -> str:
    return shuffle_value(
        ctx.writer,
        kind,
        value,
        lambda word: ctx.hardware.lanes.shuffle_index(ctx.writer, word, lane),
    )


def _chosen(
    ctx: LoweringContext, kind: str, candidates: list[str], place: str, bits: list[Bits]
) -> str:
    """Select the register that an index names; each bit halves the candidates."""
    w = ctx.writer
    for one in reversed([one for one in bits if one.run.kind == "register"]):
        for n in reversed(range(len(one.run.bits))):
            masked = w.value(f"and i32 {place}, {1 << (one.first + n)}")
            is_set = w.value(f"icmp ne i32 {masked}, 0")
            half = len(candidates) // 2
            candidates = [
                w.value(f"select i1 {is_set}, {kind} {b}, {kind} {a}")
                for a, b in zip(candidates[:half], candidates[half:], strict=True)
            ]
    return candidates[0]


def _through_memory(ctx: LoweringContext, op: tt.GatherOp, places: list[str]) -> list[str]:
    w, axis, start = ctx.writer, integer_property(op, "axis"), ctx.scratch_offset(op)
    source, indices = layout_of(op.src.type), layout_of(op.indices.type)
    fastest = fastest_dim(source)
    kind = storage_type(llvm_type(op.src.type))
    _store_all(ctx, op, segment_bases(source, fastest, 0), start, kind)
    homes = find_homes(source, indices, axis)
    if homes is None:
        ctx.barrier()
    else:
        ctx.cluster_barrier()
    shape = types.shape(op.src.type)
    numbers = _numbers(indices, shape, axis, fastest)
    stride = memory_strides(shape, fastest)[axis]
    base = _slots(ctx, numbers)
    blocks = [] if homes is None else _slots(ctx, homes.of_indices)
    results: list[str] = []
    for register, (place, slot) in enumerate(zip(places, base, strict=True)):
        along = w.value(f"mul i32 {place}, {stride}") if stride > 1 else place
        at = w.value(f"add i32 {along}, {slot}") if slot != "0" else along
        if homes is None:
            address = f"ptr addrspace(3) {ctx.shared_address(kind, at, start)}"
        else:
            named = apply_bases(w, place, 32, homes.of_place)[0]
            home = w.value(f"xor i32 {named}, {blocks[register]}")
            address = _remote(ctx, ctx.shared_address(kind, at, start), home)
        value = w.value(f"load {kind}, {address}")
        results.append(
            value if kind == llvm_type(op.src.type) else w.value(f"trunc i8 {value} to i1")
        )
    if homes is not None:
        ctx.cluster_barrier()  # other CTAs may still be loading
    return results


def _remote(ctx: LoweringContext, address: str, home: str) -> str:
    moved = ctx.hardware.memory.remote_address(ctx.writer, address, home)
    return f"ptr addrspace({ctx.hardware.memory.remote_space}) {moved}"


def _numbers(
    indices: LinearLayout, shape: tuple[int, ...], axis: int, fastest: int
) -> dict[str, list[int]]:
    """List the slot offset of each bit of the index's position, without the gather axis."""
    strides = memory_strides(shape, fastest)
    strides[axis] = 0
    return {
        name: [
            sum(step * stride for step, stride in zip(indices.unpack(image), strides, strict=True))
            for image in indices.images(name)
        ]
        for name in indices.bases
    }


def _slots(ctx: LoweringContext, numbers: dict[str, list[int]]) -> list[str]:
    """Compute the slot offset of each register, the xor of contributions."""
    parts = []
    for name in ("lane", "warp", "block"):
        mask = reduce(or_, numbers[name], 0)
        parts.append((ctx.threads.apply_bases(name, numbers[name]), mask))
    start = xor_all(ctx.writer, parts)
    offsets = [0]
    for image in numbers["register"]:
        offsets += [offset ^ image for offset in offsets]
    slot_of: dict[int, str] = {}
    for offset in offsets:
        if offset not in slot_of:
            slot_of[offset] = xor_all(ctx.writer, [start, (str(offset), offset)])[0]
    return [slot_of[offset] for offset in offsets]


def _store_all(
    ctx: LoweringContext, op: tt.GatherOp, numbers: dict[str, list[int]], start: int, kind: str
) -> None:
    """Store every element once, by vector stores."""
    w, values = ctx.writer, list(ctx[op.src])
    if kind != llvm_type(op.src.type):
        values = [w.value(f"zext i1 {value} to i8") for value in values]
    together = stored_elements(numbers, storage_bytes(op.src.type))
    owner = ctx.owner_predicate_in_cta(op.src.type)
    slots = _slots(ctx, numbers)
    firsts = representative_parts(op.src.type)
    align = together * storage_bytes(op.src.type)
    with w.where(owner, "keep"):
        for first in range(0, len(values), together):
            if firsts[first] != first:
                continue
            address = ctx.shared_address(kind, slots[first], start)
            run = values[first : first + together]
            whole, type_ = run[0], kind
            if together > 1:
                type_, whole = f"<{together} x {kind}>", "poison"
                for n, value in enumerate(run):
                    whole = w.value(f"insertelement {type_} {whole}, {kind} {value}, i32 {n}")
            w.line(f"store {type_} {whole}, ptr addrspace(3) {address}, align {align}")


@scratch(tt.GatherOp)
def _bytes(op: tt.GatherOp, target: Target) -> int:
    """Count the bytes of the source, unless warps hold all elements that they gather."""
    return gather_bytes(op)
