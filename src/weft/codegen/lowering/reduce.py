"""Reductions: within a thread, across the lanes of a warp, then across warps and CTAs.

By hand, a 4x64 tile over 2 warps of 32 lanes with one register bit, reduced along dimension 1:

    register bit 0 → column 1     the thread adds its two columns
    lane bits 0–4  → column 2–32  five butterfly shuffles leave the sum in every lane
    warp bit 0     → row 2        other rows: nothing to do

    %s = fadd %r0, %r1
    %t = fadd %s, shfl.bfly(%s, 1)       then 2, 4, 8, 16

If warps hold different columns of a row, one lane per warp and row stores its partial to shared
memory. After a barrier every thread loads the partials of its rows (`warp_partials`). If a thread
holds several rows, lanes may divide the rows among them (`recursive_halving`). If CTAs of a cluster
hold different columns, threads load the partials of every CTA in the same order, so that all CTAs
compute the same sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import xor

from xdsl.ir import Attribute, Block, Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.axis_runs import axis_runs, ctas_along, segment_bases
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.lane_exchange import shuffle_value
from weft.codegen.lowering.common.properties import integer_property
from weft.codegen.lowering.common.recursive_halving import RecursiveHalving, choose_halving_steps
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.common.warp_partials import WarpPartials, partials_bytes
from weft.codegen.lowering.registry import lowers
from weft.ir import tt, types
from weft.layouts import LinearLayout
from weft.layouts.cga import cta_tile_layout, cta_tile_shape
from weft.targets import Target

Values = tuple[str, ...]  # one per operand of the reduction
Row = tuple[int, ...]


@lowers(tt.ReduceReturnOp, tt.ScanReturnOp, tt.MapElementwiseReturnOp)
def _ends(ctx: LoweringContext, op: Operation) -> None:
    """Write nothing: `inline_region` reads the terminator's operands."""


def inline_region(ctx: LoweringContext, block: Block, arguments: Sequence[str]) -> Values:
    """Lower a combining region for scalars; return its results."""
    for argument, value in zip(block.args, arguments, strict=True):
        ctx.define(argument, [value])
    ctx.lower_block(block)
    assert block.last_op is not None
    return tuple(ctx.scalar(value) for value in block.last_op.operands)


def combine_tree(ctx: LoweringContext, block: Block, items: Sequence[Values]) -> Values:
    """Combine neighbours pairwise, which makes the dependence chain logarithmic."""
    while len(items) > 1:
        paired = [
            inline_region(ctx, block, (*items[n], *items[n + 1]))
            for n in range(0, len(items) - 1, 2)
        ]
        items = [*paired, *items[len(paired) * 2 :]]
    return items[0]


@lowers(tt.ReduceOp)
def _reduce(ctx: LoweringContext, op: tt.ReduceOp) -> None:
    axis = integer_property(op, "axis")
    source = op.operands[0].type
    # 1. Registers of a thread, by a tree.
    rows = _within_thread(ctx, op, layout_of(source), axis)
    of_row = _first_registers(layout_of(source), axis)
    groups = {of_row[row]: values for row, values in rows.items()}
    # 2. Lanes of a warp: by one instruction if the chip has it; otherwise first by recursive
    # halving, while a lane has several rows, and then by butterflies.
    lanes = steps_along(source, axis, "lane")
    by_one = _among_all_lanes(ctx, op, groups, lanes)
    folding = _folding(ctx, op, axis, sorted(groups), [] if by_one else lanes)
    groups = by_one or folding.folded(groups)
    remaining = [] if by_one else lanes[len(folding.bits) :]
    near = _bits_of_rows(ctx, remaining) if len(groups) == 1 else remaining
    for bit in near:
        groups = {group: _butterfly(ctx, op, values, bit) for group, values in groups.items()}
    if near != remaining:
        groups = {group: _among_rows(ctx, op, values) for group, values in groups.items()}
    # 3. Warps and CTAs, through shared memory.
    if any(steps_along(source, axis, kind) for kind in ("warp", "block")):
        groups = _across_warps(ctx, op, axis, groups, folding)
    # 4. Lanes that halved their rows get the others back.
    groups = folding.unfolded(groups)
    _define(ctx, op, {row: groups[of_row[row]] for row in rows})


