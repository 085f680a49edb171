"""Reductions: within a thread, across the lanes of a warp, then across warps and CTAs.

By hand, a 4x64 tile over 2 warps of 32 lanes with one register bit, reduced along dimension 1:

    register bit 0 → column 1     the thread adds its two columns
    lane bits 0–4  → column 2–32  five butterfly shuffles leave the sum in every lane
    warp bit 0     → row 2        other rows: nothing to do

    %s = fadd %r0, %r1
    %t = fadd %s, shfl.bfly(%s, 1)       then 2, 4, 8, 16

If warps hold different columns of a row, one lane per warp and row stores its partial to shared
memory. After a barrier every thread loads the partials of its rows (`warp_partials`), or, if their
combination takes many instructions, each lane one of them, followed by butterflies. If a thread
holds several rows, lanes may divide the rows among them (`recursive_halving`). If CTAs of a cluster
hold different columns, threads load the partials of every CTA in the same order, so that all CTAs
compute the same sum.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.lane_exchange import shuffle_value
from weft.codegen.lowering.common.recursive_halving import RecursiveHalving
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.common.scratch import scratch
from weft.codegen.lowering.common.warp_partials import WarpPartials, ctas_along
from weft.codegen.lowering.registry import lowers
from weft.ir import tt, types
from weft.layouts import LinearLayout
from weft.lowering_plans.axis_runs import axis_runs
from weft.lowering_plans.partials import PartialsPlan
from weft.lowering_plans.properties import integer_property
from weft.lowering_plans.reduction import (
    ReductionPlan,
    first_registers,
    only_operation,
    partials_bytes,
    plan_reduction,
    rows_of,
)
from weft.lowering_plans.registers import register_offsets
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


@scratch(tt.ReduceOp)
def _bytes(op: tt.ReduceOp, target: Target) -> int:
    """Count a partial per row and warp along the axis, for each operand."""
    return partials_bytes(op)


@lowers(tt.ReduceOp)
def _reduce(ctx: LoweringContext, op: tt.ReduceOp) -> None:
    axis = integer_property(op, "axis")
    source = op.operands[0].type
    # 1. Registers of a thread, by a tree.
    rows = _within_thread(ctx, op, layout_of(source), axis)
    of_row = first_registers(layout_of(source), axis)
    groups = {of_row[row]: values for row, values in rows.items()}
    # 2. Lanes of a warp: by one instruction if the chip has it; otherwise first by recursive
    # halving, while a lane has several rows, and then by butterflies.
    plan = plan_reduction(op, ctx.hardware.target)
    if plan.by_instruction:
        groups = _among_all_lanes(ctx, op, groups)
    folding = _folding(ctx, op, plan)
    groups = folding.folded(groups)
    for bit in plan.butterflies:
        groups = {group: _butterfly(ctx, op, values, bit) for group, values in groups.items()}
    if plan.gathered_lanes:
        groups = {
            group: _among_rows(ctx, op, plan.gathered_lanes, values)
            for group, values in groups.items()
        }
    # 3. Warps and CTAs, through shared memory.
    if plan.partials is not None:
        groups = _across_warps(ctx, op, plan.partials, groups)
    # 4. Lanes that halved their rows get the others back.
    groups = folding.unfolded(groups)
    _define(ctx, op, {row: groups[of_row[row]] for row in rows})


def _within_thread(
    ctx: LoweringContext, op: Operation, layout: LinearLayout, axis: int
) -> dict[Row, Values]:
    """Combine each thread's registers of one row; the key of a row is its other coordinates."""
    rows: dict[Row, dict[int, Values]] = {}
    registers = [ctx[operand] for operand in op.operands]
    along = register_offsets(layout, axis)
    for register, (row, place) in enumerate(zip(rows_of(layout, axis), along, strict=True)):
        values = tuple(each[register] for each in registers)
        rows.setdefault(row, {}).setdefault(place, values)
    block = op.regions[0].block
    return {
        row: combine_tree(ctx, block, [items[place] for place in sorted(items)])
        for row, items in rows.items()
    }


def _folding(ctx: LoweringContext, op: Operation, plan: ReductionPlan) -> RecursiveHalving:
    """Describe the rows that lanes divide among them."""
    block = op.regions[0].block
    return RecursiveHalving(
        ctx,
        plan.groups,
        plan.halved,
        tuple(llvm_type(operand.type) for operand in op.operands),
        lambda a, b: inline_region(ctx, block, (*a, *b)),
    )


def _among_all_lanes(
    ctx: LoweringContext, op: Operation, groups: dict[int, Values]
) -> dict[int, Values]:
    """Reduce each row over the warp by one instruction."""
    name, type_ = only_operation(op.regions[0].block), llvm_type(op.operands[0].type)
    return {
        group: (ctx.hardware.lanes.reduce_warp(ctx.writer, name, type_, value),)
        for group, (value,) in groups.items()
    }


def _butterfly(ctx: LoweringContext, op: Operation, values: Values, bit: int) -> Values:
    """Combine with the lane whose number differs in one bit."""
    others = []
    for operand, value in zip(op.operands, values, strict=True):
        move = lambda word: ctx.hardware.lanes.shuffle_xor(ctx.writer, word, 1 << bit)  # noqa: E731
        others.append(shuffle_value(ctx.writer, llvm_type(operand.type), value, move))
    return inline_region(ctx, op.regions[0].block, (*values, *others))


def _among_rows(
    ctx: LoweringContext, op: Operation, lanes: Sequence[int], values: Values
) -> Values:
    """Combine one lane of each DPP row in scalar registers, so that the result is uniform."""
    warp = ctx.hardware.target.threads_per_warp
    rows: list[Values] = []
    for lane in lanes:
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
    ctx: LoweringContext, op: Operation, plan: PartialsPlan, groups: dict[int, Values]
) -> dict[int, Values]:
    """Exchange partials of warps and CTAs through shared memory, and combine them in every thread.

    Args:
        ctx: State of the function.
        op: The reduction.
        plan: The exchange.
        groups: Rows by their first register; lanes that halved rows hold different ones.
    """
    runs = axis_runs(op.operands[0].type, integer_property(op, "axis"))
    between = [run for run in runs if run.kind == "block"]
    homes = ctas_along(ctx, between[0]) if between else []
    partials = WarpPartials(ctx, op, plan, ctx.scratch_offset(op), homes)
    partials_of = partials.exchanged(groups)
    block = op.regions[0].block
    combined = {group: combine_tree(ctx, block, partials_of[group]) for group in groups}
    for bit in plan.lane_bits:  # each lane has loaded the partial of one warp
        combined = {group: _butterfly(ctx, op, values, bit) for group, values in combined.items()}
    return combined


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
