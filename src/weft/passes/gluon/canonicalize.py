"""Canonicalize Gluon programs: fold and apply patterns of arith, but keep the author's layouts.

%0 = arith.addi %x, %c0                      →    (%x)
ttg.convert_layout, tt.trans, tt.reshape     →    unchanged: no pattern moves or merges them
scf.for … iter_args(%a = %x) { yield %a }    →    unchanged: no pattern drops an iter_arg

The patterns are those of `canonicalize` for arith, `ttg.warp_specialize`, and of Triton's dialect
those for loads, stores, `tt.broadcast` and `tt.expand_dims`; of scf the one for iter_args that only
their own update uses. Folds apply to all operations, and identical blocks are merged. Triton's
source names the patterns of scf and cf as well, but its 3.7.1 applies none of them.

Preserves values and layouts.
Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/Canonicalize.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, tt, ttg
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import arith
from weft.passes.common.canonicalize import tt as tt_patterns
from weft.passes.common.canonicalize import ttg as ttg_patterns
from weft.passes.rewrite.dead_iter_args import replace_dead_iter_args
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["Canonicalize"]

_TT_OPERATIONS = (tt.LoadOp, tt.StoreOp, tt.BroadcastOp, tt.ExpandDimsOp)
_TTG_OPERATIONS = (ttg.WarpSpecializeOp, ttg.WarpSpecializePartitionsOp)
_RULES = RewriteRules(
    FOLDS,
    {
        **arith.PATTERNS,
        scf.ForOp: (replace_dead_iter_args,),
        **{cls: tt_patterns.PATTERNS[cls] for cls in _TT_OPERATIONS},
        **{cls: ttg_patterns.PATTERNS[cls] for cls in _TTG_OPERATIONS},
    },
    merge_blocks=True,
)


class Canonicalize(Struct, frozen=True):
    """Applies the folds and patterns that keep layouts until none applies."""

    name: ClassVar[str] = "gluon-canonicalize"

    def run(self, module: ModuleOp) -> None:
        """Canonicalize a module in place."""
        apply_greedily(module, _RULES)
