"""ttg.local_gather and ttg.local_scatter: indexed access to a buffer in shared memory.

    %t = ttg.local_gather %b[%i] {axis = 1 : i32}     t[r, c] = b[r, i[r, c]]
    ttg.local_scatter %b[%i], %x {axis = 1 : i32}     b[r, i[r, c]] = x[r, c]

The layout is linear over GF(2), so an element's offset is the xor of the contributions of its
coordinates' bits; the index replaces one coordinate. An index wraps around the axis. If several
elements of a scatter have the same position, any of them is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.ir import SSAValue

from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.llvm.word_packing import as_integer, from_integer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.linear_maps import apply_bases, xor_all
from weft.codegen.lowering.common.registers import layout_of, representative_parts
from weft.codegen.lowering.registry import lowers
from weft.ir import ttg, types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearLayout, PaddedSharedEncoding
from weft.lowering_plans.memdesc import memdesc_of, memory_layout
from weft.lowering_plans.properties import integer_property

_INDEX = 32  # bits


@lowers(ttg.LocalGatherOp)
def _gather(ctx: LoweringContext, op: ttg.LocalGatherOp) -> None:
    w, element = ctx.writer, memdesc_of(op.src).element_type
    bits = 8 * storage_bytes(element)
    places = _addresses(ctx, op.src, op.indices, integer_property(op, "axis"))

    def read(register: int) -> str:
        (result,) = ctx.hardware.memory.load_shared(w, f"load b{bits}", bits, places[register], 1)
        return _from_memory(ctx, result, bits, op.result)

    ctx.define_each(op.result, read)


@lowers(ttg.LocalScatterOp)
def _scatter(ctx: LoweringContext, op: ttg.LocalScatterOp) -> None:
    w, kind = ctx.writer, llvm_type(op.values.type)
    bits = 8 * storage_bytes(memdesc_of(op.dst).element_type)
    places = _addresses(ctx, op.dst, op.indices, integer_property(op, "axis"))
    owner = ctx.owner_predicate(op.values.type)
    with w.where(owner, "scatter"):
        for register, first in enumerate(representative_parts(op.values.type)):
            if first == register:
                value = ctx[op.values][register]
                element = w.value(f"zext i1 {value} to i8") if kind == "i1" else value
                word = element if kind == "i1" else as_integer(w, kind, bits, element)
                ctx.hardware.memory.store_shared(
                    w, f"store b{bits}", bits, places[register], [word]
                )


def _from_memory(ctx: LoweringContext, word: str, bits: int, result: SSAValue) -> str:
    kind = llvm_type(result.type)
    if kind == "i1":
        return ctx.writer.value(f"trunc i8 {word} to i1")
    return from_integer(ctx.writer, kind, bits, word)


def _addresses(ctx: LoweringContext, view: SSAValue, indices: SSAValue, axis: int) -> list[str]:
    """Compute the address of each register's element."""
    w, type_ = ctx.writer, memdesc_of(view)
    layout, inverse = layout_of(indices.type), _offsets(type_)
    (base, moved), size = ctx.view(view), storage_bytes(type_.element_type)
    coordinates = [
        _as_indices(ctx, indices) if dim == axis else ctx.threads.indices(w, layout, dim)
        for dim in range(len(layout.out_dims))
    ]
    results = []
    for place in zip(*coordinates, strict=True):
        parts = [apply_bases(w, each, _INDEX, inverse[dim]) for dim, each in enumerate(place)]
        if moved != "0":
            parts.append((moved, int(moved) if moved.isdigit() else (1 << _INDEX - 1) - 1))
        offset = _with_gaps(ctx, type_, xor_all(w, parts)[0])
        results.append(w.value(f"getelementptr i{8 * size}, ptr addrspace(3) {base}, i32 {offset}"))
    return results


def _as_indices(ctx: LoweringContext, indices: SSAValue) -> list[str]:
    """Convert indices to i32."""
    bits = types.bit_width(types.element(indices.type))
    if bits == _INDEX:
        return list(ctx[indices])
    verb = "trunc" if bits > _INDEX else "zext"
    return [ctx.writer.value(f"{verb} i{bits} {each} to i32") for each in ctx[indices]]


@lru_cache(maxsize=1024)
def _offsets(type_: MemDescType) -> tuple[tuple[int, ...], ...]:
    """List the offset of each bit of each coordinate of a memory descriptor."""
    inverse: LinearLayout = memory_layout(type_).pseudoinvert()
    names = list(inverse.bases)[-len(type_.shape) :]
    return tuple(
        tuple(inverse.bases[name][bit][0] for bit in range(size.bit_length() - 1))
        for name, size in zip(names, type_.shape, strict=True)
    )


def _with_gaps(ctx: LoweringContext, type_: MemDescType, offset: str) -> str:
    w, encoding, total = ctx.writer, type_.encoding, offset
    if not isinstance(encoding, PaddedSharedEncoding):
        return offset
    pairs: Sequence[tuple[int, int]] = list(zip(encoding.intervals, encoding.paddings, strict=True))
    for interval, amount in pairs:
        gaps = w.value(f"lshr i32 {offset}, {interval.bit_length() - 1}")
        total = w.value(f"add i32 {total}, {w.value(f'mul i32 {gaps}, {amount}')}")
    return total
