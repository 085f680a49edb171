"""Patterns of scf.if.

scf.if %c {a}   scf.if %c {b}            →  scf.if %c {a b}
scf.if %c { scf.if %d {a} }              →  scf.if (andi %c, %d) {a}
scf.if %c { … %c … }                     →  scf.if %c { … true … }
%r = scf.if %c { yield %x } else { yield %y }   →  arith.select %c, %x, %y
%r:2 = scf.if %c { yield %x, %x } else { yield %y, %y }  →  %r#0 for both
scf.if true {a} else {b}                 →  a
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, scf, types
from weft.ir.builtin import Attribute, Block, Operation, OpResult, Region, SSAValue
from weft.ir.constants import boolean_value, constant_attribute, is_constant
from weft.passes.common.canonicalize.regions import defining_region, encloses, inline_region
from weft.passes.common.canonicalize.scf_if_merge import combine_neighbours, combine_nested
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _yielded(block: Block) -> tuple[SSAValue, ...]:
    last = block.last_op
    assert last is not None
    return tuple(last.operands)


def _propagate_condition(op: Operation, rewriter: Rewriter) -> bool:
    """Inside a branch the condition is known."""
    condition = op.operands[0]
    if isinstance(condition, OpResult) and is_constant(condition.op):
        return False
    known: dict[bool, SSAValue] = {}
    changed = False
    for use in tuple(condition.uses):
        for region, value in ((op.regions[0], True), (op.regions[1], False)):
            if encloses(region, use.operation):
                if value not in known:
                    constant = attributes.boolean(value)
                    known[value] = rewriter.constant(constant, types.i1, op)
                rewriter.set_operand(use.operation, use.index, known[value])
                changed = True
                break
    return changed


def _to_selects(op: Operation, rewriter: Rewriter) -> bool:
    """Results whose two values are known outside of the branches become selects."""
    assert isinstance(op, scf.IfOp)
    if not op.results:
        return False
    then_region, else_region = op.regions
    assert op.else_block is not None
    pairs = list(zip(_yielded(op.then_block), _yielded(op.else_block), strict=True))

    def is_local(pair: tuple[SSAValue, SSAValue], first: Region, second: Region) -> bool:
        return defining_region(pair[0]) is first or defining_region(pair[1]) is second

    local = [is_local(pair, then_region, else_region) for pair in pairs]
    if all(local):
        return False
    condition = op.operands[0]
    kept = [pair for pair, is_kept in zip(pairs, local, strict=True) if is_kept]
    made = rewriter.create(
        scf.IfOp,
        (condition,),
        [pair[0].type for pair in kept],
        regions=(Region(), Region()),
        before=op,
    )
    then_region.move_blocks(made.regions[0])
    else_region.move_blocks(made.regions[1])
    results = iter(made.results)
    values: list[SSAValue] = []
    for (yes, no), is_kept in zip(pairs, local, strict=True):
        if is_kept:
            values.append(next(results))
        elif yes is no:
            values.append(yes)
        else:
            chosen = rewriter.create(
                arith.SelectOp, (condition, yes, no), (yes.type,), before=made, location=op.location
            )
            values.append(chosen.results[0])
    for side in (0, 1):
        _set_yield(made.regions[side].block, [pair[side] for pair in kept], rewriter)
    rewriter.replace(op, values)
    return True


def _set_yield(block: Block, values: Sequence[SSAValue], rewriter: Rewriter) -> None:
    last = block.last_op
    assert last is not None
    rewriter.create(scf.YieldOp, values, before=last)
    rewriter.erase(last)


def _drop_empty_else(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, scf.IfOp)
    block = op.else_block
    if op.results or block is None or block.first_op is not block.last_op:
        return False
    made = rewriter.create(
        scf.IfOp,
        tuple(op.operands),
        (),
        op.properties,
        op.attributes,
        (Region(), Region()),
        before=op,
    )
    op.regions[0].move_blocks(made.regions[0])
    rewriter.erase(op)
    return True


def _take_known_branch(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, scf.IfOp)
    known = boolean_value(constant_attribute(op.operands[0]))
    if known is None:
        return False
    if known:
        inline_region(op, op.regions[0], (), rewriter)
    elif op.else_block is not None:
        inline_region(op, op.regions[1], (), rewriter)
    else:
        rewriter.erase(op)
    return True


def _merge_equal_results(op: Operation, rewriter: Rewriter) -> bool:
    """Results that are equal on both sides are one: the first of them."""
    assert isinstance(op, scf.IfOp)
    if len(op.results) < 2:
        return False
    assert op.else_block is not None
    first: dict[tuple[SSAValue, SSAValue], SSAValue] = {}
    changed = False
    pairs = zip(_yielded(op.then_block), _yielded(op.else_block), strict=True)
    for pair, result in zip(pairs, op.results, strict=True):
        twin = first.setdefault(pair, result)
        if twin is not result and result.first_use is not None:
            rewriter.replace_uses(result, twin)
            changed = True
    return changed


def _drop_unused_results(op: Operation, rewriter: Rewriter) -> bool:
    used = [index for index, result in enumerate(op.results) if result.first_use is not None]
    if len(used) == len(op.results):
        return False
    made = rewriter.create(
        scf.IfOp,
        tuple(op.operands),
        [op.results[index].type for index in used],
        regions=(Region(Block()), Region(Block())),
        before=op,
    )
    for source, target in zip(op.regions, made.regions, strict=True):
        block = target.block
        rewriter.merge_blocks(source.block, block, ())
        last = block.last_op
        assert last is not None
        last.operands = [last.operands[index] for index in used]
        rewriter.modified(last)
    values: list[SSAValue | None] = [None] * len(op.results)
    for place, index in enumerate(used):
        values[index] = made.results[place]
    rewriter.replace(op, values)
    return True


def _results_from_condition(op: Operation, rewriter: Rewriter) -> bool:
    """A result that is the same on both sides, or that only repeats the condition."""
    assert isinstance(op, scf.IfOp)
    if not op.results or op.else_block is None:
        return False
    changed = False
    pairs = zip(_yielded(op.then_block), _yielded(op.else_block), op.results, strict=True)
    for yes, no, result in pairs:
        if result.first_use is None:
            continue
        if yes is no:
            rewriter.replace_uses(result, yes)
            changed = True
            continue
        values = (_scalar_truth(yes), _scalar_truth(no))
        if values == (False, True):
            one = rewriter.constant(attributes.boolean(True), types.i1, op)
            negated = rewriter.create(arith.XOrIOp, (op.operands[0], one), (types.i1,), before=op)
            rewriter.replace_uses(result, negated.results[0])
            changed = True
        elif values == (True, False):
            rewriter.replace_uses(result, op.operands[0])
            changed = True
    return changed


def _scalar_truth(value: SSAValue) -> bool | None:
    constant: Attribute | None = constant_attribute(value)
    return boolean_value(constant) if value.type == types.i1 else None


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    scf.IfOp: (
        combine_neighbours,
        combine_nested,
        _propagate_condition,
        _to_selects,
        _drop_empty_else,
        _take_known_branch,
        _merge_equal_results,
        _drop_unused_results,
        _results_from_condition,
    )
}
