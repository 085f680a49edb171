"""Folds and patterns of ttg and amdg on buffers, partitions of warps and boxes of tensors.

ttg.memdesc_trans (ttg.memdesc_trans %m)            →  ttg.memdesc_trans %m, orders composed
ttg.memdesc_subslice (ttg.memdesc_subslice %m[a])[b]  →  ttg.memdesc_subslice %m[a + b]
ttg.memdesc_reinterpret %m : T -> T                 →  %m
ttg.local_alloc (ttg.local_load %m)                 →  %m           (both never written)
ttg.warp_specialize(%a, %unread, %a)                →  ttg.warp_specialize(%a)
%unread = ttg.warp_specialize(…)                    →  ttg.warp_specialize(…)
amdg.extract_slice (amdg.concat %a, %b)             →  %b, where the box is that of %b
amdg.concat %a                                      →  %a
"""

from __future__ import annotations

from weft.ir import amdg, attributes, ttg, types
from weft.ir.attributes import array_values
from weft.ir.builtin import Operation, SSAValue
from weft.passes.rewrite.greedy import IN_PLACE, Fold, Folded, Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.ttir.canonicalize.arith_integer import producer

__all__ = ["FOLDS", "PATTERNS"]


# ------------------------------------------------------------------------------------------ folds
def _memdesc_trans(op: Operation) -> Folded:
    order = array_values(op.properties["order"])
    if order == tuple(range(len(order))):
        return op.operands[0]
    inner = producer(op.operands[0], ttg.MemDescTransOp)
    if inner is None:
        return None
    first = array_values(inner.properties["order"])
    op.properties["order"] = attributes.array_i32(tuple(first[axis] for axis in order))
    op.operands[0] = inner.operands[0]
    return IN_PLACE


def _memdesc_subslice(op: Operation) -> Folded:
    inner = producer(op.operands[0], ttg.MemDescSubsliceOp)
    if inner is None:
        return None
    pairs = zip(
        array_values(inner.properties["offsets"]), array_values(op.properties["offsets"]),
        strict=True,
    )  # fmt: skip
    op.properties["offsets"] = attributes.array_i32(tuple(a + b for a, b in pairs))
    op.operands[0] = inner.operands[0]
    return IN_PLACE


def _memdesc_reinterpret(op: Operation) -> Folded:
    source = op.operands[0]
    return source if source.type == op.results[0].type else None


def _local_alloc(op: Operation) -> Folded:
    """A copy of a buffer that nobody may write is that buffer."""
    type_ = op.results[0].type
    if not op.operands or not isinstance(type_, ttg.MemDescType) or type_.is_mutable:
        return None
    loaded = producer(op.operands[0], ttg.LocalLoadOp)
    if loaded is None or loaded.operands[0].type != type_:
        return None
    return loaded.operands[0]


FOLDS: dict[type[Operation], Fold] = {
    ttg.MemDescTransOp: _memdesc_trans,
    ttg.MemDescSubsliceOp: _memdesc_subslice,
    ttg.MemDescReinterpretOp: _memdesc_reinterpret,
    ttg.LocalAllocOp: _local_alloc,
}


# --------------------------------------------------------------------------------------- patterns
def _drop_captures(op: Operation, rewriter: Rewriter) -> bool:
    """Pass to the partitions each value once, and none that no partition reads."""
    kept: dict[SSAValue, int] = {}
    dropped: list[int] = []
    for index, value in enumerate(op.operands):
        arguments = [region.blocks[0].args[index] for region in op.regions]
        if all(argument.first_use is None for argument in arguments):
            dropped.append(index)
        elif value in kept:
            for region, argument in zip(op.regions, arguments, strict=True):
                rewriter.replace_uses(argument, region.blocks[0].args[kept[value]])
            dropped.append(index)
        else:
            kept[value] = index
    if not dropped:
        return False
    for index in reversed(dropped):
        for region in op.regions:
            block = region.blocks[0]
            block.erase_arg(block.args[index])
    op.operands = [value for index, value in enumerate(op.operands) if index not in dropped]
    rewriter.modified(op)
    return True


def _drop_results(op: Operation, rewriter: Rewriter) -> bool:
    """Give no result that nobody reads."""
    used = [index for index, result in enumerate(op.results) if result.first_use is not None]
    if len(used) == len(op.results):
        return False
    for block in op.regions[0].blocks:
        last = block.last_op
        if isinstance(last, ttg.WarpYieldOp):
            last.operands = [last.operands[index] for index in used]
            rewriter.modified(last)
    regions = [op.detach_region(region) for region in tuple(op.regions)]
    fresh = rewriter.create(
        type(op),
        tuple(op.operands),
        [op.results[index].type for index in used],
        op.properties,
        op.attributes,
        regions,
        before=op,
    )
    values: list[SSAValue | None] = [None] * len(op.results)
    for place, index in enumerate(used):
        values[index] = fresh.results[place]
    rewriter.replace(op, values)
    return True


def _concat_of_one(op: Operation, rewriter: Rewriter) -> bool:
    if len(op.operands) != 1 or op.operands[0].type != op.results[0].type:
        return False
    rewriter.replace(op, (op.operands[0],))
    return True


def _slice_of_concat(op: Operation, rewriter: Rewriter) -> bool:
    """Take the part of a concatenation that the box is, if it is one."""
    whole = producer(op.operands[0], amdg.ConcatOp)
    if whole is None or whole.operands[0].type != op.results[0].type:
        return False
    part, total = types.shape(op.results[0].type), types.shape(op.operands[0].type)
    index = 0
    for offset, size, extent in zip(
        array_values(op.properties["static_offsets"]), part, total, strict=True
    ):
        if offset % size:
            return False
        index = index * (extent // size) + offset // size
    rewriter.replace(op, (whole.operands[index],))
    return True


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    ttg.WarpSpecializePartitionsOp: (_drop_captures,),
    ttg.WarpSpecializeOp: (_drop_results,),
    amdg.ConcatOp: (_concat_of_one,),
    amdg.ExtractSliceOp: (_slice_of_concat,),
}
