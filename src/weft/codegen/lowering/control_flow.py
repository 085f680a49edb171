"""Loops, conditions and branches as LLVM blocks; loop-carried values become phis.

    %r = scf.for %i = %lb to %ub step %s iter_args(%a = %init)

    for:   %i = phi [%lb, before], [%next, body]     %a = phi [%init, before], [%y, body]
           br (%i < %ub), body, done
    body:  …  %next = %i + %s     br for
    done:  %r is %a

A tensor has a phi per register. Contiguous pointers share one phi, since their distances stay
constant. The loop's results are the phis themselves: a second phi after the loop would copy
registers that wgmma may still be writing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, SSAValue

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.pointer_offsets import pointer_offsets
from weft.codegen.lowering.common.value_phis import ValuePhis
from weft.codegen.lowering.nvidia.wgmma_accumulators import copy_to_registers, is_wgmma_accumulator
from weft.codegen.lowering.registry import lowers
from weft.ir import cf, scf, tt
from weft.ir.dominance import postorder

# LLVM's metadata against loop-invariant code motion; vendors' module flags have lower numbers.
_LICM_DISABLED = (
    "!10 = distinct !{!10, !11, !12}",
    '!11 = !{!"llvm.licm.disable"}',
    '!12 = !{!"llvm.licm_versioning.disable"}',
)


@lowers(scf.YieldOp, scf.ConditionOp)
def _ends(ctx: LoweringContext, op: Operation) -> None:
    """Write nothing: the parent operation reads the terminator's operands."""


@lowers(scf.ForOp)
def _for(ctx: LoweringContext, op: scf.ForOp) -> None:
    w = ctx.writer
    lower, upper, step = (ctx.scalar(operand) for operand in op.bounds)
    type_ = llvm_type(op.induction_variable.type)
    verb = "icmp ult" if "unsignedCmp" in op.properties else "icmp slt"
    body = op.regions[0].block
    test, inside, exit_label, before = w.label("for"), w.label("body"), w.label("done"), w.block
    first = [_first(ctx, operand) for operand in op.init_args]
    w.jump(test)
    w.start(test)
    counter = w.phi(type_)
    carried = [
        ValuePhis.of(ctx.writer, one.type, pointer_offsets(ctx.axis_info, one))
        for one in op.iter_args
    ]
    counter.add(lower, before)
    _arrive(carried, first, before)
    ctx.define(op.induction_variable, [counter.name])
    for argument, result, merge in zip(op.iter_args, op.results, carried, strict=True):
        registers = merge.registers(ctx.writer)
        ctx.define(argument, registers)
        ctx.define(result, registers)
    metadata = _loop_metadata(w, op)
    w.branch(w.value(f"{verb} {type_} {counter.name}, {upper}"), inside, exit_label, metadata)
    w.start(inside)
    ctx.lower_block(body)
    counter.add(w.value(f"add {type_} {counter.name}, {step}"), w.block)
    _arrive(carried, _held(ctx, terminator_operands(body)), w.block)
    w.jump(test, metadata)
    w.start(exit_label)


def _loop_metadata(writer: Writer, loop: Operation) -> str:
    """Define the metadata of a loop, and return the reference to it for its branches.

    Loops without `llvm.loop_annotation` have none. Only its LICM option exists, so that all loops
    share one node. The branch out of the loop has it as well as the one back: loop rotation makes
    a copy of the former the loop's latch, where LLVM looks for it.
    """
    if "llvm.loop_annotation" not in loop.attributes:
        return ""
    writer.globals |= dict.fromkeys(_LICM_DISABLED)
    return ", !llvm.loop !10"


def terminator_operands(block: Block) -> Sequence[SSAValue]:
    """Get the operands of a block's terminator."""
    return () if block.last_op is None else block.last_op.operands


def _first(ctx: LoweringContext, value: SSAValue) -> Sequence[str]:
    """Get the initial registers of a loop-carried value."""
    if is_wgmma_accumulator(value.type):
        return copy_to_registers(ctx.writer, llvm_type(value.type), ctx[value])
    return ctx[value]


def _held(ctx: LoweringContext, values: Sequence[SSAValue]) -> list[Sequence[str]]:
    return [ctx[value] for value in values]


def _arrive(merges: Sequence[ValuePhis], values: Sequence[Sequence[str]], block: str) -> None:
    for merge, registers in zip(merges, values, strict=True):
        merge.add(registers, block)


def _results(
    ctx: LoweringContext, op: Operation, arrivals: Sequence[tuple[Sequence[SSAValue], str]]
) -> None:
    """Define an operation's results as phis of the values from each block."""
    merges = [ValuePhis.of(ctx.writer, result.type) for result in op.results]
    for values, block in arrivals:
        _arrive(merges, _held(ctx, values), block)
    for result, merge in zip(op.results, merges, strict=True):
        ctx.define(result, merge.registers(ctx.writer))


