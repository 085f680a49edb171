"""Split a reduction that a loop accumulates: within the thread in the loop, across threads after.

    scf.for … iter_args(%a = %init) {               scf.for … iter_args(%a = %init, %p = %zero) {
      %x = tt.load …        tensor<32x128>            %x = tt.load …
      %s = reduce(%x, 1)                              %v = tt.reshape %x  -> tensor<32x32x4>
      %n = arith.addf %a, %s                     →    %t = reduce(%v, 2)     4 of one thread
      scf.yield %n                                    %q = arith.addf %p, %t
    }                                                 scf.yield %a, %q
                                                    }
                                                    %r = reduce(%p's last, 1)  across threads, once
                                                    %n = arith.addf %init, %r

The reduced elements of a thread get a dimension of their own; what is left of the axis, one
number per thread, is accumulated. The old reduction stays behind unused.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from weft.ir import arith, attributes, scf, tt, ttg, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, Region, SSAValue
from weft.ir.rewriting import Builder, clone, erase
from weft.layouts import BlockedEncoding, SliceEncoding
from weft.layouts.cga import shape_per_cta
from weft.passes.ledger import record_decision
from weft.passes.registry import Pass

__all__ = ["Accumulation", "accumulations", "split_accumulation"]

_NEUTRAL: dict[type[Operation], float] = {
    arith.AddFOp: 0.0,
    arith.MulFOp: 1.0,
    arith.MaximumFOp: -inf,
    arith.MaxNumFOp: -inf,
    arith.MinimumFOp: inf,
    arith.MinNumFOp: inf,
}


@dataclass(frozen=True, slots=True)
class Accumulation:
    """A reduction of a loaded tile, the operation that adds it to what the loop carries, and how.

    index: of the carried value.  held: elements of a thread along the reduced axis.
    neutral: what changes nothing when combined.
    """

    reduce: tt.ReduceOp
    update: Operation
    loop: scf.ForOp
    index: int
    held: int
    neutral: float


def accumulations(module: ModuleOp) -> list[Accumulation]:
    """Return the reductions of a module that can be split."""
    reductions = [op for op in module.walk() if isinstance(op, tt.ReduceOp)]
    found = (_accumulation(op) for op in reductions)
    return [one for one in found if one is not None]


def _accumulation(op: tt.ReduceOp) -> Accumulation | None:
    if len(op.operands) != 1 or not isinstance(op.operands[0].owner, tt.LoadOp):
        return None
    combine = _combination(op.regions[0])
    if combine is None:
        return None
    neutral = _NEUTRAL.get(type(combine))
    source = op.operands[0].type
    encoding, shape = types.encoding(source), types.shape(source)
    if neutral is None or not isinstance(encoding, BlockedEncoding) or len(shape) < 2:
        return None
    if attributes.number(op.properties["axis"]) != len(shape) - 1:
        return None
    held = _held(encoding, shape)
    update, index = _update(op, type(combine))
    if held == 1 or update is None:
        return None
    loop = op.parent_op()
    assert isinstance(loop, scf.ForOp)
    return Accumulation(op, update, loop, index, held, neutral)


def _combination(region: Region) -> Operation | None:
    """Return the one operation that a region combines its two arguments with."""
    if len(region.blocks) != 1:
        return None
    block = region.block
    ops = list(block.ops)
    if len(ops) != 2 or len(block.args) != 2:
        return None
    combine, end = ops
    if {*combine.operands} != {*block.args} or tuple(end.operands) != tuple(combine.results):
        return None
    return combine


def _held(encoding: BlockedEncoding, shape: tuple[int, ...]) -> int:
    """Return how many elements along the last axis a thread holds."""
    axis = len(shape) - 1
    size = encoding.size_per_thread[axis]
    tile = size * encoding.threads_per_warp[axis] * encoding.warps_per_cta[axis]
    return size * -(-shape_per_cta(encoding, shape)[axis] // tile)


def _update(op: tt.ReduceOp, combine: type[Operation]) -> tuple[Operation | None, int]:
    """Return the operation that alone reads a reduction and adds it to a value carried, and which.

    None where there is no such operation, or where the loop reads the value elsewhere, too.
    """
    update = _only_reader(op)
    end = None if update is None else _only_reader(update)
    loop = op.parent_op()
    if update is None or type(update) is not combine:
        return None, 0
    if not isinstance(end, scf.YieldOp) or not isinstance(loop, scf.ForOp):
        return None, 0
    if end.parent is not loop.block or op.parent is not loop.block:
        return None, 0
    index = tuple(end.operands).index(update.results[0])
    carried = loop.iter_args[index]
    if carried not in update.operands or len(tuple(carried.uses)) != 1:
        return None, 0
    if not isinstance(loop.init_args[index].owner, arith.ConstantOp):
        return None, 0
    return update, index


def _only_reader(op: Operation) -> Operation | None:
    """Return the operation that reads the one result of an operation, if it is read once."""
    uses = tuple(op.results[0].uses)
    return uses[0].operation if len(op.results) == 1 and len(uses) == 1 else None


def split_accumulation(by: Pass, found: Accumulation) -> None:
    """Accumulate per thread in the loop, and combine threads after it."""
    op, update = found.reduce, found.update
    loop = op.parent_op()  # an earlier split of the same loop has put another in its place
    assert isinstance(loop, scf.ForOp)
    start = loop.init_args[found.index]
    encoding = types.encoding(op.operands[0].type)
    assert isinstance(encoding, BlockedEncoding)
    view = _with_own_axis(op.operands[0].type, encoding, found.held)
    partial = _partial(start, view, found.neutral)
    loop = _carry(loop, partial)
    parted, reduced = _reduce_in_thread(op, view)
    builder = Builder().after(reduced)
    values = {update.operands[0]: loop.block.args[-1], update.operands[1]: reduced.results[0]}
    added = _copy(builder, update, values, reduced.results[0].type)
    end = loop.block.last_op
    assert end is not None
    yielded = list(end.operands)
    yielded[found.index] = loop.iter_args[found.index]
    end.operands = [*yielded, added]
    last, joined = _combine_threads(found, loop, start)
    layout = str(types.encoding(view))
    record_decision(by, parted, layout, "elements of one thread have a dimension of their own")
    inner = str(types.encoding(partial.type))
    for value in (partial, reduced.results[0], added, loop.results[-1]):
        record_decision(by, value, inner, "one number per thread is accumulated in the loop")
    record_decision(
        by, last, str(types.encoding(last.type)), "threads are combined once, after the loop"
    )
    record_decision(
        by, joined, str(types.encoding(joined.type)), "as the value that the loop gave before"
    )


def _with_own_axis(type_: Attribute, encoding: BlockedEncoding, held: int) -> Attribute:
    """Return the type with a last dimension for the elements that a thread holds."""
    shape = types.shape(type_)
    axis = len(shape) - 1
    sizes = encoding.size_per_thread
    laid_out = BlockedEncoding(
        (*sizes[:axis], 1, sizes[axis]),
        (*encoding.threads_per_warp, 1),
        (*encoding.warps_per_cta, 1),
        (axis + 1, *encoding.order),
        tuple((*vector, 0) for vector in encoding.cga_layout),
    )
    parted = (*shape[:axis], shape[axis] // held, held)
    return types.tensor(parted, types.element(type_), laid_out)


def _partial(start: SSAValue, view: Attribute, neutral: float) -> SSAValue:
    """Return the number per thread that the accumulation starts from, made behind the old one."""
    encoding, shape = types.encoding(view), types.shape(view)
    assert encoding is not None
    maker = start.owner
    assert isinstance(maker, Operation)
    sliced = SliceEncoding(len(shape) - 1, encoding)
    element = types.element(start.type)
    return Builder().after(maker).constant(neutral, types.tensor(shape[:-1], element, sliced))


def _carry(loop: scf.ForOp, value: SSAValue) -> scf.ForOp:
    """Return the loop with one more value carried, whose next is yet to be yielded."""
    carrying = scf.ForOp.create(
        operands=[*loop.operands, value],
        result_types=[*(result.type for result in loop.results), value.type],
        properties=dict(loop.properties),
        attributes=dict(loop.attributes),
        regions=[Region()],
        location=loop.location,
    )
    Builder().before(loop).insert(carrying)
    loop.regions[0].move_blocks(carrying.regions[0])
    block = carrying.block
    block.insert_arg(value.type, len(block.args))
    for old, new in zip(loop.results, carrying.results, strict=False):
        old.replace_all_uses_with(new)
    erase(loop)
    return carrying


def _reduce_in_thread(op: tt.ReduceOp, view: Attribute) -> tuple[SSAValue, Operation]:
    """Reduce, behind a reduction, what each thread holds; return the view and the reduction."""
    builder = Builder().after(op)
    free = {"allow_reorder": attributes.unit, "efficient_layout": attributes.unit}
    parted = builder.create(tt.ReshapeOp, op.operands, [view], free).results[0]
    encoding, shape = types.encoding(view), types.shape(view)
    assert encoding is not None
    axis = len(shape) - 1
    result = types.tensor(shape[:-1], types.element(view), SliceEncoding(axis, encoding))
    reduced = _reduction(builder, op, parted, axis, result)
    return parted, reduced


def _reduction(
    builder: Builder, op: tt.ReduceOp, source: SSAValue, axis: int, result: Attribute
) -> Operation:
    """Make a reduction of another tensor with the same combination."""
    copied = clone(op, {op.operands[0]: source})
    made = tt.ReduceOp.create(
        operands=[source],
        result_types=[result],
        properties={**copied.properties, "axis": attributes.integer(axis, types.i32)},
        attributes=dict(copied.attributes),
        regions=[copied.detach_region(0)],
        location=op.location,
    )
    builder.insert(made)
    return made


def _copy(
    builder: Builder, op: Operation, values: dict[SSAValue, SSAValue], type_: Attribute
) -> SSAValue:
    """Copy an operation of one result to other operands, with the type that follows."""
    made = type(op).create(
        operands=[values.get(operand, operand) for operand in op.operands],
        result_types=[type_],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        location=op.location,
    )
    builder.insert(made)
    return made.results[0]


def _combine_threads(
    found: Accumulation, loop: scf.ForOp, start: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Combine the numbers of all threads, and what the loop started from, behind the loop."""
    op = found.reduce
    last = loop.results[-1]
    encoding = types.encoding(last.type)
    assert encoding is not None
    shape = types.shape(last.type)
    axis = len(shape) - 1
    result = types.tensor(shape[:-1], types.element(last.type), SliceEncoding(axis, encoding))
    builder = Builder().after(loop)
    builder.location = op.location
    combined = _reduction(builder, op, last, axis, result).results[0]
    old = loop.results[found.index]
    back = builder.value(ttg.ConvertLayoutOp, [combined], old.type)
    values = {found.update.operands[0]: start, found.update.operands[1]: back}
    builder.location = found.update.location
    joined = _copy(builder, found.update, values, old.type)
    old.replace_all_uses_with(joined)
    return combined, joined
