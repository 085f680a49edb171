"""Move an scf.if on the condition of an scf.while into the after-region, where it is true.

scf.while (%a = %x) {                        scf.while (%a = %x) {
  %c = arith.cmpi slt, %a, %n                  %c = arith.cmpi slt, %a, %n
  %k = scf.if %c {                             scf.condition(%c) %a
    %s = arith.addi %a, %a             →     } do {
    scf.yield %s                             ^bb0(%b):
  } else { scf.yield %a }                      %s = arith.addi %b, %b
  scf.condition(%c) %k                         … %s instead of %d …
} do {                                       }
^bb0(%d): …
}
"""

from __future__ import annotations

from weft.ir import scf
from weft.ir.builtin import Block, Operation, Region, SSAValue
from weft.passes.rewrite.nesting import defining_region, is_nested_in
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["move_if_down"]


def move_if_down(op: Operation, rewriter: Rewriter) -> bool:
    """Move the if right before scf.condition into the after-region if both share a condition."""
    assert isinstance(op, scf.WhileOp)
    condition_op = op.condition_op
    if_op = condition_op.prev_op
    if not isinstance(if_op, scf.IfOp) or if_op.condition is not condition_op.condition:
        return False
    # When the condition is false the loop ends: the else-block must only yield.
    else_block = if_op.else_block
    if else_block is not None and else_block.first_op is not else_block.last_op:
        return False
    _forward_results(op, if_op, rewriter)
    captures = _captures_from_before(op, if_op)
    new_op = rewriter.create(
        scf.WhileOp,
        tuple(op.operands),
        [*(result.type for result in op.results), *(value.type for value in captures)],
        regions=(Region(), Region()),
        before=op,
    )
    for source, target in zip(op.regions, new_op.regions, strict=True):
        source.move_blocks(target)
    after = new_op.after_block
    condition_op.operands = (*condition_op.operands, *captures)
    rewriter.modified(condition_op)
    for value in captures:
        argument = after.insert_arg(value.type, len(after.args))
        for use in tuple(value.uses):
            if is_nested_in(use.operation, if_op.regions[0]):
                rewriter.set_operand(use.operation, use.index, argument)
    _inline_at_start(if_op, after, rewriter)
    rewriter.replace(op, new_op.results[: len(op.results)])
    return True


def _forward_results(op: scf.WhileOp, if_op: scf.IfOp, rewriter: Rewriter) -> None:
    """Replace forwarded results of the if.

    The result of the loop is the value that the else-block yields, because the loop ends when the
    condition is false. In the after-region it is the value that the then-block yields.
    """
    results: list[SSAValue] = list(if_op.results)
    for index, value in enumerate(op.condition_op.successor_operands(None)):
        if value not in results:
            continue
        position = results.index(value)
        else_block = if_op.else_block
        assert else_block is not None
        then_yield, else_yield = if_op.then_block.last_op, else_block.last_op
        assert then_yield is not None
        assert else_yield is not None
        rewriter.replace_uses(value, else_yield.operands[position])
        rewriter.replace_uses(op.after_block.args[index], then_yield.operands[position])


def _captures_from_before(op: scf.WhileOp, if_op: scf.IfOp) -> list[SSAValue]:
    """List the values of the before-region that the then-region uses, in order of first use."""
    captures: dict[SSAValue, None] = {}
    for inner in if_op.then_block.walk():
        for operand in inner.operands:
            if defining_region(operand) is op.regions[0]:
                captures[operand] = None
    return list(captures)


def _inline_at_start(if_op: scf.IfOp, after: Block, rewriter: Rewriter) -> None:
    """Move the then-block to the start of the after-region and erase the if."""
    terminator, first = if_op.then_block.last_op, after.first_op
    assert terminator is not None
    assert first is not None
    rewriter.erase(terminator)
    rewriter.inline_before(if_op.then_block, first, ())
    rewriter.erase(if_op)
