"""Move an if that asks for a while's own condition into the after-region, where it is true.

scf.while (%a = %x) {                        scf.while (%a = %x) {
  %c = arith.cmpi slt, %a, %n                  %c = arith.cmpi slt, %a, %n
  %k = scf.if %c {                             scf.condition(%c) %a
    %s = arith.addi %a, %a             →     } do {
    scf.yield %s                             ^bb0(%b):
  } else { scf.yield %a }                      %s = arith.addi %b, %b
  scf.condition(%c) %k                         … %s where %d stood …
} do {                                       }
^bb0(%d): …
}
"""

from __future__ import annotations

from weft.ir import scf
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.passes.common.canonicalize.regions import defining_region, encloses
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["move_if_down"]


def move_if_down(op: Operation, rewriter: Rewriter) -> bool:
    """Move the if right before scf.condition down, where it asks for the same condition."""
    assert isinstance(op, scf.WhileOp)
    condition = op.before_block.last_op
    assert condition is not None
    inner = condition.prev_op
    if not isinstance(inner, scf.IfOp) or inner.operands[0] is not condition.operands[0]:
        return False
    otherwise = inner.else_block
    if otherwise is not None and otherwise.first_op is not otherwise.last_op:
        return False
    _forward(op, inner, condition, rewriter)
    needed = _needed_from_before(op, inner)
    made = rewriter.create(
        scf.WhileOp,
        tuple(op.operands),
        [*(result.type for result in op.results), *(value.type for value in needed)],
        regions=(Region(), Region()),
        before=op,
    )
    for source, target in zip(op.regions, made.regions, strict=True):
        source.move_blocks(target)
    after = made.regions[1].block
    condition.operands = (*condition.operands, *needed)
    rewriter.modified(condition)
    for value in needed:
        argument = after.insert_arg(value.type, len(after.args))
        for use in tuple(value.uses):
            if encloses(inner.regions[0], use.operation):
                rewriter.set_operand(use.operation, use.index, argument)
    _inline_at_start(inner, after, rewriter)
    rewriter.replace(op, made.results[: len(op.results)])
    return True


def _forward(op: scf.WhileOp, inner: scf.IfOp, condition: Operation, rewriter: Rewriter) -> None:
    """Passed results of the if: its else-value for the loop's result, its then-value inside."""
    results: list[SSAValue] = list(inner.results)
    for index, value in enumerate(tuple(condition.operands)[1:]):
        if value not in results:
            continue
        place = results.index(value)
        then_last, else_block = inner.then_block.last_op, inner.else_block
        assert then_last is not None
        assert else_block is not None
        else_last = else_block.last_op
        assert else_last is not None
        rewriter.replace_uses(value, else_last.operands[place])
        rewriter.replace_uses(op.after_block.args[index], then_last.operands[place])


def _needed_from_before(op: scf.WhileOp, inner: scf.IfOp) -> list[SSAValue]:
    """Return what the if's then-region reads of the before-region, in order of first use."""
    needed: dict[SSAValue, None] = {}
    for inside in inner.then_block.walk():
        for operand in inside.operands:
            if defining_region(operand) is op.regions[0]:
                needed[operand] = None
    return list(needed)


def _inline_at_start(inner: scf.IfOp, after: Block, rewriter: Rewriter) -> None:
    last = inner.then_block.last_op
    first = after.first_op
    assert last is not None
    assert first is not None
    rewriter.erase(last)
    rewriter.inline_before(inner.then_block, first, ())
    rewriter.erase(inner)
