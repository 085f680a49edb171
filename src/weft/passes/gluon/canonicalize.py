"""Canonicalize Gluon programs: fold and simplify control flow, but keep the author's layouts.

%0 = arith.addi %x, %c0                      →    (%x)
ttg.convert_layout, tt.trans, tt.reshape     →    unchanged: no pattern moves or merges them

The patterns are those of `canonicalize` for arith, scf, cf, `ttg.warp_specialize`, and of Triton's
dialect those for loads, stores, `tt.broadcast` and `tt.expand_dims`. Folds apply to all operations.

Preserves values and layouts.
Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/Canonicalize.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import arith, cf, scf_for, scf_if, scf_while, ttg
from weft.passes.common.canonicalize import tt as tt_patterns
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["Canonicalize"]

_TT_OPERATIONS = (tt.LoadOp, tt.StoreOp, tt.BroadcastOp, tt.ExpandDimsOp)
_RULES = RewriteRules(
    FOLDS,
    {
        **arith.PATTERNS,
        **scf_for.PATTERNS,
        **scf_if.PATTERNS,
        **scf_while.PATTERNS,
        **cf.PATTERNS,
        **ttg.PATTERNS,
        **{cls: tt_patterns.PATTERNS[cls] for cls in _TT_OPERATIONS},
    },
)


class Canonicalize(Struct, frozen=True):
    """Applies the folds and patterns that keep layouts until none applies."""

    name: ClassVar[str] = "gluon-canonicalize"

    def run(self, module: ModuleOp) -> None:
        """Canonicalize a module in place."""
        apply_greedily(module, _RULES)
