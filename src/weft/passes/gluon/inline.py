"""Inline calls of Gluon programs before their layouts are inferred.

Before:  %1 = tt.call @f(%0)                          After:  %1 = arith.addi %0, %0
         tt.func private @f(%a: tensor<…, #gluon.auto_encoding>) { … arith.addi %a, %a … }

As `inline`, but functions are not canonicalized before their calls are inlined: only control flow
is simplified. Equal constants stay apart, because each may get a layout of its own.

Preserves values and the order of effects.
Source: Triton 3.7.1, lib/Dialect/Gluon/Transforms/Inline.cpp and SimplifyControlFlow.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.common.canonicalize import cf, scf_for, scf_if, scf_while
from weft.passes.common.inline import inline_calls
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["Inline"]

_RULES = RewriteRules(
    FOLDS,
    {**scf_for.PATTERNS, **scf_if.PATTERNS, **scf_while.PATTERNS, **cf.PATTERNS},
    merge_constants=False,
)


class Inline(Struct, frozen=True):
    """Inlines every call that can be inlined, and simplifies control flow."""

    name: ClassVar[str] = "gluon-inline"

    def run(self, module: ModuleOp) -> None:
        """Inline calls in place."""
        inline_calls(module, lambda function: apply_greedily(function, _RULES))
