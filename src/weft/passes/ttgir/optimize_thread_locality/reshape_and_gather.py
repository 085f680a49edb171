"""Layouts that keep the reduction of a reshape, or a gather, in one thread or warp.

tensor<32x8xf32> reduced along 1      lanes and warps along dimension 0 first: each row is in one
                                      thread if there are enough rows
tensor<32x64xf32> gathered along 0    as many lanes along dimension 0 as possible, one warp: each
                                      column is in one warp, which can shuffle
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from weft.analysis.encoding_inference import is_expensive_view
from weft.ir import attributes, tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.ir.module_attributes import lookup_num_ctas, lookup_num_warps, lookup_threads_per_warp
from weft.layouts import BlockedEncoding, Encoding, LinearLayout, default_blocked
from weft.layouts.cga import cga_bases
from weft.layouts.dimension_order import dimension_order
from weft.passes.ledger import record_decision
from weft.passes.registry import Pass
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["optimize_gather", "optimize_reshape"]


def _number(attribute: Attribute) -> int:
    number = attributes.number(attribute)
    assert isinstance(number, int)
    return number


def _module(op: Operation) -> ModuleOp:
    while (parent := op.parent_op()) is not None:
        op = parent
    assert isinstance(op, ModuleOp)
    return op


def _linear(type_: Attribute) -> tuple[Encoding, LinearLayout]:
    encoding = types.encoding(type_)
    assert encoding is not None
    return encoding, encoding.linear(types.shape(type_))


def optimize_reshape(by: Pass, op: Operation, rewriter: Rewriter) -> bool:
    """Change the layout of a reshape with `allow_reorder` that is reduced along one axis."""
    if "allow_reorder" not in op.properties:
        return False
    result = op.results[0]
    users = [use.operation for use in result.uses]
    axes = {_number(user.properties["axis"]) for user in users if isinstance(user, tt.ReduceOp)}
    if len(axes) != 1:
        return False
    axis = axes.pop()
    encoding, layout = _linear(result.type)
    if isinstance(encoding, BlockedEncoding) and _is_axis_in_thread(encoding, axis):
        return False
    shape = types.shape(result.type)
    # The default layout distributes threads in this order: the reduced axis comes last.
    order = [dim for dim in dimension_order(layout) if dim != axis]
    module = _module(op)
    new_encoding = default_blocked(
        shape,
        lookup_num_warps(op),
        lookup_threads_per_warp(module),
        lookup_num_ctas(module),
        order=[*order, axis],
    )
    new_type = types.with_encoding(result.type, new_encoding)
    if new_encoding is encoding or is_expensive_view(op.operands[0].type, new_type):
        return False
    properties = {**op.properties, "efficient_layout": attributes.unit}
    reshape = rewriter.create(
        tt.ReshapeOp, op.operands, [new_type], properties, op.attributes, before=op
    ).results[0]
    converted = rewriter.create(ttg.ConvertLayoutOp, [reshape], [result.type], before=op).results[0]
    reason = f"elements reduced along dimension {axis} are in as few threads as possible"
    record_decision(by, reshape, str(new_encoding), reason, facts=(("before", str(encoding)),))
    record_decision(by, converted, str(encoding), "users of the reshape keep their layout")
    rewriter.replace(op, [converted])
    return True


def _is_axis_in_thread(encoding: BlockedEncoding, axis: int) -> bool:
    """Check whether each thread has all elements along an axis."""
    is_split_between_ctas = any(vector[axis] for vector in cga_bases(encoding))
    return (
        encoding.threads_per_warp[axis] == 1
        and encoding.warps_per_cta[axis] == 1
        and not is_split_between_ctas
    )


def optimize_gather(by: Pass, op: Operation, rewriter: Rewriter) -> bool:
    """Change the layout of a gather so that each column of its source is in one warp."""
    source, indices = op.operands
    if "efficient_layout" in op.properties or len(types.shape(source.type)) == 1:
        return False
    axis = _number(op.properties["axis"])
    encoding = _warp_local_layout(op, source.type, axis)

    def convert(value: SSAValue) -> SSAValue:
        type_ = types.with_encoding(value.type, encoding)
        converted = rewriter.create(ttg.ConvertLayoutOp, [value], [type_], before=op).results[0]
        record_decision(by, converted, str(encoding), "an operand of tt.gather", anchor=op.name)
        return converted

    operands = [convert(source), convert(indices)]
    result = op.results[0]
    gather = rewriter.create(
        tt.GatherOp,
        operands,
        [types.with_encoding(result.type, encoding)],
        {**op.properties, "efficient_layout": attributes.unit},
        op.attributes,
        before=op,
    ).results[0]
    converted = rewriter.create(ttg.ConvertLayoutOp, [gather], [result.type], before=op).results[0]
    reason = f"each warp has whole columns along dimension {axis}"
    record_decision(by, gather, str(encoding), reason)
    layout = str(types.encoding(result.type))
    record_decision(by, converted, layout, "users of the gather keep their layout")
    rewriter.replace(op, [converted])
    return True


def _warp_local_layout(op: Operation, source: Attribute, axis: int) -> BlockedEncoding:
    """Compute a layout in which each warp has whole columns of the source of a gather.

    As many lanes as possible are along the axis, so that each lane gathers few elements. Lanes and
    warps that remain after all other dimensions are covered duplicate elements along the axis.
    """
    encoding, layout = _linear(source)
    shape = types.shape(source)
    registers = dimension_order(layout)
    lanes, warps = [1] * len(shape), [1] * len(shape)
    threads = lookup_threads_per_warp(_module(op))
    lanes[axis] = min(shape[axis], threads)
    order = [dim for dim in dimension_order(layout, "lane", registers) if dim != axis]
    extra_lanes = _distribute(lanes, shape, order, threads // lanes[axis])
    per_lane = [size // count for size, count in zip(shape, lanes, strict=True)]
    warp_order = [dim for dim in dimension_order(layout, "warp", registers) if dim != axis]
    extra_warps = _distribute(warps, per_lane, warp_order, lookup_num_warps(op))
    sizes = [1] * len(shape)
    sizes[axis] = shape[axis] // lanes[axis]
    lanes[axis] *= extra_lanes
    warps[axis] *= extra_warps
    assert prod(lanes) == threads
    return BlockedEncoding(
        tuple(sizes), tuple(lanes), tuple(warps), (axis, *order), cga_bases(encoding)
    )


def _distribute(
    counts: list[int], capacity: Sequence[int], order: Sequence[int], total: int
) -> int:
    """Distribute threads or warps over dimensions.

    Args:
        counts: Receives the number per dimension.
        capacity: The maximal number per dimension.
        order: The dimensions, first to last.
        total: How many to distribute.

    Returns:
        How many remain.
    """
    for dim in order:
        counts[dim] = min(capacity[dim], total)
        total //= counts[dim]
    return total
