"""Canonicalize: fold constants, drop identities, simplify control flow.

    %c0 = arith.constant 0 : i32             %c3_i32 = arith.constant 3 : i32
    %0 = arith.addi %x, %c0 : i32       →    %0 = arith.muli %x, %c3_i32 : i32
    %c3 = arith.constant 3 : i32             tt.return %0 : i32
    %1 = arith.muli %c3, %0 : i32
    tt.return %1 : i32

Folds are beside their dialects (`weft.ir.folds`); patterns are here, one file per dialect or
operation. They are those of MLIR's and Triton's canonicalizers, in their order. Constants end up
unique and at the start of their function.

Preserves values, the order of memory accesses, and every operation with an effect.
Source: measured on Triton 3.7.1 (`canonicalize`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from weft.errors import PassError, UnknownPassError, did_you_mean
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import (
    arith,
    cf,
    convert_layout,
    scf_for,
    scf_if,
    scf_while,
    tt,
    ttg,
)
from weft.passes.rewrite.greedy import NO_LIMIT, PatternTable, RewriteRules, apply_greedily

__all__ = ["RULES", "Canonicalize", "canonicalize"]

_MODULES = (arith, tt, scf_for, scf_if, scf_while, cf, convert_layout, ttg)


def _all_patterns() -> PatternTable:
    """Join the patterns of every module; the order of modules decides which is tried first."""
    joined: PatternTable = {}
    for module in _MODULES:
        for cls, patterns in module.PATTERNS.items():
            joined[cls] = joined.get(cls, ()) + patterns
    return joined


RULES = RewriteRules(FOLDS, _all_patterns())


_REGION_SIMPLIFY: dict[str, tuple[bool, bool]] = {
    "disabled": (False, False),
    "normal": (True, False),
    "aggressive": (True, True),
}
"""(simplify_regions, merge_blocks) of `RewriteRules`."""


def canonicalize(op: Operation) -> bool:
    """Canonicalize a module or function in place; return whether anything changed."""
    return apply_greedily(op, RULES).changed


class Canonicalize(Struct, frozen=True):
    """Applies folds and patterns until none applies, and erases dead operations.

    Attributes:
        top_down: Visit operations in program order.
        region_simplify: "disabled", "normal" (erase unreachable blocks and dead cycles) or
            "aggressive" (merge identical blocks, too).
        max_iterations: The maximal number of iterations, -1 for no limit.
        max_num_rewrites: The maximal number of applied patterns per iteration, -1 for no limit.
        test_convergence: Fail if the limits are too low to converge.
    """

    top_down: bool = True
    region_simplify: str = "normal"
    max_iterations: int = 10
    max_num_rewrites: int = NO_LIMIT
    test_convergence: bool = False

    name: ClassVar[str] = "canonicalize"

    def __post_init__(self) -> None:
        if self.region_simplify not in _REGION_SIMPLIFY:
            raise UnknownPassError(
                "pass canonicalize: unknown region-simplify",
                found=self.region_simplify,
                accepted=_REGION_SIMPLIFY,
                hint=did_you_mean(self.region_simplify, _REGION_SIMPLIFY),
            )
        for option in ("max_iterations", "max_num_rewrites"):
            if getattr(self, option) < NO_LIMIT:
                raise UnknownPassError(
                    f"pass canonicalize: {option.replace('_', '-')} is a count, or -1 for no limit",
                    found=getattr(self, option),
                )

    def run(self, module: ModuleOp) -> None:
        """Canonicalize a module in place.

        Raises:
            PassError: `test_convergence` is set and the rewrite did not converge.
        """
        simplify_regions, merge_blocks = _REGION_SIMPLIFY[self.region_simplify]
        rules = replace(
            RULES,
            top_down=self.top_down,
            simplify_regions=simplify_regions,
            merge_blocks=merge_blocks,
            max_iterations=self.max_iterations,
            max_rewrites=self.max_num_rewrites,
        )
        if not apply_greedily(module, rules).converged and self.test_convergence:
            raise PassError(
                "canonicalize did not converge",
                found=f"max-iterations={self.max_iterations} "
                f"max-num-rewrites={self.max_num_rewrites}",
                hint="raise the limits, or omit test-convergence",
            )
