"""Merge scf.if operations: two adjacent ones on the same condition, and two nested ones.

scf.if %c {a} else {b}                       scf.if %c {
scf.if (xori %c, true) {d} else {e}    →       a e
                                             } else {
                                               b d
                                             }

scf.if %c { scf.if %d {a} }            →     scf.if (andi %c, %d) {a}
"""

from __future__ import annotations

from weft.ir import arith, scf
from weft.ir.builtin import Block, Operation, OpResult, Region, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.nesting import defining_region, is_nested_in
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["combine_adjacent", "combine_nested"]

Branches = tuple[Block | None, Block | None]
"""The blocks that run if a condition is true and if it is false."""


def _is_negation_of(condition: SSAValue, other: SSAValue) -> bool:
    xor = defining_op(condition, arith.XOrIOp)
    if xor is None or xor.operands[0] is not other:
        return False
    return bool(boolean_value(constant_attribute(xor.operands[1])))


def _branches_by_condition(first: scf.IfOp, second: scf.IfOp) -> Branches | None:
    """Find the blocks of `second` by the condition of `first`, None if they are unrelated."""
    condition, other = second.operands[0], first.operands[0]
    if condition is other:
        return second.then_block, second.else_block
    if _is_negation_of(condition, other) or _is_negation_of(other, condition):
        return second.else_block, second.then_block
    return None


def combine_adjacent(op: Operation, rewriter: Rewriter) -> bool:
    """Merge an if with the one right before it if both have the same condition or its negation."""
    assert isinstance(op, scf.IfOp)
    first = op.prev_op
    if not isinstance(first, scf.IfOp):
        return False
    branches = _branches_by_condition(first, op)
    if branches is None:
        return False
    _forward_results(first, branches, rewriter)
    new_op = rewriter.create(
        scf.IfOp,
        (first.operands[0],),
        [result.type for result in (*first.results, *op.results)],
        regions=(Region(), Region()),
        before=op,
    )
    for index, block in enumerate(branches):
        target = new_op.regions[index]
        first.regions[index].move_blocks(target)
        if block is None:
            continue
        if target.blocks.first is None:
            source = block.parent
            assert source is not None
            source.move_blocks(target)
        else:
            _append(block, target.block, rewriter)
    count = len(first.results)
    rewriter.replace(first, new_op.results[:count])
    rewriter.replace(op, new_op.results[count:])
    return True


def _append(block: Block, into: Block, rewriter: Rewriter) -> None:
    """Append the operations of a branch to another one, and join the yielded values."""
    first = into.last_op
    assert first is not None
    rewriter.merge_blocks(block, into, ())
    second = into.last_op
    assert second is not None
    values = (*first.operands, *second.operands)
    rewriter.create(scf.YieldOp, values, at_end=into, location=second.location)
    rewriter.erase(first)
    rewriter.erase(second)


def _forward_results(first: scf.IfOp, branches: Branches, rewriter: Rewriter) -> None:
    """Replace results of the first if in the second one by the values that it yields there."""
    for index, result in enumerate(first.results):
        for use in tuple(result.uses):
            for block, region in zip(branches, first.regions, strict=True):
                parent = block.parent if block is not None else None
                if parent is not None and is_nested_in(use.operation, parent):
                    last = region.block.last_op
                    assert last is not None
                    rewriter.set_operand(use.operation, use.index, last.operands[index])
                    break


def _only_inner(op: scf.IfOp) -> scf.IfOp | None:
    """Find the if that is alone in the then-block, provided that both else-blocks only yield."""
    inner = op.then_block.first_op
    if not isinstance(inner, scf.IfOp) or inner.next_op is not op.then_block.last_op:
        return None
    for block in (op.else_block, inner.else_block):
        if block is not None and block.first_op is not block.last_op:
            return None
    return inner


def combine_nested(op: Operation, rewriter: Rewriter) -> bool:
    """Merge an if with the if that is alone in its then-block."""
    assert isinstance(op, scf.IfOp)
    inner = _only_inner(op)
    if inner is None:
        return False
    yes = _last_operands(op.then_block)
    no = _last_operands(op.else_block) if op.else_block is not None else []
    selected: list[int] = []  # results that depend on the outer condition only
    for index, value in enumerate(yes):
        if isinstance(value, OpResult) and value.op is inner:
            assert inner.else_block is not None
            position = value.index
            if _last_operands(inner.else_block)[position] is not no[index]:
                return False
            yes[index] = _last_operands(inner.then_block)[position]
        elif defining_region(value) is op.regions[0]:
            return False
        else:
            selected.append(index)
    _merge_nested(op, inner, yes, no, selected, rewriter)
    return True


def _last_operands(block: Block) -> list[SSAValue]:
    last = block.last_op
    assert last is not None
    return list(last.operands)


def _merge_nested(
    op: scf.IfOp,
    inner: scf.IfOp,
    yes: list[SSAValue],
    no: list[SSAValue],
    selected: list[int],
    rewriter: Rewriter,
) -> None:
    outer_condition, inner_condition = op.operands[0], inner.operands[0]
    both = rewriter.create(
        arith.AndIOp, (outer_condition, inner_condition), (outer_condition.type,), before=op
    )
    then_region = Region(Block())
    new_op = rewriter.create(
        scf.IfOp,
        both.results,
        [result.type for result in op.results],
        regions=(then_region, Region()),
        before=op,
    )
    results: list[SSAValue] = list(new_op.results)
    for index in selected:
        operands = (outer_condition, yes[index], no[index])
        select = rewriter.create(
            arith.SelectOp, operands, (yes[index].type,), before=new_op, location=op.location
        )
        results[index] = select.results[0]
    block = then_region.block
    rewriter.merge_blocks(inner.then_block, block, ())
    last = block.last_op
    assert last is not None
    rewriter.create(scf.YieldOp, yes, before=last, location=op.location)
    rewriter.erase(last)
    if no:
        else_block = Block()
        new_op.regions[1].add_block(else_block)
        rewriter.create(scf.YieldOp, no, at_end=else_block, location=op.location)
    rewriter.replace(op, results)
