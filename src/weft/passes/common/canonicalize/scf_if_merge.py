"""Merge scf.if operations: two neighbours that ask the same, and one that holds only another.

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
from weft.passes.common.canonicalize.regions import defining_region, encloses
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["combine_neighbours", "combine_nested"]

Sides = tuple[Block | None, Block | None]


def _is_not_of(condition: SSAValue, other: SSAValue) -> bool:
    negated = defining_op(condition, arith.XOrIOp)
    if negated is None or negated.operands[0] is not other:
        return False
    return bool(boolean_value(constant_attribute(negated.operands[1])))


def _aligned(first: scf.IfOp, second: scf.IfOp) -> Sides | None:
    """Return the second's blocks that run where the first's condition is true and false."""
    condition, other = second.operands[0], first.operands[0]
    if condition is other:
        return second.then_block, second.else_block
    if _is_not_of(condition, other) or _is_not_of(other, condition):
        return second.else_block, second.then_block
    return None


def combine_neighbours(op: Operation, rewriter: Rewriter) -> bool:
    """Merge an if into the one right before it that asks for the same condition."""
    assert isinstance(op, scf.IfOp)
    first = op.prev_op
    if not isinstance(first, scf.IfOp):
        return False
    sides = _aligned(first, op)
    if sides is None:
        return False
    _forward_results(first, sides, rewriter)
    made = rewriter.create(
        scf.IfOp,
        (first.operands[0],),
        [result.type for result in (*first.results, *op.results)],
        regions=(Region(), Region()),
        before=op,
    )
    for index, block in enumerate(sides):
        target = made.regions[index]
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
    rewriter.replace(first, made.results[:count])
    rewriter.replace(op, made.results[count:])
    return True


def _append(block: Block, into: Block, rewriter: Rewriter) -> None:
    """Put a branch's operations behind another's and merge what the two yield."""
    first = into.last_op
    assert first is not None
    rewriter.merge_blocks(block, into, ())
    second = into.last_op
    assert second is not None
    values = (*first.operands, *second.operands)
    rewriter.create(scf.YieldOp, values, at_end=into, location=second.location)
    rewriter.erase(first)
    rewriter.erase(second)


def _forward_results(first: scf.IfOp, sides: Sides, rewriter: Rewriter) -> None:
    """Inside the second if, the first one's results are what the branch taken yielded."""
    for index, result in enumerate(first.results):
        for use in tuple(result.uses):
            for block, region in zip(sides, first.regions, strict=True):
                parent = block.parent if block is not None else None
                if parent is not None and encloses(parent, use.operation):
                    last = region.block.last_op
                    assert last is not None
                    rewriter.set_operand(use.operation, use.index, last.operands[index])
                    break


def _only_inner(op: scf.IfOp) -> scf.IfOp | None:
    """Return the if that is all that the then-block does, where both else-blocks only yield."""
    inner = op.then_block.first_op
    if not isinstance(inner, scf.IfOp) or inner.next_op is not op.then_block.last_op:
        return None
    for block in (op.else_block, inner.else_block):
        if block is not None and block.first_op is not block.last_op:
            return None
    return inner


def combine_nested(op: Operation, rewriter: Rewriter) -> bool:
    """Merge an if with the only operation of its then-block, an if too."""
    assert isinstance(op, scf.IfOp)
    inner = _only_inner(op)
    if inner is None:
        return False
    yes = _last_operands(op.then_block)
    no = _last_operands(op.else_block) if op.else_block is not None else []
    selected: list[int] = []
    for index, value in enumerate(yes):
        if isinstance(value, OpResult) and value.op is inner:
            assert inner.else_block is not None
            place = value.index
            if _last_operands(inner.else_block)[place] is not no[index]:
                return False
            yes[index] = _last_operands(inner.then_block)[place]
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
    made = rewriter.create(
        scf.IfOp,
        both.results,
        [result.type for result in op.results],
        regions=(then_region, Region()),
        before=op,
    )
    results: list[SSAValue] = list(made.results)
    for index in selected:
        operands = (outer_condition, yes[index], no[index])
        chosen = rewriter.create(
            arith.SelectOp, operands, (yes[index].type,), before=made, location=op.location
        )
        results[index] = chosen.results[0]
    block = then_region.block
    rewriter.merge_blocks(inner.then_block, block, ())
    last = block.last_op
    assert last is not None
    rewriter.create(scf.YieldOp, yes, before=last, location=op.location)
    rewriter.erase(last)
    if no:
        otherwise = Block()
        made.regions[1].add_block(otherwise)
        rewriter.create(scf.YieldOp, no, at_end=otherwise, location=op.location)
    rewriter.replace(op, results)
