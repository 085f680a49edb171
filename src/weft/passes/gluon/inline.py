"""Inline calls of Gluon programs before their layouts are inferred.

Before:  %1 = tt.call @f(%0)                          After:  %1 = arith.addi %0, %0
         tt.func private @f(%a: tensor<…, #gluon.auto_encoding>) { … arith.addi %a, %a … }

Unlike `inline`, this pass does not canonicalize a function before its calls are inlined; it only
folds, merges identical blocks, and replaces iter_args that only their own update uses. Equal
constants are not merged, because inference may give them different layouts.

Preserves values and the order of effects.
Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/Inline.cpp and SimplifyControlFlow.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.common.inline import inline_calls
from weft.passes.rewrite.dead_iter_args import replace_dead_iter_args
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["Inline"]

_RULES = RewriteRules(
    FOLDS,
    {scf.ForOp: (replace_dead_iter_args,)},
    merge_blocks=True,
    merge_constants=False,
)


class Inline(Struct, frozen=True):
    """Inline every call that can be inlined, and simplify control flow."""

    name: ClassVar[str] = "gluon-inline"

    def run(self, module: ModuleOp) -> None:
        """Inline calls in place."""
        inline_calls(module, lambda function: apply_greedily(function, _RULES))
