"""Loops, conditions and branches as LLVM blocks; what they carry becomes phis.

    %r = scf.for %i = %lb to %ub step %s iter_args(%a = %init)

    for:   %i = phi [%lb, before], [%next, body]     %a = phi [%init, before], [%y, body]
           br (%i < %ub), body, done
    body:  …  %next = %i + %s     br for
    done:  %r is %a

A tensor is a phi per register, but pointers to neighbours in memory, who stay neighbours, are one
phi and constants. What the loop gives is the phi itself: a second one behind the loop
would copy registers there, and wgmma may still be writing them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, SSAValue

from weft.codegen.llvm.types import llvm_type
from weft.codegen.lowering.common.lowering import Lowering, Merge
from weft.codegen.lowering.common.pointer_offsets import bytes_behind
from weft.codegen.lowering.nvidia.wgmma_accumulators import holds_sums_of_wgmma, own_registers
from weft.codegen.lowering.registry import lowers
from weft.ir import cf, scf
from weft.ir.dominance import postorder


@lowers(scf.YieldOp, scf.ConditionOp)
def _ends(low: Lowering, op: Operation) -> None:
    """Write nothing: the operation around reads what its regions end with."""


@lowers(scf.ForOp)
def _for(low: Lowering, op: scf.ForOp) -> None:
    w = low.writer
    lower, upper, step = (low.scalar(operand) for operand in op.bounds)
    type_ = llvm_type(op.induction_variable.type)
    verb = "icmp ult" if "unsignedCmp" in op.properties else "icmp slt"
    body = op.regions[0].block
    test, inside, done, before = w.label("for"), w.label("body"), w.label("done"), w.block
    first = [_first(low, operand) for operand in op.init_args]
    w.jump(test)
    w.start(test)
    counter = w.phi(type_)
    carried = [Merge.of(low, one.type, bytes_behind(low.axis_info, one)) for one in op.iter_args]
    counter.add(lower, before)
    _arrive(carried, first, before)
    low.define(op.induction_variable, [counter.name])
    for argument, result, merge in zip(op.iter_args, op.results, carried, strict=True):
        registers = merge.registers(low)
        low.define(argument, registers)
        low.define(result, registers)
    w.branch(w.value(f"{verb} {type_} {counter.name}, {upper}"), inside, done)
    w.start(inside)
    low.ops(body)
    counter.add(w.value(f"add {type_} {counter.name}, {step}"), w.block)
    _arrive(carried, _held(low, ends(body)), w.block)
    w.jump(test)
    w.start(done)


def ends(block: Block) -> Sequence[SSAValue]:
    """Return the operands of what a block ends with."""
    return () if block.last_op is None else block.last_op.operands


def _first(low: Lowering, value: SSAValue) -> Sequence[str]:
    """Return what a loop starts with."""
    if holds_sums_of_wgmma(value.type):
        return own_registers(low.writer, llvm_type(value.type), low[value])
    return low[value]


def _held(low: Lowering, values: Sequence[SSAValue]) -> list[Sequence[str]]:
    return [low[value] for value in values]


def _arrive(merges: Sequence[Merge], values: Sequence[Sequence[str]], block: str) -> None:
    for merge, registers in zip(merges, values, strict=True):
        merge.add(registers, block)


def _results(
    low: Lowering, op: Operation, arrivals: Sequence[tuple[Sequence[SSAValue], str]]
) -> None:
    """Define an operation's results as phis of what arrives from each block."""
    merges = [Merge.of(low, result.type) for result in op.results]
    for values, block in arrivals:
        _arrive(merges, _held(low, values), block)
    for result, merge in zip(op.results, merges, strict=True):
        low.define(result, merge.registers(low))


