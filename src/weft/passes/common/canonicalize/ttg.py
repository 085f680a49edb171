"""Patterns of ttg and amdg: warp specialization, and slices of concatenated tensors.

ttg.warp_specialize(%a, %unused, %a)                →  ttg.warp_specialize(%a)
%unused = ttg.warp_specialize(…)                    →  ttg.warp_specialize(…)
amdg.extract_slice (amdg.concat %a, %b)             →  %b, if the slice is exactly %b
amdg.concat %a                                      →  %a
"""

from __future__ import annotations

from weft.ir import amdg, ttg, types
from weft.ir.attributes import array_values
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _drop_captures(op: Operation, rewriter: Rewriter) -> bool:
    """Drop captures that no partition uses, and duplicates."""
    first: dict[SSAValue, int] = {}
    dropped: list[int] = []
    for index, value in enumerate(op.operands):
        arguments = [region.blocks[0].args[index] for region in op.regions]
        if all(argument.first_use is None for argument in arguments):
            dropped.append(index)
        elif value in first:
            for region, argument in zip(op.regions, arguments, strict=True):
                rewriter.replace_uses(argument, region.blocks[0].args[first[value]])
            dropped.append(index)
        else:
            first[value] = index
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
    """Drop results without uses."""
    used = [index for index, result in enumerate(op.results) if result.first_use is not None]
    if len(used) == len(op.results):
        return False
    for block in op.regions[0].blocks:
        last = block.last_op
        if isinstance(last, ttg.WarpYieldOp):
            last.operands = [last.operands[index] for index in used]
            rewriter.modified(last)
    regions = [op.detach_region(region) for region in tuple(op.regions)]
    new_op = rewriter.create(
        type(op),
        tuple(op.operands),
        [op.results[index].type for index in used],
        op.properties,
        op.attributes,
        regions,
        before=op,
    )
    values: list[SSAValue | None] = [None] * len(op.results)
    for position, index in enumerate(used):
        values[index] = new_op.results[position]
    rewriter.replace(op, values)
    return True


def _concat_of_one(op: Operation, rewriter: Rewriter) -> bool:
    if len(op.operands) != 1 or op.operands[0].type != op.results[0].type:
        return False
    rewriter.replace(op, (op.operands[0],))
    return True


def _slice_of_concat(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a slice of a concatenation by the operand that it covers."""
    concat = defining_op(op.operands[0], amdg.ConcatOp)
    if concat is None or concat.operands[0].type != op.results[0].type:
        return False
    part, total = types.shape(op.results[0].type), types.shape(op.operands[0].type)
    index = 0  # of the operand, in row-major order of the grid of operands
    for offset, size, extent in zip(
        array_values(op.properties["static_offsets"]), part, total, strict=True
    ):
        if offset % size:
            return False
        index = index * (extent // size) + offset // size
    rewriter.replace(op, (concat.operands[index],))
    return True


PATTERNS: PatternTable = {
    ttg.WarpSpecializePartitionsOp: (_drop_captures,),
    ttg.WarpSpecializeOp: (_drop_results,),
    amdg.ConcatOp: (_concat_of_one,),
    amdg.ExtractSliceOp: (_slice_of_concat,),
}
