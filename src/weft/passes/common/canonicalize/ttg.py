"""Patterns of ttg and amdg on partitions of warps and on boxes of tensors.

ttg.warp_specialize(%a, %unread, %a)                →  ttg.warp_specialize(%a)
%unread = ttg.warp_specialize(…)                    →  ttg.warp_specialize(…)
amdg.extract_slice (amdg.concat %a, %b)             →  %b, where the box is that of %b
amdg.concat %a                                      →  %a
"""

from __future__ import annotations

from weft.ir import amdg, ttg, types
from weft.ir.attributes import array_values
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


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
    whole = defining_op(op.operands[0], amdg.ConcatOp)
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
