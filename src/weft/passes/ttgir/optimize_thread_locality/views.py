"""Layouts in which a reduction of a free reshape, or a gather, stays close.

tensor<32x8xf32> reduced along 1      order [0, 1], lanes and warps along 0 first: each row
                                      lies in one thread, if there are as many rows
tensor<32x64xf32> gathered along 0    lanes along 0 as far as it goes, one warp along 0: each
                                      column lies in one warp, which can shuffle
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from weft.analysis.encoding_inference import is_expensive_view
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.hardware import blocks_of_cluster, threads_per_warp, warps_around
from weft.layouts import BlockedEncoding, Encoding, LinearLayout, default_blocked
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order
from weft.passes.ledger import record_decision
from weft.passes.registry import Pass
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["lay_out_gather", "lay_out_reshape"]


def _number(attribute: Attribute) -> int:
    number = attributes.number(attribute)
    assert isinstance(number, int)
    return number


def _module(op: Operation) -> ModuleOp:
    while (around := op.parent_op()) is not None:
        op = around
    assert isinstance(op, ModuleOp)
    return op


def _linear(type_: Attribute) -> tuple[Encoding, LinearLayout]:
    encoding = types.encoding(type_)
    assert encoding is not None
    return encoding, encoding.linear(types.shape(type_))


def lay_out_reshape(by: Pass, op: Operation, rewriter: Rewriter) -> bool:
    """Give a reshape in free order, whose result is reduced along one axis, a layout for that."""
    if "allow_reorder" not in op.properties:
        return False
    result = op.results[0]
    readers = [use.operation for use in result.uses]
    axes = {_number(one.properties["axis"]) for one in readers if isinstance(one, tt.ReduceOp)}
    if len(axes) != 1:
        return False
    axis = axes.pop()
    encoding, layout = _linear(result.type)
    if isinstance(encoding, BlockedEncoding) and _holds_all(encoding, axis):
        return False
    shape = types.shape(result.type)
    order = [dim for dim in dimension_order(layout) if dim != axis]
    module = _module(op)
    chosen = default_blocked(
        shape,
        warps_around(op),
        threads_per_warp(module),
        blocks_of_cluster(module),
        order=[*order, axis],
    )
    wanted = types.with_encoding(result.type, chosen)
    if chosen is encoding or is_expensive_view(op.operands[0].type, wanted):
        return False
    properties = {**op.properties, "efficient_layout": attributes.unit}
    laid_out = rewriter.create(
        tt.ReshapeOp, op.operands, [wanted], properties, op.attributes, before=op
    ).results[0]
    back = rewriter.create(ttg.ConvertLayoutOp, [laid_out], [result.type], before=op).results[0]
    why = f"what is reduced along dimension {axis} lies in as few threads as it can"
    record_decision(by, laid_out, str(chosen), why, facts=(("was", str(encoding)),))
    record_decision(by, back, str(encoding), "what reads the reshape stays as it is")
    rewriter.replace(op, [back])
    return True


def _holds_all(encoding: BlockedEncoding, axis: int) -> bool:
    """Tell whether a thread holds all elements along an axis."""
    in_cluster = any(vector[axis] for vector in cga_bases(encoding))
    return (
        encoding.threads_per_warp[axis] == 1
        and encoding.warps_per_cta[axis] == 1
        and not in_cluster
    )


def lay_out_gather(by: Pass, op: Operation, rewriter: Rewriter) -> bool:
    """Give a gather a layout in which each column that it picks from lies in one warp."""
    source, indices = op.operands
    if "efficient_layout" in op.properties or len(types.shape(source.type)) == 1:
        return False
    axis = _number(op.properties["axis"])
    chosen = _warp_local(op, source.type, axis)

    def laid_out(value: SSAValue) -> SSAValue:
        type_ = types.with_encoding(value.type, chosen)
        made = rewriter.create(ttg.ConvertLayoutOp, [value], [type_], before=op).results[0]
        record_decision(by, made, str(chosen), "what tt.gather reads", anchor=op.name)
        return made

    operands = [laid_out(source), laid_out(indices)]
    result = op.results[0]
    picked = rewriter.create(
        tt.GatherOp,
        operands,
        [types.with_encoding(result.type, chosen)],
        {**op.properties, "efficient_layout": attributes.unit},
        op.attributes,
        before=op,
    ).results[0]
    back = rewriter.create(ttg.ConvertLayoutOp, [picked], [result.type], before=op).results[0]
    record_decision(by, picked, str(chosen), f"a warp holds whole columns along dimension {axis}")
    record_decision(
        by, back, str(types.encoding(result.type)), "what reads the gather stays as it is"
    )
    rewriter.replace(op, [back])
    return True


def _warp_local(op: Operation, source: Attribute, axis: int) -> BlockedEncoding:
    """Return a layout of which each warp holds whole columns of the source.

    As many lanes as can be lie along the axis, so that each picks few; what lanes and warps are
    left over repeat along the axis.
    """
    encoding, layout = _linear(source)
    shape = types.shape(source)
    registers = dimension_order(layout)
    lanes, warps = [1] * len(shape), [1] * len(shape)
    all_lanes = threads_per_warp(_module(op))
    lanes[axis] = min(shape[axis], all_lanes)
    order = [dim for dim in dimension_order(layout, "lane", registers) if dim != axis]
    spare = _deal(lanes, shape, order, all_lanes // lanes[axis])
    room = [size // taken for size, taken in zip(shape, lanes, strict=True)]
    slow = [dim for dim in dimension_order(layout, "warp", registers) if dim != axis]
    spare_warps = _deal(warps, room, slow, warps_around(op))
    sizes = [1] * len(shape)
    sizes[axis] = shape[axis] // lanes[axis]
    lanes[axis] *= spare
    warps[axis] *= spare_warps
    assert prod(lanes) == all_lanes
    return BlockedEncoding(sizes, lanes, warps, [axis, *order], cga_bases(encoding))


def _deal(taken: list[int], room: Sequence[int], order: Sequence[int], count: int) -> int:
    """Deal out a number over dimensions, as many as each has room for; return what is left."""
    for dim in order:
        taken[dim] = min(room[dim], count)
        count //= taken[dim]
    return count
