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
from weft.passes.common.canonicalize.scf_if_merge import combine_adjacent, combine_nested
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.nesting import defining_region, is_nested_in
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _yielded_values(block: Block) -> tuple[SSAValue, ...]:
    last = block.last_op
    assert last is not None
    return tuple(last.operands)


def _propagate_condition(op: Operation, rewriter: Rewriter) -> bool:
    """Replace the condition by true in the then-region and by false in the else-region."""
    condition = op.operands[0]
    if isinstance(condition, OpResult) and is_constant(condition.op):
        return False
    constants: dict[bool, SSAValue] = {}
    changed = False
    for use in tuple(condition.uses):
        for region, value in ((op.regions[0], True), (op.regions[1], False)):
            if is_nested_in(use.operation, region):
                if value not in constants:
                    attribute = attributes.boolean(value)
                    constants[value] = rewriter.constant(attribute, types.i1, op)
                rewriter.set_operand(use.operation, use.index, constants[value])
                changed = True
                break
    return changed


def _convert_to_selects(op: Operation, rewriter: Rewriter) -> bool:
    """Replace results by selects if both yielded values are defined outside."""
    assert isinstance(op, scf.IfOp)
    if not op.results:
        return False
    then_region, else_region = op.regions
    assert op.else_block is not None
    pairs = list(zip(_yielded_values(op.then_block), _yielded_values(op.else_block), strict=True))

    is_local = [
        defining_region(yes) is then_region or defining_region(no) is else_region
        for yes, no in pairs
    ]
    if all(is_local):
        return False
    condition = op.operands[0]
    local_pairs = [pair for pair, local in zip(pairs, is_local, strict=True) if local]
    new_op = rewriter.create(
        scf.IfOp,
        (condition,),
        [yes.type for yes, _ in local_pairs],
        regions=(Region(), Region()),
        before=op,
    )
    then_region.move_blocks(new_op.regions[0])
    else_region.move_blocks(new_op.regions[1])
    results = iter(new_op.results)
    values: list[SSAValue] = []
    for (yes, no), local in zip(pairs, is_local, strict=True):
        if local:
            values.append(next(results))
        elif yes is no:
            values.append(yes)
        else:
            select = rewriter.create(
                arith.SelectOp,
                (condition, yes, no),
                (yes.type,),
                before=new_op,
                location=op.location,
            )
            values.append(select.results[0])
    for side in (0, 1):
        _set_yield(new_op.regions[side].block, [pair[side] for pair in local_pairs], rewriter)
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
    new_op = rewriter.create(
        scf.IfOp,
        tuple(op.operands),
        (),
        op.properties,
        op.attributes,
        (Region(), Region()),
        before=op,
    )
    op.regions[0].move_blocks(new_op.regions[0])
    rewriter.erase(op)
    return True


def _inline_static_branch(op: Operation, rewriter: Rewriter) -> bool:
    """Replace an if with constant condition by the branch that runs."""
    assert isinstance(op, scf.IfOp)
    condition = boolean_value(constant_attribute(op.operands[0]))
    if condition is None:
        return False
    if condition:
        rewriter.replace_with_region(op, op.regions[0], ())
    elif op.else_block is not None:
        rewriter.replace_with_region(op, op.regions[1], ())
    else:
        rewriter.erase(op)
    return True


def _merge_equal_results(op: Operation, rewriter: Rewriter) -> bool:
    """Replace results that equal an earlier result in both branches."""
    assert isinstance(op, scf.IfOp)
    if len(op.results) < 2:
        return False
    assert op.else_block is not None
    first: dict[tuple[SSAValue, SSAValue], SSAValue] = {}
    changed = False
    pairs = zip(_yielded_values(op.then_block), _yielded_values(op.else_block), strict=True)
    for pair, result in zip(pairs, op.results, strict=True):
        equal = first.setdefault(pair, result)
        if equal is not result and result.first_use is not None:
            rewriter.replace_uses(result, equal)
            changed = True
    return changed


def _drop_unused_results(op: Operation, rewriter: Rewriter) -> bool:
    used = [index for index, result in enumerate(op.results) if result.first_use is not None]
    if len(used) == len(op.results):
        return False
    new_op = rewriter.create(
        scf.IfOp,
        tuple(op.operands),
        [op.results[index].type for index in used],
        regions=(Region(Block()), Region(Block())),
        before=op,
    )
    for source, target in zip(op.regions, new_op.regions, strict=True):
        block = target.block
        rewriter.merge_blocks(source.block, block, ())
        last = block.last_op
        assert last is not None
        last.operands = [last.operands[index] for index in used]
        rewriter.modified(last)
    values: list[SSAValue | None] = [None] * len(op.results)
    for position, index in enumerate(used):
        values[index] = new_op.results[position]
    rewriter.replace(op, values)
    return True


def _results_from_condition(op: Operation, rewriter: Rewriter) -> bool:
    """Replace results that are the same in both branches, or that equal the condition."""
    assert isinstance(op, scf.IfOp)
    if not op.results or op.else_block is None:
        return False
    changed = False
    pairs = zip(
        _yielded_values(op.then_block), _yielded_values(op.else_block), op.results, strict=True
    )
    for yes, no, result in pairs:
        if result.first_use is None:
            continue
        if yes is no:
            rewriter.replace_uses(result, yes)
            changed = True
            continue
        values = (_boolean_constant(yes), _boolean_constant(no))
        if values == (False, True):
            one = rewriter.constant(attributes.boolean(True), types.i1, op)
            negation = rewriter.create(arith.XOrIOp, (op.operands[0], one), (types.i1,), before=op)
            rewriter.replace_uses(result, negation.results[0])
            changed = True
        elif values == (True, False):
            rewriter.replace_uses(result, op.operands[0])
            changed = True
    return changed


def _boolean_constant(value: SSAValue) -> bool | None:
    constant: Attribute | None = constant_attribute(value)
    return boolean_value(constant) if value.type == types.i1 else None


PATTERNS: PatternTable = {
    scf.IfOp: (
        combine_adjacent,
        combine_nested,
        _propagate_condition,
        _convert_to_selects,
        _drop_empty_else,
        _inline_static_branch,
        _merge_equal_results,
        _drop_unused_results,
        _results_from_condition,
    )
}