def _folding(
    ctx: LoweringContext, op: Operation, axis: int, registers: Sequence[int], lanes: Sequence[int]
) -> RecursiveHalving:
    """Choose the lane bits by which rows are halved.

    Args:
        ctx: State of the function.
        op: The operation.
        axis: The dimension.
        registers: First register of each row.
        lanes: Lane bits along the axis.
    """
    block, steps = op.regions[0].block, 0
    kinds = tuple(llvm_type(operand.type) for operand in op.operands)
    if ctx.hardware.lanes.shuffles_any_lane:
        instructions = len(list(block.walk())) - 1
        parts, _ = _parts(op)
        sizes = len(registers), len(lanes), parts
        steps = choose_halving_steps(*sizes, kinds, instructions, waited_for=waited_for(op))
    return RecursiveHalving(
        ctx,
        tuple(registers),
        tuple(lanes[:steps]),
        kinds,
        lambda a, b: inline_region(ctx, block, (*a, *b)),
    )


def waited_for(op: Operation) -> bool:
    """Check whether the results are expanded to a tile before the loop's next iteration."""
    worklist, visited = list(op.results), set(op.results)
    while worklist:
        users = {use.operation for use in worklist.pop().uses}
        if any(user.name == "tt.expand_dims" for user in users):
            return True
        new_values = {result for user in users for result in user.results} - visited
        visited |= new_values
        worklist += new_values
    return False


def steps_along(source: Attribute, axis: int, kind: str) -> list[int]:
    """List the bits of a coordinate that step along an axis, the lowest step first."""
    runs = axis_runs(source, axis)
    return [bit for run in runs if run.kind == kind for bit in run.bits]


def _parts(op: Operation) -> tuple[int, int]:
    """Count the warps that hold parts of a row, and all parts of a CTA."""
    axis, source = integer_property(op, "axis"), op.operands[0].type
    shape = cta_tile_shape(layout_of(source))
    parts = 1 << len(steps_along(source, axis, "warp"))
    return parts, parts * prod(shape[:axis] + shape[axis + 1 :])


@scratch(tt.ReduceOp)
def _bytes(op: tt.ReduceOp, target: Target) -> int:
    """Count a partial per row and warp along the axis, for each operand."""
    parts, slots = _parts(op)
    between = steps_along(op.operands[0].type, integer_property(op, "axis"), "block")
    return partials_bytes(op, slots) if parts > 1 or between else 0


def _within_thread(
    ctx: LoweringContext, op: Operation, layout: LinearLayout, axis: int
) -> dict[Row, Values]:
    """Combine each thread's registers of one row; the key of a row is its other coordinates."""
    rows: dict[Row, dict[int, Values]] = {}
    registers = [ctx[operand] for operand in op.operands]
    along = register_offsets(layout, axis)
    for register, (row, place) in enumerate(zip(_rows(layout, axis), along, strict=True)):
        values = tuple(each[register] for each in registers)
        rows.setdefault(row, {}).setdefault(place, values)
    block = op.regions[0].block
    return {
        row: combine_tree(ctx, block, [items[place] for place in sorted(items)])
        for row, items in rows.items()
    }


def _among_all_lanes(
    ctx: LoweringContext, op: Operation, groups: dict[int, Values], lanes: Sequence[int]
) -> dict[int, Values]:
    """Reduce each row over the warp by one instruction; empty if the chip has none."""
    # The instruction covers all lanes, and combines by one known operation.
    if 1 << len(lanes) != ctx.hardware.target.threads_per_warp or len(op.operands) > 1:
        return {}
    name, type_ = _only_operation(op.regions[0].block), llvm_type(op.operands[0].type)
    table: dict[int, Values] = {}
    for group, (value,) in groups.items():
        result = name and ctx.hardware.lanes.reduce_warp(ctx.writer, name, type_, value)
        if not result:
            return {}
        table[group] = (result,)
    return table


def _only_operation(block: Block) -> str:
    """Get the name of a region's only operation, "" if it has several."""
    first, last = block.first_op, block.last_op
    if first is None or last is None or first.next_op is not last:
        return ""
    whole = set(first.operands) == set(block.args) and list(last.operands) == list(first.results)
    return first.name if whole else ""


def _butterfly(ctx: LoweringContext, op: Operation, values: Values, bit: int) -> Values:
    """Combine with the lane whose number differs in one bit."""
    others = []
    for operand, value in zip(op.operands, values, strict=True):
        move = lambda word: ctx.hardware.lanes.shuffle_xor(ctx.writer, word, 1 << bit)  # noqa: E731
        others.append(shuffle_value(ctx.writer, llvm_type(operand.type), value, move))
    return inline_region(ctx, op.regions[0].block, (*values, *others))


