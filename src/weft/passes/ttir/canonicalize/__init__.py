"""Bring IR to its one plain form: fold constants, drop identities, tidy control flow.

    %c0 = arith.constant 0 : i32             %c3_i32 = arith.constant 3 : i32
    %0 = arith.addi %x, %c0 : i32       →    %0 = arith.muli %x, %c3_i32 : i32
    %c3 = arith.constant 3 : i32             tt.return %0 : i32
    %1 = arith.muli %c3, %0 : i32
    tt.return %1 : i32

Needs nothing. Keeps values, memory order, and every operation that has an effect. Leaves each
constant once, at the front of its function. One file per family of rules: `arith_*` (integers,
floats, casts, comparisons, patterns), `math_folds`, `tt`, `scf_*`, `cf`, and for IR with layouts
`convert_layout` and `ttg`; the rules are those of MLIR's and Triton's canonicalizers for these
dialects, in their order.
Source: measured on Triton 3.7.1 (`canonicalize`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from weft.ir.builtin import ModuleOp, Operation
from weft.passes.rewrite.greedy import Pattern, Rules, apply
from weft.passes.ttir.canonicalize import (
    arith_cast,
    arith_compare,
    arith_float,
    arith_integer,
    arith_patterns,
    cf,
    convert_layout,
    math_folds,
    scf_for,
    scf_if,
    scf_while,
    tt,
    ttg,
)

__all__ = ["FOLDS", "RULES", "Canonicalize", "canonicalize"]

FOLDS = {
    **arith_integer.FOLDS,
    **arith_float.FOLDS,
    **arith_cast.FOLDS,
    **arith_compare.FOLDS,
    **math_folds.FOLDS,
    **tt.FOLDS,
    **scf_if.FOLDS,
    **ttg.FOLDS,
}

_FAMILIES = (arith_patterns, tt, scf_for, scf_if, scf_while, cf, convert_layout, ttg)


def _joined() -> dict[type[Operation], tuple[Pattern, ...]]:
    """Return the patterns of every class, those of an earlier family first."""
    joined: dict[type[Operation], tuple[Pattern, ...]] = {}
    for family in _FAMILIES:
        for cls, patterns in family.PATTERNS.items():
            joined[cls] = joined.get(cls, ()) + patterns
    return joined


RULES = Rules(FOLDS, _joined())


def canonicalize(op: Operation) -> bool:
    """Canonicalize what is inside a module or function; return whether anything changed."""
    return apply(op, RULES)


@dataclass(frozen=True)
class Canonicalize:
    """Post: no fold or pattern of these dialects applies, and no operation is dead."""

    name: ClassVar[str] = "canonicalize"

    def run(self, module: ModuleOp) -> None:
        """Canonicalize a module in place."""
        canonicalize(module)
