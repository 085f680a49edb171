"""Make an inner loop run at least once, so that its body need not be conditional when fused.

Before:  for i { for j in range(n) { … } }     After:  if n == 0 { for i { } }
                                                       else { for i { for j in range(n) { … } } }

Nothing is doubled if `tl.assume` promises that the inner loop runs.
"""

from __future__ import annotations

from weft.ir import arith, attributes, llvm, scf, types
from weft.ir.builtin import Block, Operation, Region
from weft.ir.enums import CmpIPredicate
from weft.ir.rewriting import Builder, clone, replace, walk
from weft.passes.ttgir.fuse_nested_loops.bounds import (
    Numbers,
    hoist,
    of_function,
    operations_for,
)

__all__ = ["runs_at_least_once"]

WARP_SPECIALIZE = "tt.warp_specialize"


def runs_at_least_once(outer: scf.ForOp, inner: scf.ForOp) -> bool:
    """Make sure that a loop inside another one runs whenever it is reached.

    Returns: False if nothing promises it and its bounds cannot be computed in front.
    """
    if _is_promised(inner):
        return True
    needed = operations_for(inner.bounds, outer, of_function)
    if needed is None:
        return False
    hoist(needed, outer)
    builder = Builder().before(outer)
    rounds = Numbers(builder, inner.induction_variable.type).rounds(inner.bounds)
    zero = {"value": attributes.integer(0, rounds.type)}
    none = builder.create(arith.ConstantOp, (), (rounds.type,), zero).results[0]
    never = builder.value(
        arith.CmpIOp, [rounds, none], types.i1, {"predicate": CmpIPredicate.EQ.attr()}
    )  # fmt: skip
    results = [result.type for result in outer.results]
    regions = [Region(Block()), Region(Block())]
    choice = builder.create(scf.IfOp, [never], results, regions=regions)
    _without_inner(outer, inner, regions[0].block)
    for old, new in zip(outer.results, choice.results, strict=True):
        old.replace_all_uses_with(new)
    outer.detach()
    regions[1].block.add_op(outer)
    Builder(outer.location).at_end(regions[1].block).create(scf.YieldOp, outer.results)
    return True


def _without_inner(outer: scf.ForOp, inner: scf.ForOp, block: Block) -> None:
    """Put a copy of a loop nest without the inner loop into a block."""
    position = [op for op in walk(outer) if isinstance(op, scf.ForOp)].index(inner)
    copied = clone(outer, {})
    assert isinstance(copied, scf.ForOp)
    block.add_op(copied)
    twin = [op for op in walk(copied) if isinstance(op, scf.ForOp)][position]
    replace(twin, twin.init_args)
    copied.attributes.pop(WARP_SPECIALIZE, None)
    Builder(outer.location).at_end(block).create(scf.YieldOp, copied.results)


def _is_promised(loop: scf.ForOp) -> bool:
    """Tell whether `tl.assume` says that a loop stops behind its first number."""
    low, high, _ = loop.bounds
    unsigned = "unsignedCmp" in loop.properties
    above = CmpIPredicate.UGT if unsigned else CmpIPredicate.SGT
    below = CmpIPredicate.ULT if unsigned else CmpIPredicate.SLT
    for use in high.uses:
        compared: Operation = use.operation
        if not isinstance(compared, arith.CmpIOp):
            continue
        if not any(isinstance(u.operation, llvm.AssumeOp) for u in compared.results[0].uses):
            continue
        told = CmpIPredicate.of(compared.properties["predicate"])
        left, right = compared.operands
        if told is above and left is high and right is low:
            return True
        if told is below and left is low and right is high:
            return True
    return False
