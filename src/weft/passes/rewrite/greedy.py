"""Rewrite until nothing changes: fold what folds, apply the pattern that fits, drop what is dead.

`apply` is the driver; a pattern changes the IR through the `Rewriter` that it gets. One round:

1. Walk the region. Constants move to the front of their function and merge with their twins;
   every other operation goes on the worklist.
2. Take operations off the worklist, last in, first out. For each: drop it if it is dead, else
   fold it, else try its patterns. A change puts the operations around it on the worklist.
3. Drop unreachable blocks and what only dead block arguments keep alive.

Rounds repeat until one changes nothing, at most ten times. For example

    %0 = arith.addi %x, %c0          round 1: folds to %x, the constant 0 is dead
    %1 = arith.addi %c1, %c2         round 1: folds to a new constant 3, made right here
    tt.return %0, %1                 round 2: that constant moves to the front

The order of rounds and worklist is that of MLIR's greedy driver, because it shows: it decides
in which order constants stand at the front and which of two equal operations survives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weft.ir.builtin import BlockArgument, Operation, OpResult, Region
from weft.ir.constants import CONSTANTS, is_constant
from weft.ir.folding import IN_PLACE, Fold
from weft.passes.rewrite.constant_pool import ConstantPool
from weft.passes.rewrite.deadness import dead_when_unused, is_unused
from weft.passes.rewrite.merge_blocks import drop_repeated_arguments, merge_identical_blocks
from weft.passes.rewrite.regions import simplify_regions
from weft.passes.rewrite.rewriter import Rewriter

__all__ = [
    "NO_LIMIT",
    "Outcome",
    "Pattern",
    "Rules",
    "apply",
    "apply_from",
    "apply_once",
]


Pattern = Callable[[Operation, Rewriter], bool]

NO_LIMIT = -1


@dataclass(frozen=True, slots=True)
class Rules:
    """What to do with each class of operation: at most one fold, then patterns in order.

    top_down: take operations in program order, else from the last to the first.
    tidy_blocks: drop unreachable blocks and dead cycles after each round.
    merge_blocks: merge blocks that do the same, too.
    max_rounds, max_rewrites: of all, and of patterns in one round; NO_LIMIT for neither.
    """

    folds: Mapping[type[Operation], Fold]
    patterns: Mapping[type[Operation], tuple[Pattern, ...]] = field(default_factory=dict)
    top_down: bool = True
    tidy_blocks: bool = True
    merge_blocks: bool = False
    max_rounds: int = 10
    max_rewrites: int = NO_LIMIT


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether anything changed, and whether the last round changed nothing any more."""

    changed: bool
    converged: bool


def apply(op: Operation, rules: Rules) -> Outcome:
    """Rewrite everything inside an operation by `rules` until nothing changes."""
    outcomes = [_apply_to_region(region, rules) for region in op.regions]
    return Outcome(any(o.changed for o in outcomes), all(o.converged for o in outcomes))


def _apply_to_region(region: Region, rules: Rules) -> Outcome:
    rounds = 0
    while rounds != rules.max_rounds:
        rounds += 1
        if not _one_round(region, rules):
            return Outcome(rounds > 1, converged=True)
    return Outcome(rounds > 0, converged=False)


def apply_once(op: Operation, rules: Rules) -> bool:
    """Rewrite by `rules` in one round; return whether anything changed.

    Enough where whatever a change allows is what it touches: that is looked at again in the same
    round. What is dead then goes, constants are kept once; blocks stay as they are.
    """
    region = op.regions[0]
    rewriter = Rewriter(region)
    _seed(region, rewriter, rules.top_down)
    return _finish(region, rewriter, rules)


def apply_from(op: Operation, rules: Rules, seeds: Iterable[Operation]) -> bool:
    """Rewrite by `rules` from some operations on, as `apply_once` does from all.

    Args: seeds: whatever changed since the rules applied nowhere in `op`, new operations and those
          that lost a reader among it. Those that are erased by now are passed over.
    """
    region = op.regions[0]
    rewriter = Rewriter(region)
    pool = ConstantPool(rewriter)
    for block in region.blocks:
        for function in block.ops:
            for body in function.regions:
                _keep_constants(body, pool, inside=False)
    for seed in seeds:
        if seed.parent is not None:
            rewriter.worklist.push(seed)
    return _finish(region, rewriter, rules)


