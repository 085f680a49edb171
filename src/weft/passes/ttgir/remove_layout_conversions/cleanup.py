"""Clean up between the phases: fold conversions, drop what nobody reads, shrink loops.

`fold_conversions` applies the patterns of ttg.convert_layout; `shrink` those of loops and
conditionals then, and a rule of its own for carried values that only feed themselves:

    %r:2 = scf.for … iter_args(%a = %x, %b = %y) {        %b is read by %n alone, and that is
      %m = arith.addf %a, %c                              only yielded for %b; %r#1 is not read:
      %n = arith.addf %b, %c                              %b is yielded in place of %n, so that
      scf.yield %m, %n                                    the pattern of scf.for can drop it
    }
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import scf, tt
from weft.ir.builtin import Block, BlockArgument, ModuleOp, Operation, OpResult, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.interfaces import forwarded_from, would_be_trivially_dead
from weft.passes.common.canonicalize import convert_layout, scf_for, scf_if
from weft.passes.rewrite.greedy import (
    RewriteRules,
    apply_from_seeds,
    apply_greedily,
    apply_single_iteration,
)
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.ttgir.remove_layout_conversions.order import operations

__all__ = ["fold_conversions", "fold_from", "shrink"]


def fold_conversions(module: ModuleOp) -> None:
    """Fold, drop what is dead, and apply the patterns of conversions until nothing changes."""
    if _has_branches(module):
        apply_greedily(module, _CONVERSIONS)
    else:
        apply_single_iteration(module, _CONVERSIONS)


def fold_from(module: ModuleOp, touched: Iterable[Operation]) -> None:
    """Do the same where the last phase made or left something; the rest is folded already."""
    if _has_branches(module):
        apply_greedily(module, _CONVERSIONS)
    else:
        apply_from_seeds(module, _CONVERSIONS, touched)


def shrink(
    module: ModuleOp, functions: Iterable[tt.FuncOp], touched: dict[Operation, None]
) -> None:
    """Do the same once more, then fold by the patterns of loops and conditionals.

    A conversion that is left to fold after that stays, as in Triton.
    """
    fold_from(module, touched)
    if _has_branches(module):
        apply_greedily(module, _CONTROL_FLOW)
        return
    flow = [op for function in functions for op in operations(function) if type(op) in _FLOW]
    if flow and apply_from_seeds(module, _CONTROL_FLOW, flow):
        apply_greedily(module, _CONTROL_FLOW)


def _has_branches(module: ModuleOp) -> bool:
    """Tell whether a function has several blocks, which may be merged or unreachable."""
    return any(len(region.blocks) > 1 for op in module.body.block.ops for region in op.regions)


def _feed_back_dead(op: Operation, rewriter: Rewriter) -> bool:
    """Yield each carried value for itself where nothing else needs what is yielded for it."""
    assert isinstance(op, scf.ForOp)
    if all(result.first_use is not None for result in op.results):
        return False
    live = _live_inside(op)
    if live is None:
        return False
    last, changed = op.terminator, False
    for index, (argument, init) in enumerate(zip(op.iter_args, op.init_args, strict=True)):
        value = last.operands[index]
        if value in live or value is argument:
            continue
        # A value from outside is there after one round, the initial one after none.
        if value is init or _is_inside(value, op):
            last.operands[index] = argument
            changed = True
    if changed:
        rewriter.modified(op)
    return changed


def _live_inside(loop: scf.ForOp) -> set[SSAValue] | None:
    """Return the values of a loop that its results, or effects in it, depend on.

    None where a loop that does not count is among what makes them.
    """
    live: set[SSAValue] = set()
    todo: list[SSAValue] = []

    def need(values: Iterable[SSAValue]) -> None:
        for value in values:
            if value not in live and _is_inside(value, loop):
                live.add(value)
                todo.append(value)

    yielded = loop.terminator.operands
    need(value for value, out in zip(yielded, loop.results, strict=True) if out.first_use)
    for op in operations(loop):
        if type(op) not in _PASSING and not would_be_trivially_dead(op):
            need(op.operands)
    while todo:
        value = todo.pop()
        if type(value) is OpResult and type(value.op) is scf.WhileOp:
            return None
        need(_sources(value))
    return live


def _sources(value: SSAValue) -> Iterable[SSAValue]:
    """Return what a value is made of."""
    if isinstance(value, OpResult):
        op, index = value.op, value.index
        if isinstance(op, scf.ForOp):
            return (op.init_args[index], op.yielded_values[index])
        if isinstance(op, scf.IfOp):
            ends = [_last(block) for region in op.regions for block in region.blocks]
            return (op.condition, *(end.operands[index] for end in ends))
        return op.operands
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    return (forwarded_from(value) or ()) if isinstance(loop, scf.ForOp) else ()


def _is_inside(value: SSAValue, loop: Operation) -> bool:
    owner = value.owner
    current = owner.parent_op()
    while current is not None and current is not loop:
        current = current.parent_op()
    return current is loop


def _last(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last


_FLOW = frozenset({scf.ForOp, scf.IfOp})
_PASSING = frozenset({scf.YieldOp, scf.ForOp})
_CONVERSIONS = RewriteRules(FOLDS, convert_layout.PATTERNS, top_down=False, merge_blocks=True)
_CONTROL_FLOW = RewriteRules(
    FOLDS,
    {**scf_if.PATTERNS, scf.ForOp: (_feed_back_dead, *scf_for.PATTERNS[scf.ForOp])},
    top_down=False,
    merge_blocks=True,
)