def _bits_of_rows(ctx: LoweringContext, lanes: list[int]) -> list[int]:
    """List the lane bits to combine by shuffles, if DPP rows are combined afterwards.

    Args:
        ctx: State of the function.
        lanes: Bits of the lane along the axis; they are returned if a warp has other lanes, too.
    """
    warp, row = ctx.hardware.target.threads_per_warp, ctx.hardware.lanes.row_lanes
    whole = lanes == list(range(warp.bit_length() - 1))
    return [bit for bit in lanes if 1 << bit < row] if whole else lanes


def _among_rows(ctx: LoweringContext, op: Operation, values: Values) -> Values:
    """Combine one lane of each DPP row in scalar registers, so that the result is uniform."""
    warp = ctx.hardware.target.threads_per_warp
    rows: list[Values] = []
    for lane in range(0, warp, ctx.hardware.lanes.row_lanes):
        read = lambda word, at=lane: (  # noqa: E731
            ctx.hardware.lanes.shuffle_within(ctx.writer, word, warp - 1, at)
        )
        rows.append(
            tuple(
                shuffle_value(ctx.writer, llvm_type(operand.type), value, read)
                for operand, value in zip(op.operands, values, strict=True)
            )
        )
    return combine_tree(ctx, op.regions[0].block, rows)


def _across_warps(
    ctx: LoweringContext,
    op: Operation,
    axis: int,
    groups: dict[int, Values],
    folding: RecursiveHalving,
) -> dict[int, Values]:
    """Exchange partials of warps and CTAs through shared memory, and combine them in every thread.

    Args:
        ctx: State of the function.
        op: The reduction.
        axis: The dimension.
        groups: Rows by their first register; lanes that halved rows hold different ones.
        folding: How lanes have divided the rows among them.
    """
    source = op.operands[0].type
    layout = cta_tile_layout(layout_of(source))
    size = cta_tile_shape(layout_of(source))[axis].bit_length() - 1
    parts, count = _parts(op)
    bits = parts.bit_length() - 1
    numbers = {
        name: [number_ << bits for number_ in partials_of]
        for name, partials_of in segment_bases(layout, axis, size).items()
    }
    for part, bit in enumerate(steps_along(source, axis, "warp")):
        numbers["warp"][bit] |= 1 << part
    for bit in folding.bits:
        numbers["lane"][bit] = _sum(numbers["register"], folding.moved(bit))
    lanes = steps_along(source, axis, "lane")
    alike = sum(1 << bit for bit in lanes if bit not in folding.bits)
    between = [run for run in axis_runs(source, axis) if run.kind == "block"]
    homes = ctas_along(ctx, between[0]) if between else []
    partials = WarpPartials(ctx, op, count, parts, numbers, ctx.scratch_offset(op), homes)
    partials_of = partials.exchanged(groups, {"lane": (alike, 0), "warp": (0, 0)})
    return {group: combine_tree(ctx, op.regions[0].block, partials_of[group]) for group in groups}


def _sum(images: Sequence[int], integer_property: int) -> int:
    """Compute the xor of the images of a number's bits."""
    return reduce(xor, (one for bit, one in enumerate(images) if integer_property >> bit & 1), 0)


def _first_registers(layout: LinearLayout, axis: int) -> dict[Row, int]:
    """Map each row to its first register."""
    table: dict[Row, int] = {}
    for register, row in enumerate(_rows(layout, axis)):
        table.setdefault(row, register)
    return table


def _rows(layout: LinearLayout, axis: int) -> list[Row]:
    """List the row of each register: its coordinates without the axis."""
    offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
    return list(zip(*offsets[:axis], *offsets[axis + 1 :], strict=True)) or [()] * len(offsets[0])


def _define(ctx: LoweringContext, op: Operation, rows: dict[Row, Values]) -> None:
    """Define the registers of the results by row."""
    for n, result in enumerate(op.results):
        if not types.is_tensor(result.type):
            ((values,)) = rows.values()
            ctx.define(result, [values[n]])
            continue
        layout = layout_of(result.type)
        offsets = [register_offsets(layout, dim) for dim in range(len(layout.out_dims))]
        ctx.define(result, [rows[row][n] for row in zip(*offsets, strict=True)])
