"""Rewrite greedily until nothing changes: fold, apply patterns, erase dead operations.

`apply_greedily` is the driver; patterns change the IR through a `Rewriter`. One iteration:

1. Walk the region. Move constants to the start of their function, merge equal ones, and add every
   other operation to the worklist.
2. Pop operations from the worklist. Erase the operation if it is dead, else fold it, else try its
   patterns. A change enqueues the operations that it affects.
3. Erase unreachable blocks and dead cycles of block arguments.

Iterations repeat until one changes nothing, at most ten times. For example

    %0 = arith.addi %x, %c0          iteration 1: folds to %x, the constant 0 is dead
    %1 = arith.addi %c1, %c2         iteration 1: folds to a new constant 3, created here
    tt.return %0, %1                 iteration 2: moves that constant to the start

Source: MLIR's greedy pattern rewrite driver. Its order of visits is visible in the IR: it decides
the order of constants and which of two equal operations remains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field

from weft.ir.builtin import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from weft.ir.constants import is_constant
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.interfaces import is_trivially_dead
from weft.passes.rewrite.constant_pool import ConstantPool
from weft.passes.rewrite.merge_blocks import (
    drop_repeated_arguments,
    has_branches,
    merge_identical_blocks,
)
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.rewrite.simplify_regions import simplify_regions

__all__ = [
    "NO_LIMIT",
    "Pattern",
    "PatternTable",
    "RewriteResult",
    "RewriteRules",
    "apply_from_seeds",
    "apply_greedily",
    "apply_single_iteration",
]


Pattern = Callable[[Operation, Rewriter], bool]
"""Rewrites an operation and returns True, or leaves it unchanged and returns False."""

PatternTable = dict[type[Operation], tuple[Pattern, ...]]
"""The patterns of each class of operation, in the order in which to try them."""

NO_LIMIT = -1


class RewriteRules(Struct, frozen=True):
    """The folds and patterns of a rewrite, and how the driver applies them.

    Attributes:
        folds: By class of operation.
        patterns: By class of operation.
        top_down: Visit operations in program order, else from the last to the first.
        simplify_regions: Erase unreachable blocks and dead cycles after each iteration.
        merge_blocks: Merge identical blocks after each iteration.
        merge_constants: Keep one constant per value and function, at the start of the function.
        max_iterations: The maximal number of iterations, or `NO_LIMIT`.
        max_rewrites: The maximal number of applied patterns per iteration, or `NO_LIMIT`.
    """

    folds: Mapping[type[Operation], Fold]
    patterns: PatternTable = field(default_factory=PatternTable)
    top_down: bool = True
    simplify_regions: bool = True
    merge_blocks: bool = False
    merge_constants: bool = True
    max_iterations: int = 10
    max_rewrites: int = NO_LIMIT


class RewriteResult(Struct, frozen=True):
    """The outcome of a rewrite.

    Attributes:
        changed: Whether anything changed.
        converged: Whether the last iteration changed nothing.
    """

    changed: bool
    converged: bool


def apply_greedily(op: Operation, rules: RewriteRules) -> RewriteResult:
    """Rewrite everything inside an operation until nothing changes."""
    results = [_apply_to_region(region, rules) for region in op.regions]
    return RewriteResult(
        changed=any(result.changed for result in results),
        converged=all(result.converged for result in results),
    )


def _apply_to_region(region: Region, rules: RewriteRules) -> RewriteResult:
    iterations = 0
    while iterations != rules.max_iterations:
        iterations += 1
        if not _run_iteration(region, rules):
            return RewriteResult(changed=iterations > 1, converged=True)
    return RewriteResult(changed=iterations > 0, converged=False)


def apply_single_iteration(op: Operation, rules: RewriteRules) -> bool:
    """Rewrite everything inside an operation in one iteration; return whether anything changed.

    One iteration is enough if each rewrite enables others only at the operations that it affects,
    because the worklist visits these again. Afterwards dead operations are erased and constants
    unique; blocks are not simplified.
    """
    region = op.regions[0]
    rewriter = Rewriter(region)
    _seed(region, rewriter, rules)
    return _finish(region, rewriter, rules)


def apply_from_seeds(op: Operation, rules: RewriteRules, seeds: Iterable[Operation]) -> bool:
    """Rewrite as `apply_single_iteration` does, but start from some operations only.

    Args:
        op: The operation whose region to rewrite.
        rules: The rules.
        seeds: All operations that changed since no rule applied in `op`, including new ones and
            those that lost a use. Erased ones are skipped.

    Returns:
        Whether anything changed.
    """
    region = op.regions[0]
    rewriter = Rewriter(region)
    pool = ConstantPool(rewriter)
    for block in region.blocks:
        for function in block.ops:
            for body in function.regions:
                _pool_constants(body, pool, recursive=False)
    for seed in seeds:
        if seed.parent is not None:
            rewriter.worklist.push(seed)
    return _finish(region, rewriter, rules)


def _finish(region: Region, rewriter: Rewriter, rules: RewriteRules) -> bool:
    """Alternate between rewriting, erasing dead operations and pooling constants until stable."""
    changed = _drain(rewriter, rules)
    again = changed
    while again or rewriter.has_new_constants:
        if rewriter.has_new_constants:
            rewriter.has_new_constants = False
            _pool_constants(region, ConstantPool(rewriter))
        _erase_dead(region, rewriter)
        again = _drain(rewriter, rules)
    return changed


def _erase_dead(region: Region, rewriter: Rewriter) -> None:
    """Erase dead operations, last to first, so that users go before their operands."""
    for block in region.blocks:
        op = block.last_op
        while op is not None:
            previous = op.prev_op
            if is_trivially_dead(op):
                rewriter.erase(op)
            else:
                for inner in op.regions:
                    _erase_dead(inner, rewriter)
            op = previous


def _pool_constants(region: Region, pool: ConstantPool, *, recursive: bool = True) -> None:
    """Add the constants of a region to a pool."""
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if is_constant(op):
                pool.add(op)
            elif recursive:
                for inner in op.regions:
                    _pool_constants(inner, pool)
            op = following


def _run_iteration(region: Region, rules: RewriteRules) -> bool:
    """Visit every operation of a region once; return whether anything changed."""
    rewriter = Rewriter(region)
    _seed(region, rewriter, rules)
    changed = _drain(rewriter, rules)
    if rules.simplify_regions:
        changed |= simplify_regions(region)
    if rules.merge_blocks and has_branches(region):
        changed |= merge_identical_blocks(region)
        changed |= drop_repeated_arguments(region)
    return changed


def _seed(region: Region, rewriter: Rewriter, rules: RewriteRules) -> None:
    """Pool constants and add all operations to the worklist."""
    pool = ConstantPool(rewriter) if rules.merge_constants else None
    push = rewriter.worklist.push
    if rules.top_down:
        _push_pre_order(region, pool, push)
        rewriter.worklist.reverse()  # it is a stack: the first operation has to be on top
    else:
        _push_post_order(region, pool, push)


def _push_pre_order(
    region: Region, pool: ConstantPool | None, push: Callable[[Operation], None]
) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if pool is None or not is_constant(op) or pool.add(op):
                push(op)
                for inner in op.regions:
                    _push_pre_order(inner, pool, push)
            op = following


def _push_post_order(
    region: Region, pool: ConstantPool | None, push: Callable[[Operation], None]
) -> None:
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            for inner in op.regions:
                _push_post_order(inner, pool, push)
            if pool is None or not is_constant(op) or pool.add(op):
                push(op)
            op = following


def _drain(rewriter: Rewriter, rules: RewriteRules) -> bool:
    """Process the worklist until it is empty; return whether anything changed."""
    folds, patterns = rules.folds, rules.patterns
    pop = rewriter.worklist.pop
    changed, rewrites = False, 0
    while rewrites != rules.max_rewrites and (op := pop()) is not None:
        if is_trivially_dead(op):
            rewriter.erase(op)
            changed = True
            continue
        cls = type(op)
        fold = folds.get(cls)
        if fold is not None and (folded := fold(op)) is not None:
            _apply_fold(op, folded, rewriter)
            changed = True
            continue
        for pattern in patterns.get(cls, ()):
            if pattern(op, rewriter):
                changed = True
                rewrites += 1
                break
    return changed


def _apply_fold(op: Operation, folded: Folded, rewriter: Rewriter) -> None:
    """Replace an operation by the result of its fold."""
    if folded is IN_PLACE:
        rewriter.modified(op)
        return
    parts = folded if isinstance(folded, tuple | list) else (folded,)
    values: list[SSAValue | None] = []
    for part, result in zip(parts, op.results, strict=True):
        if isinstance(part, Attribute):
            values.append(rewriter.constant(part, result.type, op))
        else:
            assert isinstance(part, OpResult | BlockArgument)
            values.append(part)
    rewriter.replace(op, values)
