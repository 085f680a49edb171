"""Peel the last iteration of marked loops (triton-test-loop-peeling).

Before:  scf.for %i = %lb to %ub step %s { … } {__test_peel_epilogue}
After:   scf.for %i = %lb to %ub - %s step %s { … }
         scf.if %lb < %ub { … }                                         the last iteration

The pipeliner peels with the same function; Triton's test pass runs it alone.

Preserves values and the order of effects. Source: Triton, lib/Dialect/Triton/Transforms and its
test pass TestLoopPeeling.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.passes.pipelining.expansion.peel_epilogue import peel_last_iteration

__all__ = ["LoopPeeling"]

_MARK = "__test_peel_epilogue"


class LoopPeeling(Struct, frozen=True):
    """Peels the last iteration of marked loops."""

    name: ClassVar[str] = "triton-test-loop-peeling"

    def run(self, module: ModuleOp) -> None:
        """Peel in place."""
        loops = [op for op in walk(module) if isinstance(op, scf.ForOp) and _MARK in op.attributes]
        for loop in loops:
            peel_last_iteration(loop)
            loop.attributes.pop(_MARK, None)
