"""Bring IR to its one plain form: fold constants, drop identities, tidy control flow.

    %c0 = arith.constant 0 : i32             %c3_i32 = arith.constant 3 : i32
    %0 = arith.addi %x, %c0 : i32       →    %0 = arith.muli %x, %c3_i32 : i32
    %c3 = arith.constant 3 : i32             tt.return %0 : i32
    %1 = arith.muli %c3, %0 : i32
    tt.return %1 : i32

Needs nothing. Keeps values, memory order, and every operation that has an effect. Leaves each
constant once, at the front of its function. Folds lie beside their dialects (`weft.ir.folds`),
patterns here, one file per dialect or operation; the rules are those of MLIR's and Triton's
canonicalizers for these dialects, in their order.
Source: measured on Triton 3.7.1 (`canonicalize`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

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
from weft.passes.rewrite.greedy import NO_LIMIT, Pattern, Rules, apply

__all__ = ["RULES", "Canonicalize", "canonicalize"]

_FAMILIES = (arith, tt, scf_for, scf_if, scf_while, cf, convert_layout, ttg)


def _joined() -> dict[type[Operation], tuple[Pattern, ...]]:
    """Return the patterns of every class, those of an earlier family first."""
    joined: dict[type[Operation], tuple[Pattern, ...]] = {}
    for family in _FAMILIES:
        for cls, patterns in family.PATTERNS.items():
            joined[cls] = joined.get(cls, ()) + patterns
    return joined


RULES = Rules(FOLDS, _joined())


_REGIONS = {
    "disabled": {"tidy_blocks": False, "merge_blocks": False},
    "normal": {"tidy_blocks": True, "merge_blocks": False},
    "aggressive": {"tidy_blocks": True, "merge_blocks": True},
}


def canonicalize(op: Operation) -> bool:
    """Canonicalize what is inside a module or function; return whether anything changed."""
    return apply(op, RULES).changed


@dataclass(frozen=True, slots=True)
class Canonicalize:
    """Post: no fold or pattern of these dialects applies, and no operation is dead.

    The options are MLIR's. top_down: take operations in program order.  region_simplify:
    "disabled", "normal" (drop unreachable blocks and dead cycles) or "aggressive" (merge equal
    blocks, too).  max_iterations, max_num_rewrites: stop after so many rounds, or so many patterns
    in a round; -1 for no limit.  test_convergence: fail where the rounds do not suffice.
    """

    top_down: bool = True
    region_simplify: str = "normal"
    max_iterations: int = 10
    max_num_rewrites: int = NO_LIMIT
    test_convergence: bool = False

    name: ClassVar[str] = "canonicalize"

    def __post_init__(self) -> None:
        if self.region_simplify not in _REGIONS:
            raise UnknownPassError(
                "pass canonicalize: unknown region-simplify",
                found=self.region_simplify,
                accepted=_REGIONS,
                hint=did_you_mean(self.region_simplify, _REGIONS),
            )
        for option in ("max_iterations", "max_num_rewrites"):
            if getattr(self, option) < NO_LIMIT:
                raise UnknownPassError(
                    f"pass canonicalize: {option.replace('_', '-')} is a count, or -1 for no limit",
                    found=getattr(self, option),
                )

    def run(self, module: ModuleOp) -> None:
        """Canonicalize a module in place.

        Raises: PassError: `test_convergence` is set and the rounds did not suffice.
        """
        rules = replace(
            RULES,
            top_down=self.top_down,
            max_rounds=self.max_iterations,
            max_rewrites=self.max_num_rewrites,
            **_REGIONS[self.region_simplify],
        )
        if not apply(module, rules).converged and self.test_convergence:
            raise PassError(
                "canonicalize did not come to an end",
                found=f"max-iterations={self.max_iterations} "
                f"max-num-rewrites={self.max_num_rewrites}",
                hint="raise the limits, or leave out test-convergence",
            )