@lowers(scf.IfOp)
def _if(ctx: LoweringContext, op: scf.IfOp) -> None:
    w = ctx.writer
    has_else = bool(op.regions[1].blocks)
    then, exit_label = w.label("then"), w.label("endif")
    otherwise = w.label("else") if has_else else exit_label
    came = [
        w.block,
        w.block,
    ]  # predecessors of the exit if the condition is true, and if it is false
    w.branch(ctx.scalar(op.operands[0]), then, otherwise)
    arrivals = []
    for way, (label, region) in enumerate(zip((then, otherwise), op.regions, strict=True)):
        if not region.blocks:
            continue
        w.start(label)
        ctx.lower_block(region.block)
        arrivals.append((terminator_operands(region.block), w.block))
        came[way] = w.block
        w.jump(exit_label)
    w.start(exit_label)
    if op.results:
        _results(ctx, op, arrivals)
    for choice in ctx.select_phis.pop(op, ()):
        merge = ValuePhis.of(ctx.writer, choice.results[0].type)
        merge.add(ctx[choice.operands[1]], came[0])
        merge.add(ctx[choice.operands[2]], came[1])
        ctx.define(choice.results[0], merge.registers(ctx.writer))


@lowers(scf.WhileOp)
def _while(ctx: LoweringContext, op: scf.WhileOp) -> None:
    w = ctx.writer
    before, after = op.regions[0].block, op.regions[1].block
    test, body, exit_label, entry = w.label("while"), w.label("do"), w.label("done"), w.block
    first = [_first(ctx, operand) for operand in op.operands]
    w.jump(test)
    w.start(test)
    carried = [ValuePhis.of(ctx.writer, argument.type) for argument in before.args]
    _arrive(carried, first, entry)
    for argument, merge in zip(before.args, carried, strict=True):
        ctx.define(argument, merge.registers(ctx.writer))
    ctx.lower_block(before)
    condition, *forwarded = terminator_operands(before)
    metadata = _loop_metadata(w, op)
    flag = ctx.scalar(condition)
    if _has_uniform_scalars(op):
        flag = ctx.hardware.lanes.uniform_condition(w, flag)
    w.branch(flag, body, exit_label, metadata)
    w.start(body)
    for argument, value in zip(after.args, forwarded, strict=True):
        ctx.define(argument, ctx[value])
    ctx.lower_block(after)
    _arrive(carried, _held(ctx, terminator_operands(after)), w.block)
    w.jump(test, metadata)
    w.start(exit_label)
    for result, value in zip(op.results, forwarded, strict=True):
        ctx.define(result, ctx[value])


def _has_uniform_scalars(op: Operation) -> bool:
    """Check whether the scalars of an operation are the same in all lanes of a warp.

    Those of a kernel are, but a function applied to elements, as the region of a map, reduction or
    scan or as a callee of one, computes with the elements of each lane.
    """
    while (outer := op.parent_op()) is not None:
        if isinstance(outer, tt.MapElementwiseOp | tt.ReduceOp | tt.ScanOp):
            return False
        if isinstance(outer, tt.FuncOp):
            return outer.is_public
        op = outer
    return True


@lowers(scf.ExecuteRegionOp)
def _region(ctx: LoweringContext, op: scf.ExecuteRegionOp) -> None:
    """Lower the region's blocks in place; yields branch to a block after it."""
    exit_label = ctx.writer.label("done")
    arrivals = []

    def leave(block: Block) -> None:
        if isinstance(block.last_op, scf.YieldOp):
            arrivals.append((terminator_operands(block), ctx.writer.block))
            ctx.writer.jump(exit_label)

    lower_blocks(ctx, postorder(op.regions[0])[::-1], leave)
    ctx.writer.start(exit_label)
    _results(ctx, op, arrivals)


@lowers(cf.BranchOp)
def _branch(ctx: LoweringContext, op: cf.BranchOp) -> None:
    target = op.successors[0]
    ctx.pass_arguments(target, op.operands)
    ctx.writer.jump(ctx.labels[target])


@lowers(cf.CondBranchOp)
def _branch_on_condition(ctx: LoweringContext, op: cf.CondBranchOp) -> None:
    """Branch to one of two blocks; if they are the same, select its arguments before."""
    then, otherwise = op.successors
    then_values, others = op.successor_operands(0), op.successor_operands(1)
    condition = ctx.scalar(op.condition)
    if then is otherwise:
        ctx.pass_selected_arguments(then, condition, then_values, others)
        ctx.writer.jump(ctx.labels[then])
        return
    ctx.pass_arguments(then, then_values)
    ctx.pass_arguments(otherwise, others)
    ctx.writer.branch(condition, ctx.labels[then], ctx.labels[otherwise])


def lower_blocks(
    ctx: LoweringContext,
    blocks: Sequence[Block],
    leave: Callable[[Block], None] = lambda block: None,
) -> None:
    """Lower the blocks of a region; block arguments are phis.

    Args:
        ctx: State of the function.
        blocks: The blocks, the entry first.
        leave: Called for each block before its terminator.
    """
    for block in blocks[1:]:
        ctx.labels[block] = ctx.writer.label("block")
    for block in blocks:
        if block is not blocks[0]:
            ctx.begin_block(block)
        ctx.lower_block(block)
        leave(block)
    for block in blocks[1:]:
        del ctx.merges[block]  # a region that is lowered again begins its blocks again
