"""AMD's buffer instructions: a scalar base, 32-bit offsets, and masks without branches.

    %v = amdg.buffer_load %p[%o], %m, %other : tensor<1024xf16, #blocked>

A lane whose mask is false gets an out-of-bounds offset, for which the hardware loads zero and
stores nothing; `other` is selected afterwards. `stride` has no effect, as with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation

from weft.codegen.hardware.capabilities.memory import Access
from weft.codegen.llvm.types import llvm_type, storage_bytes
from weft.codegen.llvm.word_packing import from_integer, pack_words, unpack_words
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.global_memory import zero_literal
from weft.codegen.lowering.registry import lowers
from weft.ir import amdg, types
from weft.ir.enums import CacheModifier
from weft.lowering_plans.global_access import buffer_width, vector_starts
from weft.targets import Target
from weft.targets.buffer_instructions import buffer_instructions

_RECORDS = (1 << 31) - 2  # bytes; every even positive i32 is in bounds
OUT_OF_BOUNDS = -(1 << 31)
RESOURCE = "ptr addrspace(8)"


def buffer_resource(ctx: LoweringContext, base: str, target: Target) -> str:
    """Create the resource descriptor of a buffer at an address."""
    return ctx.writer.call(
        RESOURCE,
        "llvm.amdgcn.make.buffer.rsrc.p8.p1",
        ("ptr addrspace(1)", base),
        ("i16", "0"),
        ("i64", str(_RECORDS)),
        ("i32", str(target.buffer_resource_flags)),
    )


def cache_bits(ctx: LoweringContext, op: Operation, kind: str) -> int:
    """Get the cache policy bits of an instruction."""
    modifier = CacheModifier.of(op.properties["cache"]).keyword
    return buffer_instructions(str(ctx.hardware.target.arch)).cache_bits(kind, modifier)


def buffer_offset(ctx: LoweringContext, offset: str, size: int, mask: str) -> str:
    """Compute the offset in bytes, out of bounds where the mask is false."""
    w = ctx.writer
    byte_offset = w.value(f"mul i32 {offset}, {size}") if size > 1 else offset
    if not mask:
        return byte_offset
    return w.value(f"select i1 {mask}, i32 {byte_offset}, i32 {OUT_OF_BOUNDS}")


def _word(bits: int) -> tuple[str, int, int]:
    """Get the LLVM type of an access, the number of its words, and the bits of each."""
    if bits <= 32:
        return f"i{bits}", 1, bits
    return f"<{bits // 32} x i32>", bits // 32, 32


def _suffix(type_: str) -> str:
    return type_ if type_.startswith("i") else f"v{type_[1]}i32"


@lowers(amdg.BufferLoadOp)
def _load(ctx: LoweringContext, op: amdg.BufferLoadOp) -> None:
    results = load_buffer_registers(ctx, op, op.result.type)
    ctx.define(op.result, ctx.replicate(op.result, results))


def load_buffer_registers(
    ctx: LoweringContext, op: amdg.BufferLoadOp | amdg.BufferLoadToLocalOp, data: Attribute
) -> list[str]:
    """Load the elements of a buffer.

    Args:
        ctx: State of the function.
        op: The load.
        data: Type of the tensor that it loads.

    Returns:
        The elements by register, "" for those that repeat others.
    """
    w = ctx.writer
    count = buffer_width(ctx.axis_info, op, op.offsets, op.mask, data)
    resource = buffer_resource(ctx, ctx.scalar(op.ptr), ctx.hardware.target)
    masks = None if op.mask is None else ctx[op.mask]
    others = None if op.other is None else ctx[op.other]
    results = [""] * ctx.num_registers(op.offsets)
    size, element = storage_bytes(data), _element(data)
    auxiliary = cache_bits(ctx, op, "load")
    for start in vector_starts(data, count):
        type_, words, bits = _word(8 * size * count)
        mask = "" if masks is None else masks[start]
        where = buffer_offset(ctx, ctx[op.offsets][start], size, mask)
        loaded = w.call(
            type_,
            f"llvm.amdgcn.raw.ptr.buffer.load.{_suffix(type_)}",
            (RESOURCE, resource),
            ("i32", where),
            ("i32", "0"),
            ("i32", str(auxiliary)),
        )
        parts = [loaded]
        if words > 1:
            parts = [w.value(f"extractelement {type_} {loaded}, i32 {n}") for n in range(words)]
        result = unpack_buffer_words(ctx, Access(element, count, 8 * size, ""), parts, bits)
        if types.element(data) == types.i1:
            result = [w.value(f"trunc i8 {value} to i1") for value in result]
        for n, value in enumerate(result, start):
            results[n] = _select_other(
                ctx, data, value, mask, None if others is None else others[n]
            )
    return results


def _element(data: Attribute) -> str:
    return "i8" if types.element(data) == types.i1 else llvm_type(data)


def _select_other(
    ctx: LoweringContext, data: Attribute, value: str, mask: str, other: str | None
) -> str:
    """Select the loaded value, or `other` where the mask is false."""
    type_ = llvm_type(data)
    if not mask or other in (None, zero_literal(type_)):
        return value  # out-of-bounds loads return zero
    return ctx.writer.value(f"select i1 {mask}, {type_} {value}, {type_} {other}")


def unpack_buffer_words(
    ctx: LoweringContext, access: Access, words: Sequence[str], bits: int
) -> list[str]:
    """Unpack the elements of words; an element of 64 bits takes two words."""
    if access.bits <= bits:
        return unpack_words(ctx.writer, access.element, access.bits, words, bits)
    w, results = ctx.writer, []
    for n in range(0, len(words), 2):
        pair = w.value(f"insertelement <2 x i32> poison, i32 {words[n]}, i32 0")
        pair = w.value(f"insertelement <2 x i32> {pair}, i32 {words[n + 1]}, i32 1")
        whole = w.value(f"bitcast <2 x i32> {pair} to i64")
        results.append(from_integer(w, access.element, 64, whole))
    return results


@lowers(amdg.BufferStoreOp)
def _store(ctx: LoweringContext, op: amdg.BufferStoreOp) -> None:
    data, w = op.value.type, ctx.writer
    count = buffer_width(ctx.axis_info, op, op.offsets, op.mask, data)
    resource = buffer_resource(ctx, ctx.scalar(op.ptr), ctx.hardware.target)
    owner = ctx.owner_predicate(data)
    size = storage_bytes(data)
    values = ctx[op.value]
    if types.element(data) == types.i1:
        values = tuple(w.value(f"zext i1 {value} to i8") for value in values)
    auxiliary = cache_bits(ctx, op, "store")
    for start in vector_starts(data, count):
        type_, words, bits = _word(8 * size * count)
        mask = owner
        if op.mask is not None:
            own = ctx[op.mask][start]
            mask = w.value(f"and i1 {owner}, {own}") if owner else own
        where = buffer_offset(ctx, ctx[op.offsets][start], size, mask)
        elements = values[start : start + count]
        parts = pack_words(w, _element(data), 8 * size, elements, max(bits, 8 * size))
        if 8 * size > bits:
            parts = [half for part in parts for half in _halves(ctx, part)]
        whole = parts[0]
        if words > 1:
            whole = "poison"
            for n, part in enumerate(parts):
                whole = w.value(f"insertelement {type_} {whole}, i32 {part}, i32 {n}")
        w.call(
            "void",
            f"llvm.amdgcn.raw.ptr.buffer.store.{_suffix(type_)}",
            (type_, whole),
            (RESOURCE, resource),
            ("i32", where),
            ("i32", "0"),
            ("i32", str(auxiliary)),
        )


def _halves(ctx: LoweringContext, value: str) -> list[str]:
    pair = ctx.writer.value(f"bitcast i64 {value} to <2 x i32>")
    return [ctx.writer.value(f"extractelement <2 x i32> {pair}, i32 {n}") for n in range(2)]
