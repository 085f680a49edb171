"""Clean up between the phases: fold conversions, erase dead code, drop unused iter_args.

`fold_conversions` applies the patterns of ttg.convert_layout. `simplify_control_flow` also applies
those of loops and conditionals, and one for iter_args that only their own update uses:

    %r:2 = scf.for … iter_args(%a = %x, %b = %y) {        %b is used by %n alone, %n only yielded
      %m = arith.addf %a, %c                              for %b, and %r#1 unused: yield %b instead
      %n = arith.addf %b, %c                              of %n, so that the pattern of scf.for
      scf.yield %m, %n                                    drops the iter_arg
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
from weft.passes.rewrite.nesting import is_defined_inside
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.ttgir.remove_layout_conversions.dominance import operations

__all__ = [
    "drop_dead_iter_args",
    "fold_conversions",
    "fold_conversions_from",
    "simplify_control_flow",
]


def fold_conversions(module: ModuleOp) -> None:
    """Fold, erase dead operations and apply the patterns of conversions until nothing changes."""
    if _has_branches(module):
        apply_greedily(module, _CONVERSIONS)
    else:
        apply_single_iteration(module, _CONVERSIONS)


def fold_conversions_from(module: ModuleOp, affected: Iterable[Operation]) -> None:
    """Do the same as `fold_conversions`, starting from the operations that changed since."""
    if _has_branches(module):
        apply_greedily(module, _CONVERSIONS)
    else:
        apply_from_seeds(module, _CONVERSIONS, affected)


def simplify_control_flow(
    module: ModuleOp, functions: Iterable[tt.FuncOp], affected: dict[Operation, None]
) -> None:
    """Fold conversions, then apply the patterns of loops and conditionals.

    Like Triton, do not fold conversions again after that.
    """
    fold_conversions_from(module, affected)
    if _has_branches(module):
        apply_greedily(module, _CONTROL_FLOW)
        return
    seeds = [
        op
        for function in functions
        for op in operations(function)
        if type(op) in _LOOPS_AND_CONDITIONALS
    ]
    if seeds and apply_from_seeds(module, _CONTROL_FLOW, seeds):
        apply_greedily(module, _CONTROL_FLOW)


def drop_dead_iter_args(function: tt.FuncOp) -> None:
    """Apply the patterns of loops and conditionals to one function."""
    apply_greedily(function, _CONTROL_FLOW)


def _has_branches(module: ModuleOp) -> bool:
    """Check whether a function has several blocks, which may merge or be unreachable."""
    return any(len(region.blocks) > 1 for op in module.body.block.ops for region in op.regions)


def _drop_dead_updates(op: Operation, rewriter: Rewriter) -> bool:
    """Yield an iter_arg unchanged if nothing but the iter_arg needs its update."""
    assert isinstance(op, scf.ForOp)
    if all(result.first_use is not None for result in op.results):
        return False
    live = _live_values(op)
    if live is None:
        return False
    last, changed = op.terminator, False
    for index, (argument, init) in enumerate(zip(op.iter_args, op.init_args, strict=True)):
        value = last.operands[index]
        if value in live or value is argument:
            continue
        # A value from outside is different from the init arg in the first iteration.
        if value is init or is_defined_inside(value, op):
            last.operands[index] = argument
            changed = True
    if changed:
        rewriter.modified(op)
    return changed


def _live_values(loop: scf.ForOp) -> set[SSAValue] | None:
    """Find the values in a loop that its used results or effects depend on.

    None if an scf.while is among their producers: its results depend on its regions.
    """
    live: set[SSAValue] = set()
    worklist: list[SSAValue] = []

    def mark_live(values: Iterable[SSAValue]) -> None:
        for value in values:
            if value not in live and is_defined_inside(value, loop):
                live.add(value)
                worklist.append(value)

    # Roots: the yielded values of used results, and the operands of operations with effects.
    yielded = loop.terminator.operands
    mark_live(
        value for value, result in zip(yielded, loop.results, strict=True) if result.first_use
    )
    for op in operations(loop):
        if type(op) not in _FORWARDING and not would_be_trivially_dead(op):
            mark_live(op.operands)
    while worklist:
        value = worklist.pop()
        if type(value) is OpResult and type(value.op) is scf.WhileOp:
            return None
        mark_live(_sources(value))
    return live


def _sources(value: SSAValue) -> Iterable[SSAValue]:
    """List the values that a value depends on."""
    if isinstance(value, OpResult):
        op, index = value.op, value.index
        if isinstance(op, scf.ForOp):
            return (op.init_args[index], op.yielded_values[index])
        if isinstance(op, scf.IfOp):
            blocks = (block for region in op.regions for block in region.blocks)
            return (op.condition, *(_terminator(block).operands[index] for block in blocks))
        return op.operands
    assert isinstance(value, BlockArgument)
    loop = value.block.parent_op()
    return (forwarded_from(value) or ()) if isinstance(loop, scf.ForOp) else ()


def _terminator(block: Block) -> Operation:
    terminator = block.last_op
    assert terminator is not None
    return terminator


_LOOPS_AND_CONDITIONALS = frozenset({scf.ForOp, scf.IfOp})
_FORWARDING = frozenset({scf.YieldOp, scf.ForOp})
_CONVERSIONS = RewriteRules(FOLDS, convert_layout.PATTERNS, top_down=False, merge_blocks=True)
_CONTROL_FLOW = RewriteRules(
    FOLDS,
    {**scf_if.PATTERNS, scf.ForOp: (_drop_dead_updates, *scf_for.PATTERNS[scf.ForOp])},
    top_down=False,
    merge_blocks=True,
)