def _finish(region: Region, rewriter: Rewriter, rules: Rules) -> bool:
    """Drain the worklist, drop what is dead, and keep constants once, until nothing is left."""
    changed = _drain(rewriter, rules)
    again = changed
    while again or rewriter.made_constants:
        if rewriter.made_constants:
            rewriter.made_constants = False
            _keep_constants(region, ConstantPool(rewriter))
        _sweep(region, rewriter)
        again = _drain(rewriter, rules)
    return changed


def _sweep(region: Region, rewriter: Rewriter) -> None:
    """Erase what is dead, readers before what they read."""
    for block in region.blocks:
        op = block.last_op
        while op is not None:
            before = op.prev_op
            if is_unused(op) and dead_when_unused(op):
                rewriter.erase(op)
            else:
                for inner in op.regions:
                    _sweep(inner, rewriter)
            op = before


def _keep_constants(region: Region, pool: ConstantPool, *, inside: bool = True) -> None:
    """Put constants of a region to the front, one of each; `inside`: of inner regions, too."""
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if type(op) in CONSTANTS:
                pool.keep(op)
            elif inside:
                for inner in op.regions:
                    _keep_constants(inner, pool)
            op = following


def _one_round(region: Region, rules: Rules) -> bool:
    """Look at every operation of a region; return whether anything changed."""
    rewriter = Rewriter(region)
    _seed(region, rewriter, rules.top_down)
    changed = _drain(rewriter, rules)
    if rules.tidy_blocks:
        changed |= simplify_regions(region)
    if rules.merge_blocks:
        changed |= merge_identical_blocks(region)
        changed |= drop_repeated_arguments(region)
    return changed


def _seed(region: Region, rewriter: Rewriter, top_down: bool) -> None:
    """Put constants to the front and all operations on the worklist."""
    pool = ConstantPool(rewriter)
    push = rewriter.worklist.push
    if top_down:
        _seed_down(region, pool, push)
        rewriter.worklist.reverse()
    else:
        _seed_up(region, pool, push)


def _seed_down(region: Region, pool: ConstantPool, push: Callable[[Operation], None]) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if not is_constant(op) or pool.keep(op):
                push(op)
                for inner in op.regions:
                    _seed_down(inner, pool, push)
            op = following


def _seed_up(region: Region, pool: ConstantPool, push: Callable[[Operation], None]) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            for inner in op.regions:
                _seed_up(inner, pool, push)
            if not is_constant(op) or pool.keep(op):
                push(op)
            op = following


def _drain(rewriter: Rewriter, rules: Rules) -> bool:
    folds, patterns = rules.folds, rules.patterns
    pop = rewriter.worklist.pop
    changed, rewrites = False, 0
    while rewrites != rules.max_rewrites and (op := pop()) is not None:
        if is_unused(op) and dead_when_unused(op):
            rewriter.erase(op)
            changed = True
            continue
        cls = type(op)
        fold = folds.get(cls)
        if fold is not None and (folded := fold(op)) is not None:
            _take(op, folded, rewriter)
            changed = True
            continue
        for pattern in patterns.get(cls, ()):
            if pattern(op, rewriter):
                changed = True
                rewrites += 1
                break
    return changed


def _take(op: Operation, folded: Any, rewriter: Rewriter) -> None:
    """Carry out the answer of a fold."""
    if folded is IN_PLACE:
        rewriter.modified(op)
        return
    parts = folded if isinstance(folded, tuple | list) else (folded,)
    values = [
        part
        if isinstance(part, OpResult | BlockArgument)
        else rewriter.constant(part, result.type, op)
        for part, result in zip(parts, op.results, strict=True)
    ]
    rewriter.replace(op, values)
