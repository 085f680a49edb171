"""Optimize thread locality: keep the elements of a reduction or gather in one thread or warp.

Before:  %r = tt.reshape %x allow_reorder : … -> tensor<32x8xf32, #blocked>     4 lanes along dim 1
         %s = "tt.reduce"(%r) {axis = 1}
After:   %r = tt.reshape %x allow_reorder efficient_layout : … #blocked1        1 lane along dim 1
         %c = ttg.convert_layout %r : … #blocked1 -> … #blocked
         %s = "tt.reduce"(%c) {axis = 1}

In #blocked1 each thread holds whole rows, so the reduction needs no shuffles; a later pass removes
the conversion. The pass changes three things:

1. A reshape with `allow_reorder` whose result is reduced gets a layout with the elements of a row
   in
   as few threads as possible (`reshape_and_gather`).
2. A gather gets a layout with each column in one warp, which can shuffle (`reshape_and_gather`).
3. A loop that accumulates the reductions of loaded tiles accumulates one number per thread instead,
   and reduces across threads once, after the loop (`loop_reductions`).

Preserves values, except that the order of a floating-point sum changes.
Source: measured on Triton 3.7.1 (`tritongpu-optimize-thread-locality`). Two cases that it rewrites
to a different value are left alone: an accumulator with another use in the loop, and one updated by
another operation than the reduction's. It aborts for an accumulator without exactly one use after
the loop.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily
from weft.passes.ttgir.optimize_thread_locality.loop_reductions import (
    find_loop_reductions,
    split_loop_reduction,
)
from weft.passes.ttgir.optimize_thread_locality.reshape_and_gather import (
    optimize_gather,
    optimize_reshape,
)

__all__ = ["OptimizeThreadLocality"]


class OptimizeThreadLocality(Struct, frozen=True):
    """Changes layouts and loops so that reductions start within a thread."""

    name: ClassVar[str] = "tritongpu-optimize-thread-locality"

    def run(self, module: ModuleOp) -> None:
        """Change layouts and loops in place.

        Raises:
            PassError: The module has no layouts.
        """
        patterns: PatternTable = {
            tt.ReshapeOp: (partial(optimize_reshape, self),),
            tt.GatherOp: (partial(optimize_gather, self),),
        }
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False, merge_blocks=True))
        for reduction in find_loop_reductions(module):
            split_loop_reduction(self, reduction)
