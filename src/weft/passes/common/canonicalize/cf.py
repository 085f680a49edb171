"""Patterns of cf: branches whose target is known, and blocks that only pass control on.

cf.cond_br true, ^a, ^b               →  cf.br ^a
cf.br ^a     (^a has no other edge)   →  ^a's operations, right here
cf.br ^a     (^a: cf.br ^b)           →  cf.br ^b
cf.cond_br %c, ^a(%x), ^a(%y)         →  cf.br ^a(select %c, %x, %y)   (no other edge to ^a)
^a:  … %c …  (only from cond_br %c, ^a, …)   →  ^a:  … true …
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, cf, types
from weft.ir.builtin import Block, BlockArgument, Operation, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.regions import predecessors
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]

Target = tuple[Block, tuple[SSAValue, ...]]


def _targets(op: Operation) -> tuple[Target, Target]:
    """Return the block and values of each side of a conditional branch."""
    assert isinstance(op, cf.CondBranchOp)
    yes, no = op.successors
    return (yes, tuple(op.then_arguments)), (no, tuple(op.else_arguments))


def _branch(op: Operation, target: Target, rewriter: Rewriter) -> bool:
    """Replace a terminator by a branch."""
    rewriter.create(cf.BranchOp, target[1], successors=(target[0],), before=op)
    rewriter.erase(op)
    return True


def _conditional(op: Operation, yes: Target, no: Target, rewriter: Rewriter) -> bool:
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


def _through(target: Target) -> Target | None:
    """Follow a block that does nothing but branch on."""
    block, values = target
    onward = block.first_op
    if not isinstance(onward, cf.BranchOp) or onward.successors[0] is block:
        return None
    if any(use.operation is not onward for arg in block.args for use in arg.uses):
        return None
    passed = tuple(
        values[value.index] if isinstance(value, BlockArgument) and value.owner is block else value
        for value in onward.operands
    )
    return onward.successors[0], passed


# --------------------------------------------------------------------------------------------- br
def _merge_single_predecessor(op: Operation, rewriter: Rewriter) -> bool:
    target, here = op.successors[0], op.parent
    if target is here or len(predecessors(target)) != 1:
        return False
    assert here is not None
    values = tuple(op.operands)
    rewriter.erase(op)
    rewriter.merge_blocks(target, here, values)
    return True


def _br_through(op: Operation, rewriter: Rewriter) -> bool:
    onward = _through((op.successors[0], tuple(op.operands)))
    if onward is None or op.parent is op.successors[0]:
        return False
    return _branch(op, onward, rewriter)


# ---------------------------------------------------------------------------------------- cond_br
def _known(op: Operation, rewriter: Rewriter) -> bool:
    known = boolean_value(constant_attribute(op.operands[0]))
    if known is None:
        return False
    return _branch(op, _targets(op)[0 if known else 1], rewriter)


def _cond_br_through(op: Operation, rewriter: Rewriter) -> bool:
    yes, no = _targets(op)
    further_yes, further_no = _through(yes), _through(no)
    if further_yes is None and further_no is None:
        return False
    return _conditional(op, further_yes or yes, further_no or no, rewriter)


def _one_target(op: Operation, rewriter: Rewriter) -> bool:
    """Both sides lead to the same block: the values that differ are selected."""
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


def _asked_before(op: Operation, rewriter: Rewriter) -> bool:
    """The only way here was a branch on the same condition."""
    here = op.parent
    assert here is not None
    edges = predecessors(here)
    if len(edges) != 1 or not isinstance(edges[0], cf.CondBranchOp):
        return False
    if edges[0].operands[0] is not op.operands[0]:
        return False
    return _branch(op, _targets(op)[0 if edges[0].successors[0] is here else 1], rewriter)


def _propagate(op: Operation, rewriter: Rewriter) -> bool:
    """In a block that only one side leads to, the condition is known."""
    condition = op.operands[0]
    changed = False
    for block, value in zip(op.successors, (True, False), strict=True):
        if len(predecessors(block)) != 1:
            continue
        known: SSAValue | None = None
        for use in tuple(condition.uses):
            if use.operation.parent is block:
                if known is None:
                    known = rewriter.constant(attributes.boolean(value), types.i1, op)
                rewriter.set_operand(use.operation, use.index, known)
                changed = True
    return changed


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    cf.BranchOp: (_merge_single_predecessor, _br_through),
    cf.CondBranchOp: (_known, _cond_br_through, _one_target, _asked_before, _propagate),
}
