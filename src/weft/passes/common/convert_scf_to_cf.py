"""Turn structured control flow into branches between blocks (convert-scf-to-cf).

Before:  %r = scf.for %i = %lb to %ub step %s        After:    cf.br ^header(%lb, %x)
             iter_args(%a = %x) {                            ^header(%i, %a):
           %b = … %a                                           %c = arith.cmpi slt, %i, %ub
           scf.yield %b                                        cf.cond_br %c, ^body, ^end
         }                                                   ^body:
         … %r                                                  %b = … %a
                                                               %n = arith.addi %i, %s
                                                               cf.br ^header(%n, %b)
                                                             ^end:
                                                               … %a

Keeps: the order of operations; operations other than scf. weft's code generation lowers scf
operations itself, and does not need the pass.
Source: MLIR, SCFToControlFlow.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, cf, scf, types
from weft.ir.builtin import Block, ModuleOp, Operation, Region, SSAValue
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, erase, replace, walk

__all__ = ["ConvertScfToCf"]


class ConvertScfToCf(Struct, frozen=True):
    """Replaces loops, conditionals and regions of scf by branches."""

    name: ClassVar[str] = "convert-scf-to-cf"

    def run(self, module: ModuleOp) -> None:
        """Lower each operation; one with regions comes before those inside."""
        for op in list(walk(module)):
            if isinstance(op, scf.ForOp):
                _lower_for(op)
            elif isinstance(op, scf.IfOp):
                _lower_if(op)
            elif isinstance(op, scf.WhileOp):
                _lower_while(op)
            elif isinstance(op, scf.ExecuteRegionOp):
                _lower_execute_region(op)


def _lower_for(loop: scf.ForOp) -> None:
    start, end = _split(loop)
    header = loop.block
    first, last = header.first_op, header.last_op
    assert first is not None
    assert last is not None
    body = header.split_before(first)
    induction_variable, *iter_args = header.args
    _inline(loop.body, end)
    build = Builder(loop.location)
    _branch(build.at_end(start), header, (loop.lower_bound, *loop.initArgs))
    is_unsigned = loop.unsignedCmp is not None
    predicate = CmpIPredicate.ULT if is_unsigned else CmpIPredicate.SLT
    in_range = build.at_end(header).create(
        arith.CmpIOp,
        [induction_variable, loop.upper_bound],
        [types.i1],
        {"predicate": predicate.attr()},
    )
    _conditional_branch(build, in_range.results[0], (body, ()), (end, ()))
    yielded = tuple(last.operands)
    build.at_end(_block_of(last))
    erase(last)
    following = build.create(
        arith.AddIOp, [induction_variable, loop.step], [induction_variable.type]
    )
    _branch(build, header, (following.results[0], *yielded))
    replace(loop, iter_args)


def _lower_if(op: scf.IfOp) -> None:
    condition, end = _split(op)
    merge = _merge_block(op, end)
    build = Builder(op.location)
    targets = [(merge, ()), (merge, ())]
    for index, region in enumerate((op.then_region, op.else_region)):
        if region.blocks:
            targets[index] = (_inline_to(region, merge), ())
    _conditional_branch(build.at_end(condition), op.condition, *targets)
    replace(op, merge.args if op.results else ())


def _lower_while(loop: scf.WhileOp) -> None:
    start, end = _split(loop)
    before, after = loop.before_block, loop.after_block
    condition, last = loop.condition_op, loop.yield_op
    forwarded = tuple(condition.arguments)
    # A body that only forwards its arguments has no block.
    is_do_while = last is after.first_op and tuple(last.operands) == tuple(after.args)
    _inline(loop.before, end)
    build = Builder(loop.location)
    _branch(build.at_end(start), before, tuple(loop.inits))
    target = before
    if not is_do_while:
        target = after
        _inline(loop.after, end)
        yielded = tuple(last.operands)
        build.at_end(_block_of(last))
        erase(last)
        _branch(build, before, yielded)
    build.at_end(_block_of(condition))
    value = condition.condition
    erase(condition)
    _conditional_branch(build, value, (target, forwarded), (end, ()))
    replace(loop, forwarded)


def _lower_execute_region(op: scf.ExecuteRegionOp) -> None:
    start, end = _split(op)
    arguments = [end.insert_arg(result.type, n) for n, result in enumerate(op.results)]
    entry = _inline_to(op.region, end)
    _branch(Builder(op.location).at_end(start), entry, ())
    replace(op, arguments)


def _split(op: Operation) -> tuple[Block, Block]:
    """Split a block before an operation; return both parts."""
    block = _block_of(op)
    return block, block.split_before(op)


def _merge_block(op: Operation, end: Block) -> Block:
    """Create the block whose arguments are the results of an operation, if it has any.

    Args:
        op: The operation.
        end: The block that begins with the operation.
    """
    if not op.results:
        return end
    merge = Block(arg_types=[result.type for result in op.results])
    region = end.parent
    assert region is not None
    region.insert_block_before(merge, end)
    _branch(Builder(op.location).at_end(merge), end, ())
    return merge


def _inline_to(region: Region, target: Block) -> Block:
    """Inline a region before a block, and let its yields branch there; return its entry block."""
    entry = region.blocks.first
    assert entry is not None
    for block in _inline(region, target):
        last = block.last_op
        if isinstance(last, scf.YieldOp):
            values, build = tuple(last.operands), Builder(last.location).at_end(block)
            erase(last)
            _branch(build, target, values)
    return entry


def _inline(region: Region, before: Block) -> list[Block]:
    """Move the blocks of a region before a block of another one; return them."""
    blocks = list(region.blocks)
    destination = before.parent
    assert destination is not None
    for block in blocks:
        region.detach_block(block)
        destination.insert_block_before(block, before)
    return blocks


def _block_of(op: Operation) -> Block:
    block = op.parent
    assert block is not None
    return block


def _branch(build: Builder, target: Block, values: Sequence[SSAValue]) -> None:
    build.create(cf.BranchOp, values, successors=[target])


def _conditional_branch(
    build: Builder,
    condition: SSAValue,
    then_target: tuple[Block, tuple[SSAValue, ...]],
    else_target: tuple[Block, tuple[SSAValue, ...]],
) -> None:
    branch = cf.CondBranchOp.of(condition, then_target, else_target)
    branch.location = build.location
    build.insert(branch)
