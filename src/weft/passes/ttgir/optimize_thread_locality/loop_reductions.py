"""Split a reduction that a loop accumulates: per thread in the loop, across threads after it.

    scf.for … iter_args(%a = %init) {               scf.for … iter_args(%a = %init, %p = %zero) {
      %x = tt.load …        tensor<32x128>            %x = tt.load …
      %s = reduce(%x, 1)                              %v = tt.reshape %x  -> tensor<32x32x4>
      %n = arith.addf %a, %s                     →    %t = reduce(%v, 2)     4 elements per thread
      scf.yield %n                                    %q = arith.addf %p, %t
    }                                                 scf.yield %a, %q
                                                    }
                                                    %r = reduce(loop#1, 1)   across threads, once
                                                    %n = arith.addf %init, %r

The reshape gives the elements of a thread along the axis their own dimension. The original
reduction becomes dead.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from msgspec import Struct

from weft.ir import arith, attributes, scf, tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, Region, SSAValue
from weft.ir.locations import location_of
from weft.ir.rewriting import Builder, clone, erase
from weft.layouts import BlockedEncoding, SliceEncoding
from weft.layouts.cga import shape_per_cta
from weft.passes.ledger import record_decision
from weft.passes.registry import Pass

__all__ = ["LoopReduction", "find_loop_reductions", "split_loop_reduction"]

_NEUTRAL: dict[type[Operation], float] = {
    arith.AddFOp: 0.0,
    arith.MulFOp: 1.0,
    arith.MaximumFOp: -inf,
    arith.MaxNumFOp: -inf,
    arith.MinimumFOp: inf,
    arith.MinNumFOp: inf,
}


class LoopReduction(Struct, frozen=True):
    """A reduction of a loaded tile that a loop accumulates.

    Attributes:
        reduce: The reduction.
        update: The operation that combines its result with the iter_arg.
        loop: The loop.
        index: The index of the iter_arg.
        elements_per_thread: The elements of a thread along the reduced axis.
        neutral: The neutral element of the combination.
    """

    reduce: tt.ReduceOp
    update: Operation
    loop: scf.ForOp
    index: int
    elements_per_thread: int
    neutral: float


def find_loop_reductions(module: ModuleOp) -> list[LoopReduction]:
    """Find the reductions of a module that can be split."""
    reductions = [op for op in module.walk() if isinstance(op, tt.ReduceOp)]
    matches = (_match(op) for op in reductions)
    return [match for match in matches if match is not None]


def _match(op: tt.ReduceOp) -> LoopReduction | None:
    if len(op.operands) != 1 or not isinstance(op.operands[0].owner, tt.LoadOp):
        return None
    combine = _combine_op(op.regions[0])
    if combine is None:
        return None
    neutral = _NEUTRAL.get(type(combine))
    source = op.operands[0].type
    encoding, shape = types.encoding(source), types.shape(source)
    if neutral is None or not isinstance(encoding, BlockedEncoding) or len(shape) < 2:
        return None
    if attributes.number(op.properties["axis"]) != len(shape) - 1:
        return None
    elements_per_thread = _elements_per_thread(encoding, shape)
    update, index = _update_op(op, type(combine))
    if elements_per_thread == 1 or update is None:
        return None
    loop = op.parent_op()
    assert isinstance(loop, scf.ForOp)
    return LoopReduction(op, update, loop, index, elements_per_thread, neutral)


def _combine_op(region: Region) -> Operation | None:
    """Find the only operation of a region, if it combines the two arguments."""
    if len(region.blocks) != 1:
        return None
    block = region.block
    ops = list(block.ops)
    if len(ops) != 2 or len(block.args) != 2:
        return None
    combine, terminator = ops
    if {*combine.operands} != {*block.args}:
        return None
    if tuple(terminator.operands) != tuple(combine.results):
        return None
    return combine


def _elements_per_thread(encoding: BlockedEncoding, shape: tuple[int, ...]) -> int:
    """Count the elements of a thread along the last axis."""
    axis = len(shape) - 1
    size = encoding.size_per_thread[axis]
    tile = size * encoding.threads_per_warp[axis] * encoding.warps_per_cta[axis]
    return size * -(-shape_per_cta(encoding, shape)[axis] // tile)


def _update_op(op: tt.ReduceOp, combine: type[Operation]) -> tuple[Operation | None, int]:
    """Match the operation that accumulates a reduction, and the index of the iter_arg.

    The reduction, the operation and the iter_arg must have a single use each, so that nothing else
    depends on the partial sums.
    """
    update = _only_user(op)
    terminator = None if update is None else _only_user(update)
    loop = op.parent_op()
    if update is None or type(update) is not combine:
        return None, 0
    if not isinstance(terminator, scf.YieldOp) or not isinstance(loop, scf.ForOp):
        return None, 0
    if terminator.parent is not loop.block or op.parent is not loop.block:
        return None, 0
    index = tuple(terminator.operands).index(update.results[0])
    iter_arg = loop.iter_args[index]
    if iter_arg not in update.operands or len(tuple(iter_arg.uses)) != 1:
        return None, 0
    if not isinstance(loop.init_args[index].owner, arith.ConstantOp):
        return None, 0
    return update, index


def _only_user(op: Operation) -> Operation | None:
    """Find the user of an operation with one result that has one use."""
    uses = tuple(op.results[0].uses)
    return uses[0].operation if len(op.results) == 1 and len(uses) == 1 else None


def split_loop_reduction(by: Pass, reduction: LoopReduction) -> None:
    """Accumulate per thread in the loop, and combine threads after it."""
    op, update = reduction.reduce, reduction.update
    loop = op.parent_op()  # not `reduction.loop`, which the split of another reduction replaced
    assert isinstance(loop, scf.ForOp)
    init = loop.init_args[reduction.index]
    encoding = types.encoding(op.operands[0].type)
    assert isinstance(encoding, BlockedEncoding)
    view_type = _split_axis(op.operands[0].type, encoding, reduction.elements_per_thread)
    partial_init = _create_partial_init(init, view_type, reduction.neutral)
    loop = _add_iter_arg(loop, partial_init)
    view, partial_reduction = _reduce_in_thread(op, view_type)
    builder = Builder().after(partial_reduction)
    partial = partial_reduction.results[0]
    values = {update.operands[0]: loop.block.args[-1], update.operands[1]: partial}
    partial_sum = _clone_with_operands(builder, update, values, partial.type)
    terminator = loop.block.last_op
    assert terminator is not None
    yielded = list(terminator.operands)
    # The original iter_arg is not updated any more: yield it unchanged.
    yielded[reduction.index] = loop.iter_args[reduction.index]
    terminator.operands = [*yielded, partial_sum]
    combined, total = _combine_threads(reduction, loop, init)
    layout = str(types.encoding(view_type))
    record_decision(by, view, layout, "the elements of a thread have their own dimension")
    partial_layout = str(types.encoding(partial_init.type))
    for value in (partial_init, partial, partial_sum, loop.results[-1]):
        record_decision(by, value, partial_layout, "the loop accumulates one number per thread")
    layout = str(types.encoding(combined.type))
    record_decision(by, combined, layout, "threads are combined once, after the loop")
    layout = str(types.encoding(total.type))
    record_decision(by, total, layout, "the layout of the original loop result")


def _split_axis(type_: Attribute, encoding: BlockedEncoding, elements_per_thread: int) -> Attribute:
    """Compute the type with an additional last dimension for the elements of a thread."""
    shape = types.shape(type_)
    axis = len(shape) - 1
    sizes = encoding.size_per_thread
    new_encoding = BlockedEncoding(
        (*sizes[:axis], 1, sizes[axis]),
        (*encoding.threads_per_warp, 1),
        (*encoding.warps_per_cta, 1),
        (axis + 1, *encoding.order),
        tuple((*vector, 0) for vector in encoding.cga_layout),
    )
    new_shape = (*shape[:axis], shape[axis] // elements_per_thread, elements_per_thread)
    return types.tensor(new_shape, types.element(type_), new_encoding)


def _create_partial_init(init: SSAValue, view_type: Attribute, neutral: float) -> SSAValue:
    """Create the init arg of the partial sums after the original init arg."""
    encoding, shape = types.encoding(view_type), types.shape(view_type)
    assert encoding is not None
    constant = init.owner
    assert isinstance(constant, Operation)
    sliced = SliceEncoding(len(shape) - 1, encoding)
    type_ = types.tensor(shape[:-1], types.element(init.type), sliced)
    return Builder().after(constant).constant(neutral, type_)


def _add_iter_arg(loop: scf.ForOp, init: SSAValue) -> scf.ForOp:
    """Replace a loop by one with another iter_arg, which its terminator does not yield yet."""
    new_loop = scf.ForOp.create(
        operands=[*loop.operands, init],
        result_types=[*(result.type for result in loop.results), init.type],
        properties=dict(loop.properties),
        attributes=dict(loop.attributes),
        regions=[Region()],
        location=loop.location,
    )
    Builder().before(loop).insert(new_loop)
    loop.regions[0].move_blocks(new_loop.regions[0])
    block = new_loop.block
    block.insert_arg(init.type, len(block.args)).location = location_of(init)
    for old, new in zip(loop.results, new_loop.results, strict=False):
        old.replace_all_uses_with(new)
    erase(loop)
    return new_loop


def _reduce_in_thread(op: tt.ReduceOp, view_type: Attribute) -> tuple[SSAValue, Operation]:
    """Reduce the elements of each thread after a reduction.

    Returns:
        The view with the additional dimension, and its reduction.
    """
    builder = Builder().after(op)
    properties = {"allow_reorder": attributes.unit, "efficient_layout": attributes.unit}
    view = builder.create(tt.ReshapeOp, op.operands, [view_type], properties).results[0]
    encoding, shape = types.encoding(view_type), types.shape(view_type)
    assert encoding is not None
    axis = len(shape) - 1
    result_encoding = SliceEncoding(axis, encoding)
    result_type = types.tensor(shape[:-1], types.element(view_type), result_encoding)
    return view, _clone_reduction(builder, op, view, axis, result_type)


def _clone_reduction(
    builder: Builder, op: tt.ReduceOp, source: SSAValue, axis: int, result_type: Attribute
) -> Operation:
    """Create a reduction of another tensor with the same combination."""
    copy = clone(op, {op.operands[0]: source})
    reduction = tt.ReduceOp.create(
        operands=[source],
        result_types=[result_type],
        properties={**copy.properties, "axis": attributes.integer(axis, types.i32)},
        attributes=dict(copy.attributes),
        regions=[copy.detach_region(0)],
        location=op.location,
    )
    builder.insert(reduction)
    return reduction


def _clone_with_operands(
    builder: Builder, op: Operation, values: Mapping[SSAValue, SSAValue], result_type: Attribute
) -> SSAValue:
    """Clone an operation with one result on other operands and with another type."""
    copy = type(op).create(
        operands=[values.get(operand, operand) for operand in op.operands],
        result_types=[result_type],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )
    builder.insert(copy)
    return copy.results[0]


def _combine_threads(
    reduction: LoopReduction, loop: scf.ForOp, init: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Combine the partial sums of all threads, and the original init arg, after the loop.

    Returns:
        The combined partial sums, and the value that replaces the original loop result.
    """
    op, update = reduction.reduce, reduction.update
    partial_sums = loop.results[-1]
    encoding = types.encoding(partial_sums.type)
    assert encoding is not None
    shape = types.shape(partial_sums.type)
    axis = len(shape) - 1
    element = types.element(partial_sums.type)
    result_type = types.tensor(shape[:-1], element, SliceEncoding(axis, encoding))
    builder = Builder().after(loop)
    builder.location = op.location
    combined = _clone_reduction(builder, op, partial_sums, axis, result_type).results[0]
    old_result = loop.results[reduction.index]
    converted = builder.value(ttg.ConvertLayoutOp, [combined], old_result.type)
    values = {update.operands[0]: init, update.operands[1]: converted}
    builder.location = update.location
    total = _clone_with_operands(builder, update, values, old_result.type)
    old_result.replace_all_uses_with(total)
    return combined, total
