"""Patterns of scf.while: invariant, unused or duplicate iter_args and results.

An scf.while has two lists of values. Its *iter_args* are the init args, the arguments of the
before-region and the values that the after-region yields. Its *results* are the values that
scf.condition forwards, the arguments of the after-region and the results of the operation:

    %r:2 = scf.while (%a = %x, %b = %n) {        %r = scf.while (%a = %x) {
      %c = arith.cmpi slt, %a, %b                  %c = arith.cmpi slt, %a, %n
      scf.condition(%c) %a, %b             →       scf.condition(%c) %a
    } do {                                       } do {
    ^bb0(%d, %e):                                ^bb0(%d):
      %f = arith.addi %d, %e                       %f = arith.addi %d, %n
      scf.yield %f, %e                             scf.yield %f
    }                                            }                 (%r#1 becomes %n)

Each pattern decides what to keep; `_rebuild` creates the new loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, scf, types
from weft.ir.arith.folds.compare import INVERSE
from weft.ir.builtin import Block, BlockArgument, Operation, Region, SSAValue
from weft.ir.constants import boolean_value, constant_attribute
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import defining_op
from weft.passes.common.canonicalize.scf_while_if import move_if_down
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.nesting import is_defined_inside
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS"]


def _forwarded_values(op: scf.WhileOp) -> tuple[SSAValue, ...]:
    """List the values that scf.condition forwards."""
    return op.condition_op.successor_operands(None)


def _rebuild(
    op: scf.WhileOp,
    rewriter: Rewriter,
    *,
    iter_args: Sequence[SSAValue | None] | None = None,
    forwarded: Sequence[int] | None = None,
    results: Sequence[int | SSAValue] | None = None,
) -> None:
    """Replace a loop by one with fewer or reordered iter_args and results.

    Args:
        op: The loop.
        rewriter: Changes the IR.
        iter_args: Per old iter_arg the value that replaces it, None to keep it. Default: keep all.
        forwarded: The positions of the forwarded values to keep, in the new order. Default: all.
        results: Per old result its position in `forwarded`, or the value that replaces it.
            Default: the same position.
    """
    iter_args = iter_args if iter_args is not None else [None] * len(op.operands)
    count = len(op.results)
    forwarded = forwarded if forwarded is not None else range(count)
    results = results if results is not None else range(count)

    def keep(values: Sequence[SSAValue]) -> list[SSAValue]:
        return [v for v, other in zip(values, iter_args, strict=True) if other is None]

    def new_values(values: Sequence[SSAValue]) -> list[SSAValue]:
        return [values[new] if isinstance(new, int) else new for new in results]

    inits = keep(op.init_args)
    result_types = [op.results[index].type for index in forwarded]
    before = Block(arg_types=[init.type for init in inits])
    after = Block(arg_types=result_types)
    new_op = rewriter.create(
        scf.WhileOp,
        inits,
        result_types,
        op.properties,
        op.attributes,
        (Region(before), Region(after)),
        before=op,
    )
    new_args = iter(before.args)
    arguments = [next(new_args) if other is None else other for other in iter_args]
    rewriter.merge_blocks(op.before_block, before, arguments)
    condition = new_op.condition_op
    values = condition.successor_operands(None)
    operands = (condition.condition, *(values[index] for index in forwarded))
    rewriter.create(scf.ConditionOp, operands, before=condition)
    rewriter.erase(condition)
    rewriter.merge_blocks(op.after_block, after, new_values(after.args))
    terminator = after.last_op
    assert terminator is not None
    rewriter.create(scf.YieldOp, keep(tuple(terminator.operands)), before=terminator)
    rewriter.erase(terminator)
    rewriter.replace(op, new_values(new_op.results))


def _drop_invariant_iter_args(op: Operation, rewriter: Rewriter) -> bool:
    """Replace iter_args that every iteration yields unchanged by their init arg."""
    assert isinstance(op, scf.WhileOp)
    forwarded = _forwarded_values(op)
    iter_args: list[SSAValue | None] = []
    for init, argument, value in zip(op.init_args, op.iter_args, op.yielded_values, strict=True):
        # The after-region yields its argument, to which scf.condition forwards the iter_arg.
        is_unchanged = (
            isinstance(value, BlockArgument)
            and value.owner is op.after_block
            and forwarded[value.index] is argument
        )
        iter_args.append(init if value is init or is_unchanged else None)
    if all(value is None for value in iter_args):
        return False
    _rebuild(op, rewriter, iter_args=iter_args)
    return True


def _drop_invariant_results(op: Operation, rewriter: Rewriter) -> bool:
    """Replace results that are defined outside of the loop."""
    assert isinstance(op, scf.WhileOp)
    forwarded = _forwarded_values(op)
    is_kept = [is_defined_inside(value, op) for value in forwarded]
    if all(is_kept):
        return False
    _keep_results(op, is_kept, forwarded, rewriter)
    return True


def _keep_results(
    op: scf.WhileOp, is_kept: Sequence[bool], values: Sequence[SSAValue], rewriter: Rewriter
) -> None:
    """Keep some results and replace the others by `values`."""
    forwarded = [index for index, keep in enumerate(is_kept) if keep]
    positions = {index: position for position, index in enumerate(forwarded)}
    results = [positions.get(index, value) for index, value in enumerate(values)]
    _rebuild(op, rewriter, forwarded=forwarded, results=results)


def _propagate_condition(op: Operation, rewriter: Rewriter) -> bool:
    """Replace the forwarded condition by true in the after-region."""
    assert isinstance(op, scf.WhileOp)
    condition = op.condition_op.condition
    constant: SSAValue | None = None
    for value, argument in zip(_forwarded_values(op), op.after_block.args, strict=True):
        if value is condition and argument.first_use is not None:
            if constant is None:
                constant = rewriter.constant(attributes.boolean(True), types.i1, op)
            rewriter.replace_uses(argument, constant)
    return constant is not None


def _propagate_comparison(op: Operation, rewriter: Rewriter) -> bool:
    """Replace comparisons in the after-region that repeat the condition by a constant."""
    assert isinstance(op, scf.WhileOp)
    comparison = defining_op(op.condition_op.condition, arith.CmpIOp)
    if comparison is None:
        return False
    predicate = CmpIPredicate.of(comparison.properties["predicate"])
    changed = False
    for value, argument in zip(_forwarded_values(op), op.after_block.args, strict=True):
        for side in (0, 1):
            if value is not comparison.operands[side]:
                continue
            for use in tuple(argument.uses):
                user = use.operation
                if not isinstance(user, arith.CmpIOp):
                    continue
                if user.operands[1 - side] is not comparison.operands[1 - side]:
                    continue
                repeated = CmpIPredicate.of(user.properties["predicate"])
                if repeated in (predicate, INVERSE[predicate]):
                    result = attributes.boolean(repeated is predicate)
                    rewriter.replace(user, (rewriter.constant(result, types.i1, user),))
                    changed = True
    return changed


def _drop_unused_results(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, scf.WhileOp)
    is_kept = [
        result.first_use is not None or argument.first_use is not None
        for result, argument in zip(op.results, op.after_block.args, strict=True)
    ]
    if all(is_kept):
        return False
    _keep_results(op, is_kept, _forwarded_values(op), rewriter)
    return True


def _drop_duplicate_results(op: Operation, rewriter: Rewriter) -> bool:
    """Forward each value once."""
    assert isinstance(op, scf.WhileOp)
    values = _forwarded_values(op)
    positions: dict[SSAValue, int] = {}
    forwarded: list[int] = []
    for index, value in enumerate(values):
        if value not in positions:
            positions[value] = len(forwarded)
            forwarded.append(index)
    if len(forwarded) == len(values):
        return False
    _rebuild(op, rewriter, forwarded=forwarded, results=[positions[value] for value in values])
    return True


def _drop_unused_iter_args(op: Operation, rewriter: Rewriter) -> bool:
    assert isinstance(op, scf.WhileOp)
    iter_args = [
        init if argument.first_use is None else None
        for init, argument in zip(op.init_args, op.iter_args, strict=True)
    ]
    if all(value is None for value in iter_args):
        return False
    _rebuild(op, rewriter, iter_args=iter_args)
    return True


def _align_results(op: Operation, rewriter: Rewriter) -> bool:
    """Forward iter_args in the order of the iter_args."""
    assert isinstance(op, scf.WhileOp)
    block = op.before_block
    order: list[int] = []
    for value in _forwarded_values(op):
        if not (isinstance(value, BlockArgument) and value.owner is block):
            return False
        order.append(value.index)
    if sorted(order) != list(range(len(block.args))) or order == sorted(order):
        return False
    forwarded = [order.index(index) for index in range(len(order))]
    _rebuild(op, rewriter, forwarded=forwarded, results=order)
    return True


def _inline_before_region(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a loop whose condition is constant false by its before-region, which runs once."""
    assert isinstance(op, scf.WhileOp)
    block = op.before_block
    condition = op.condition_op
    if boolean_value(constant_attribute(condition.condition)) is not False:
        return False
    rewriter.inline_before(block, op, op.init_args)
    rewriter.replace(op, condition.successor_operands(None))
    rewriter.erase(condition)
    return True


PATTERNS: PatternTable = {
    scf.WhileOp: (
        _drop_invariant_iter_args,
        _drop_invariant_results,
        _propagate_condition,
        _propagate_comparison,
        _drop_unused_results,
        _drop_duplicate_results,
        _drop_unused_iter_args,
        _align_results,
        move_if_down,
        _inline_before_region,
    )
}