@lowers(scf.IfOp)
def _if(low: Lowering, op: scf.IfOp) -> None:
    w = low.writer
    has_else = bool(op.regions[1].blocks)
    then, done = w.label("then"), w.label("endif")
    otherwise = w.label("else") if has_else else done
    came = [w.block, w.block]  # from where a condition that holds arrives behind, and one that not
    w.branch(low.scalar(op.operands[0]), then, otherwise)
    arrivals = []
    for way, (label, region) in enumerate(zip((then, otherwise), op.regions, strict=True)):
        if not region.blocks:
            continue
        w.start(label)
        low.ops(region.block)
        arrivals.append((ends(region.block), w.block))
        came[way] = w.block
        w.jump(done)
    w.start(done)
    if op.results:
        _results(low, op, arrivals)
    for choice in low.choices.pop(op, ()):
        merge = Merge.of(low, choice.results[0].type)
        merge.add(low[choice.operands[1]], came[0])
        merge.add(low[choice.operands[2]], came[1])
        low.define(choice.results[0], merge.registers(low))


@lowers(scf.WhileOp)
def _while(low: Lowering, op: scf.WhileOp) -> None:
    w = low.writer
    before, after = op.regions[0].block, op.regions[1].block
    test, body, done, entry = w.label("while"), w.label("do"), w.label("done"), w.block
    first = [_first(low, operand) for operand in op.operands]
    w.jump(test)
    w.start(test)
    carried = [Merge.of(low, argument.type) for argument in before.args]
    _arrive(carried, first, entry)
    for argument, merge in zip(before.args, carried, strict=True):
        low.define(argument, merge.registers(low))
    low.ops(before)
    condition, *passed = ends(before)
    w.branch(low.hardware.lanes.uniform_condition(w, low.scalar(condition)), body, done)
    w.start(body)
    for argument, value in zip(after.args, passed, strict=True):
        low.define(argument, low[value])
    low.ops(after)
    _arrive(carried, _held(low, ends(after)), w.block)
    w.jump(test)
    w.start(done)
    for result, value in zip(op.results, passed, strict=True):
        low.define(result, low[value])


@lowers(scf.ExecuteRegionOp)
def _region(low: Lowering, op: scf.ExecuteRegionOp) -> None:
    """Write the blocks of the region in place; what any of them yields arrives behind it."""
    done = low.writer.label("done")
    arrivals = []

    def leave(block: Block) -> None:
        if isinstance(block.last_op, scf.YieldOp):
            arrivals.append((ends(block), low.writer.block))
            low.writer.jump(done)

    region_of_blocks(low, postorder(op.regions[0])[::-1], leave)
    low.writer.start(done)
    _results(low, op, arrivals)


@lowers(cf.BranchOp)
def _branch(low: Lowering, op: cf.BranchOp) -> None:
    target = op.successors[0]
    low.arrive(target, op.operands)
    low.writer.jump(low.labels[target])


@lowers(cf.CondBranchOp)
def _branch_on_condition(low: Lowering, op: cf.CondBranchOp) -> None:
    """Go to one of two blocks; where both are one block, its arguments are chosen before."""
    then, otherwise = op.successors
    given, others = op.successor_operands(0), op.successor_operands(1)
    condition = low.scalar(op.condition)
    if then is otherwise:
        low.arrive_chosen(then, condition, given, others)
        low.writer.jump(low.labels[then])
        return
    low.arrive(then, given)
    low.arrive(otherwise, others)
    low.writer.branch(condition, low.labels[then], low.labels[otherwise])


def region_of_blocks(
    low: Lowering, blocks: Sequence[Block], leave: Callable[[Block], None] = lambda block: None
) -> None:
    """Lower blocks, whose arguments are phis of what branches pass.

    Args: leave: is told of each block when all but its end is written.
    """
    for block in blocks[1:]:
        low.labels[block] = low.writer.label("block")
    for block in blocks:
        if block is not blocks[0]:
            low.begin(block)
        low.ops(block)
        leave(block)
    for block in blocks[1:]:
        del low.merges[block]  # who writes a region again begins its blocks again
