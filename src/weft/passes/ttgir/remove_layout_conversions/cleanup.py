"""Clean up between the phases: fold conversions, erase dead code, drop unused iter_args.

`fold_conversions` applies the patterns of ttg.convert_layout. `simplify_control_flow` also applies
those of loops and conditionals, which drop an iter_arg that only its own update uses.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import scf, tt
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import convert_layout, scf_for, scf_if
from weft.passes.rewrite.dead_iter_args import replace_dead_iter_args
from weft.passes.rewrite.greedy import (
    RewriteRules,
    apply_from_seeds,
    apply_greedily,
    apply_single_iteration,
)
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


_LOOPS_AND_CONDITIONALS = frozenset({scf.ForOp, scf.IfOp})
_CONVERSIONS = RewriteRules(FOLDS, convert_layout.PATTERNS, top_down=False, merge_blocks=True)
_CONTROL_FLOW = RewriteRules(
    FOLDS,
    {**scf_if.PATTERNS, scf.ForOp: (replace_dead_iter_args, *scf_for.PATTERNS[scf.ForOp])},
    top_down=False,
    merge_blocks=True,
)
