"""Keep what is reduced or gathered together in one thread, or at least in one warp.

`tritongpu-optimize-thread-locality`.

Before:  %r = tt.reshape %x allow_reorder : … -> tensor<32x8xf32, #blocked>     4 lanes along dim 1
         %s = "tt.reduce"(%r) {axis = 1}
After:   %r = tt.reshape %x allow_reorder efficient_layout : … #blocked1        1 lane along dim 1
         %c = ttg.convert_layout %r : … #blocked1 -> … #blocked
         %s = "tt.reduce"(%c) {axis = 1}

Three things are looked for: reshapes in free order whose result is reduced, and gathers (`views`);
sums and the like that a loop accumulates over what it loads (`accumulation`).

Keeps: the value of everything, where the order of a floating-point sum is not one.
Source: measured on Triton 3.7.1. Two things are left alone that it rewrites to something else: an
accumulator that the loop reads elsewhere, and one updated by another operation than it is reduced
with. It ends its process for an accumulator that nothing or several read after the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.ttgir.optimize_thread_locality.accumulation import (
    accumulations,
    split_accumulation,
)
from weft.passes.ttgir.optimize_thread_locality.views import lay_out_gather, lay_out_reshape

__all__ = ["OptimizeThreadLocality"]


@dataclass(frozen=True, slots=True)
class OptimizeThreadLocality:
    """Post: reductions of free reshapes and of loaded tiles in loops start within a thread."""

    name: ClassVar[str] = "tritongpu-optimize-thread-locality"

    def run(self, module: ModuleOp) -> None:
        """Choose layouts and split accumulations in place.

        Raises: PassError: the module has no layouts.
        """
        patterns = {
            tt.ReshapeOp: (partial(lay_out_reshape, self),),
            tt.GatherOp: (partial(lay_out_gather, self),),
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))
        for found in accumulations(module):
            split_accumulation(self, found)
