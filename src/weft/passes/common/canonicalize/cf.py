"""Patterns of cf: branches with a constant condition, and blocks that only branch on.

cf.cond_br true, ^a, ^b               →  cf.br ^a
cf.br ^a     (^a has no other edge)   →  the operations of ^a
cf.br ^a     (^a: cf.br ^b)           →  cf.br ^b
cf.cond_br %c, ^a(%x), ^a(%y)         →  cf.br ^a(select %c, %x, %y)   (no other edge to ^a)
^a:  … %c …  (only from cond_br %c, ^a, …)   →  ^a:  … true …
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, cf, types
from weft.ir.builtin import Block, BlockArgument, Operation, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.rewrite.simplify_regions import predecessors

__all__ = ["PATTERNS"]

Target = tuple[Block, tuple[SSAValue, ...]]
"""A successor and the values for its arguments."""


def _targets(op: Operation) -> tuple[Target, Target]:
    """List the targets of a conditional branch for true and false."""
    assert isinstance(op, cf.CondBranchOp)
    yes, no = op.successors
    return (yes, tuple(op.then_arguments)), (no, tuple(op.else_arguments))


def _branch(op: Operation, target: Target, rewriter: Rewriter) -> bool:
    """Replace a terminator by a branch."""
    rewriter.create(cf.BranchOp, target[1], successors=(target[0],), before=op)
    rewriter.erase(op)
    return True


def _conditional_branch(op: Operation, yes: Target, no: Target, rewriter: Rewriter) -> bool:
    """Replace a terminator by a conditional branch."""
    sizes = attributes.array_i32((1, len(yes[1]), len(no[1])))
    rewriter.create(
        cf.CondBranchOp,
        (op.operands[0], *yes[1], *no[1]),
        properties={"operandSegmentSizes": sizes},
        successors=(yes[0], no[0]),
        before=op,
    )
    rewriter.erase(op)
    return True


def _skip_block(target: Target) -> Target | None:
    """Find where a block branches to if it only contains the branch, None otherwise."""
    block, values = target
    branch = block.first_op
    if not isinstance(branch, cf.BranchOp) or branch.successors[0] is block:
        return None
    if any(use.operation is not branch for arg in block.args for use in arg.uses):
        return None
    operands = tuple(
        values[value.index] if isinstance(value, BlockArgument) and value.owner is block else value
        for value in branch.operands
    )
    return branch.successors[0], operands


# --------------------------------------------------------------------------------------------- br
def _merge_single_predecessor(op: Operation, rewriter: Rewriter) -> bool:
    target, block = op.successors[0], op.parent
    if target is block or len(predecessors(target)) != 1:
        return False
    assert block is not None
    values = tuple(op.operands)
    rewriter.erase(op)
    rewriter.merge_blocks(target, block, values)
    return True


def _skip_branch_block(op: Operation, rewriter: Rewriter) -> bool:
    target = _skip_block((op.successors[0], tuple(op.operands)))
    if target is None or op.parent is op.successors[0]:
        return False
    return _branch(op, target, rewriter)


# ---------------------------------------------------------------------------------------- cond_br
def _take_constant_branch(op: Operation, rewriter: Rewriter) -> bool:
    condition = boolean_value(constant_attribute(op.operands[0]))
    if condition is None:
        return False
    return _branch(op, _targets(op)[0 if condition else 1], rewriter)


def _skip_cond_branch_blocks(op: Operation, rewriter: Rewriter) -> bool:
    yes, no = _targets(op)
    new_yes, new_no = _skip_block(yes), _skip_block(no)
    if new_yes is None and new_no is None:
        return False
    return _conditional_branch(op, new_yes or yes, new_no or no, rewriter)


def _merge_equal_targets(op: Operation, rewriter: Rewriter) -> bool:
    """If both targets are the same block, branch to it with selects of the values that differ."""
    (block, yes), (other, no) = _targets(op)
    if block is not other:
        return False
    if not _all_same(yes, no):
        if any(branch is not op for branch in predecessors(block)):
            return False
        yes = tuple(
            a
            if a is b
            else rewriter.create(
                arith.SelectOp, (op.operands[0], a, b), (a.type,), before=op
            ).results[0]
            for a, b in zip(yes, no, strict=True)
        )
    return _branch(op, (block, yes), rewriter)


def _all_same(first: Sequence[SSAValue], second: Sequence[SSAValue]) -> bool:
    return all(a is b for a, b in zip(first, second, strict=True))


def _take_implied_branch(op: Operation, rewriter: Rewriter) -> bool:
    """If the only predecessor branches on the same condition, its value is known here."""
    block = op.parent
    assert block is not None
    edges = predecessors(block)
    if len(edges) != 1 or not isinstance(edges[0], cf.CondBranchOp):
        return False
    if edges[0].operands[0] is not op.operands[0]:
        return False
    return _branch(op, _targets(op)[0 if edges[0].successors[0] is block else 1], rewriter)


def _propagate_condition(op: Operation, rewriter: Rewriter) -> bool:
    """Replace the condition by a constant in a target without other predecessors."""
    condition = op.operands[0]
    changed = False
    for block, value in zip(op.successors, (True, False), strict=True):
        if len(predecessors(block)) != 1:
            continue
        constant: SSAValue | None = None
        for use in tuple(condition.uses):
            if use.operation.parent is block:
                if constant is None:
                    constant = rewriter.constant(attributes.boolean(value), types.i1, op)
                rewriter.set_operand(use.operation, use.index, constant)
                changed = True
    return changed


PATTERNS: PatternTable = {
    cf.BranchOp: (_merge_single_predecessor, _skip_branch_block),
    cf.CondBranchOp: (
        _take_constant_branch,
        _skip_cond_branch_blocks,
        _merge_equal_targets,
        _take_implied_branch,
        _propagate_condition,
    ),
}
