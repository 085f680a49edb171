"""Patterns of scf.while: carried values that do not change, passed values nobody needs.

A while has two lists. What it *carries* (initial values, the before-region's arguments, the
after-region's yield) and what it *passes* (scf.condition's values, the after-region's
arguments, the results):

    %r:2 = scf.while (%a = %x, %b = %n) {        %r = scf.while (%a = %x) {
      %c = arith.cmpi slt, %a, %b                  %c = arith.cmpi slt, %a, %n
      scf.condition(%c) %a, %b             →       scf.condition(%c) %a
    } do {                                       } do {
    ^bb0(%d, %e):                                ^bb0(%d):
      %f = arith.addi %d, %e                       %f = arith.addi %d, %n
      scf.yield %f, %e                             scf.yield %f
    }                                            }                 (%r#1 becomes %n)

Each pattern decides what stays; `_rebuild` makes the loop that is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, scf, types
from weft.ir.arith.folds.choice import INVERSE
from weft.ir.builtin import Block, BlockArgument, Operation, Region, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import defining_op
from weft.passes.common.canonicalize.regions import is_inside
from weft.passes.common.canonicalize.scf_while_if import move_if_down
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _last(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last


def _passed(op: scf.WhileOp) -> tuple[SSAValue, ...]:
    """List the values that scf.condition forwards."""
    return op.condition_op.successor_operands(None)


def _rebuild(
    op: scf.WhileOp,
    rewriter: Rewriter,
    *,
    carried: Sequence[SSAValue | None] | None = None,
    passed: Sequence[int] | None = None,
    instead: Sequence[int | SSAValue] | None = None,
) -> None:
    """Replace a while by one that carries and passes less, or in another order.

    carried: per carried value None (it stays) or what stands for its argument.
    passed: which of the old passed values the new loop passes, in its order.
    instead: per old passed value its place in `passed`, or the value that stands for it.
    """
    carried = carried if carried is not None else [None] * len(op.operands)
    count = len(op.results)
    passed = passed if passed is not None else range(count)
    instead = instead if instead is not None else range(count)
    inits = [init for init, gone in zip(op.operands, carried, strict=True) if gone is None]
    result_types = [op.results[index].type for index in passed]
    before = Block(arg_types=[init.type for init in inits])
    after = Block(arg_types=result_types)
    made = rewriter.create(
        scf.WhileOp,
        inits,
        result_types,
        op.properties,
        op.attributes,
        (Region(before), Region(after)),
        before=op,
    )
    fresh = iter(before.args)
    arguments = [next(fresh) if gone is None else gone for gone in carried]
    rewriter.merge_blocks(op.before_block, before, arguments)
    condition = made.condition_op
    forwarded = condition.successor_operands(None)
    values = (condition.condition, *(forwarded[index] for index in passed))
    rewriter.create(scf.ConditionOp, values, before=condition)
    rewriter.erase(condition)

    def stand_in(sources: Sequence[SSAValue]) -> list[SSAValue]:
        return [sources[what] if isinstance(what, int) else what for what in instead]

    rewriter.merge_blocks(op.after_block, after, stand_in(after.args))
    last = _last(after)
    kept = [v for v, gone in zip(last.operands, carried, strict=True) if gone is None]
    rewriter.create(scf.YieldOp, kept, before=last)
    rewriter.erase(last)
    rewriter.replace(op, stand_in(made.results))


def _drop_invariant_carried(op: Operation, rewriter: Rewriter) -> bool:
    """A value that is yielded as it came in is its initial value."""
    assert isinstance(op, scf.WhileOp)
    passed = _passed(op)
    yielded = op.yielded_values
    carried: list[SSAValue | None] = []
    for init, argument, value in zip(op.init_args, op.iter_args, yielded, strict=True):
        returns = (
            isinstance(value, BlockArgument)
            and value.owner is op.after_block
            and passed[value.index] is argument
        )
        carried.append(init if value is init or returns else None)
    if all(gone is None for gone in carried):
        return False
    _rebuild(op, rewriter, carried=carried)
    return True


def _drop_outer_passed(op: Operation, rewriter: Rewriter) -> bool:
    """A value from outside need not be passed."""
    assert isinstance(op, scf.WhileOp)
    passed = _passed(op)
    stays = [is_inside(value, op) for value in passed]
    if all(stays):
        return False
    _keep_passed(op, stays, passed, rewriter)
    return True


def _keep_passed(
    op: scf.WhileOp, stays: Sequence[bool], values: Sequence[SSAValue], rewriter: Rewriter
) -> None:
    """Pass on only what stays; `values` stand for the rest."""
    kept = [index for index, is_kept in enumerate(stays) if is_kept]
    place = {index: position for position, index in enumerate(kept)}
    instead = [place.get(index, value) for index, value in enumerate(values)]
    _rebuild(op, rewriter, passed=kept, instead=instead)


def _know_condition(op: Operation, rewriter: Rewriter) -> bool:
    """In the after-region the condition that was passed is true."""
    assert isinstance(op, scf.WhileOp)
    condition = op.condition_op.condition
    known: SSAValue | None = None
    for value, argument in zip(_passed(op), op.after_block.args, strict=True):
        if value is condition and argument.first_use is not None:
            if known is None:
                known = rewriter.constant(attributes.boolean(True), types.i1, op)
            rewriter.replace_uses(argument, known)
    return known is not None


def _know_comparison(op: Operation, rewriter: Rewriter) -> bool:
    """In the after-region a comparison that repeats the condition is known."""
    assert isinstance(op, scf.WhileOp)
    compared = defining_op(op.condition_op.condition, arith.CmpIOp)
    if compared is None:
        return False
    predicate = CmpIPredicate.of(compared.properties["predicate"])
    changed = False
    for value, argument in zip(_passed(op), op.after_block.args, strict=True):
        for side in (0, 1):
            if value is not compared.operands[side]:
                continue
            for use in tuple(argument.uses):
                user = use.operation
                if not isinstance(user, arith.CmpIOp):
                    continue
                if user.operands[1 - side] is not compared.operands[1 - side]:
                    continue
                asked = CmpIPredicate.of(user.properties["predicate"])
                if asked in (predicate, INVERSE[predicate]):
                    truth_ = attributes.boolean(asked is predicate)
                    rewriter.replace(user, (rewriter.constant(truth_, types.i1, user),))
                    changed = True
    return changed


def _drop_unread_passed(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, scf.WhileOp)
    stays = [
        result.first_use is not None or argument.first_use is not None
        for result, argument in zip(op.results, op.after_block.args, strict=True)
    ]
    if all(stays):
        return False
    _keep_passed(op, stays, _passed(op), rewriter)
    return True


def _drop_repeated_passed(op: Operation, rewriter: Rewriter) -> bool:
    """A value that is passed twice is passed once."""
    assert isinstance(op, scf.WhileOp)
    passed = _passed(op)
    place: dict[SSAValue, int] = {}
    kept: list[int] = []
    for index, value in enumerate(passed):
        if value not in place:
            place[value] = len(kept)
            kept.append(index)
    if len(kept) == len(passed):
        return False
    _rebuild(op, rewriter, passed=kept, instead=[place[value] for value in passed])
    return True


def _drop_unread_carried(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, scf.WhileOp)
    carried = [
        init if argument.first_use is None else None
        for init, argument in zip(op.init_args, op.iter_args, strict=True)
    ]
    if all(gone is None for gone in carried):
        return False
    _rebuild(op, rewriter, carried=carried)
    return True


def _pass_in_order(op: Operation, rewriter: Rewriter) -> bool:
    """Pass carried values in the order in which they are carried."""
    assert isinstance(op, scf.WhileOp)
    block, order = op.before_block, []
    for value in _passed(op):
        if not (isinstance(value, BlockArgument) and value.owner is block):
            return False
        order.append(value.index)
    if sorted(order) != list(range(len(block.args))) or order == sorted(order):
        return False
    passed = [order.index(index) for index in range(len(order))]
    _rebuild(op, rewriter, passed=passed, instead=order)
    return True


def _never_runs(op: Operation, rewriter: Rewriter) -> bool:
    """With a condition that is false from the start only the before-region runs, once."""
    assert isinstance(op, scf.WhileOp)
    block = op.before_block
    condition = op.condition_op
    if boolean_value(constant_attribute(condition.condition)) is not False:
        return False
    rewriter.inline_before(block, op, op.init_args)
    rewriter.replace(op, condition.successor_operands(None))
    rewriter.erase(condition)
    return True


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    scf.WhileOp: (
        _drop_invariant_carried,
        _drop_outer_passed,
        _know_condition,
        _know_comparison,
        _drop_unread_passed,
        _drop_repeated_passed,
        _drop_unread_carried,
        _pass_in_order,
        move_if_down,
        _never_runs,
    )
}
