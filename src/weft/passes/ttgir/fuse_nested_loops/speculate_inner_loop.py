"""Ensure that an inner loop runs at least once, so that its body is unconditional when fused.

Before:  for i { for j in range(n) { … } }     After:  if n == 0 { for i { } }
                                                       else { for i { for j in range(n) { … } } }

If `tl.assume` states that the inner loop runs, nothing is duplicated.
"""

from __future__ import annotations

from weft.ir import arith, attributes, llvm, scf, types
from weft.ir.builtin import Block, Operation, Region
from weft.ir.enums import CmpIPredicate
from weft.ir.loop_attributes import WARP_SPECIALIZE
from weft.ir.rewriting import Builder, clone, replace, walk
from weft.passes.ttgir.fuse_nested_loops.bounds import (
    LoopArithmetic,
    is_function_argument,
    move_before,
    operations_computing,
)

__all__ = ["ensure_inner_loop_runs"]


def ensure_inner_loop_runs(outer: scf.ForOp, inner: scf.ForOp) -> bool:
    """Ensure that an inner loop runs in every iteration of the outer one.

    Returns:
        Whether it does. It may not if its bounds cannot be computed before the outer loop.
    """
    if _is_assumed_to_run(inner):
        return True
    bound_ops = operations_computing(inner.bounds, outer, is_function_argument)
    if bound_ops is None:
        return False
    move_before(bound_ops, outer)
    builder = Builder(inner.location).restore((outer.parent, outer))
    arithmetic = LoopArithmetic(builder, inner.induction_variable.type)
    trip_count = arithmetic.trip_count(inner.bounds)
    value = {"value": attributes.integer(0, trip_count.type)}
    zero = builder.create(arith.ConstantOp, (), (trip_count.type,), value).results[0]
    predicate = {"predicate": CmpIPredicate.EQ.attr()}
    is_empty = builder.value(arith.CmpIOp, [trip_count, zero], types.i1, predicate)
    results = [result.type for result in outer.results]
    regions = [Region(Block()), Region(Block())]
    conditional = builder.create(scf.IfOp, [is_empty], results, regions=regions)
    _copy_without_inner(outer, inner, regions[0].block)
    for old, new in zip(outer.results, conditional.results, strict=True):
        old.replace_all_uses_with(new)
    outer.detach()
    regions[1].block.add_op(outer)
    Builder(inner.location).at_end(regions[1].block).create(scf.YieldOp, outer.results)
    return True


def _copy_without_inner(outer: scf.ForOp, inner: scf.ForOp, block: Block) -> None:
    """Copy a loop nest without the inner loop into a block."""
    position = [op for op in walk(outer) if isinstance(op, scf.ForOp)].index(inner)
    copy = clone(outer, {})
    assert isinstance(copy, scf.ForOp)
    block.add_op(copy)
    inner_copy = [op for op in walk(copy) if isinstance(op, scf.ForOp)][position]
    replace(inner_copy, inner_copy.init_args)
    copy.attributes.pop(WARP_SPECIALIZE, None)
    Builder(inner.location).at_end(block).create(scf.YieldOp, copy.results)


def _is_assumed_to_run(loop: scf.ForOp) -> bool:
    """Check whether `tl.assume` states that the lower bound is below the upper bound."""
    low, high, _ = loop.bounds
    unsigned = "unsignedCmp" in loop.properties
    above = CmpIPredicate.UGT if unsigned else CmpIPredicate.SGT
    below = CmpIPredicate.ULT if unsigned else CmpIPredicate.SLT
    for use in high.uses:
        comparison: Operation = use.operation
        if not isinstance(comparison, arith.CmpIOp):
            continue
        if not any(isinstance(u.operation, llvm.AssumeOp) for u in comparison.results[0].uses):
            continue
        predicate = CmpIPredicate.of(comparison.properties["predicate"])
        left, right = comparison.operands
        if predicate is above and left is high and right is low:
            return True
        if predicate is below and left is low and right is high:
            return True
    return False
