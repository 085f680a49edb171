"""Choose the layouts of TMEM accesses for their users (triton-nvidia-optimize-tmem-layouts).

Before:  %x = ttng.tmem_load %m : 128x256            After:  %a = ttng.tmem_subslice %m {N = 0}
         %r = tt.reshape %x : 128x2x128                      %l = ttng.tmem_load %a : 128x128
         %t = tt.trans %r [0, 2, 1] : 128x128x2              %b = ttng.tmem_subslice %m {N = 128}
         %l, %h = tt.split %t                                %h = ttng.tmem_load %b : 128x128

Four rewrites:
- column halves that are split are loaded separately, and stored separately if they are joined, so
  that not all of the tile is in registers at once (`column_halves`);
- if eight warps load a tile that is reduced along rows, one warp has each row (`reduced_rows`);
- a tile that is transposed on its way from or to shared memory gets the layout 16x256b, with which
  `ldmatrix` and `stmatrix` are possible (`transposed_tiles`).

Keeps: values. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt, ttng
from weft.ir.builtin import ModuleOp
from weft.ir.folds import FOLDS
from weft.passes.ledger import record_remaining_layouts, snapshot_layouts
from weft.passes.nvidia.optimize_tmem_layouts.column_halves import join_pattern, split_pattern
from weft.passes.nvidia.optimize_tmem_layouts.reduced_rows import reduction_pattern
from weft.passes.nvidia.optimize_tmem_layouts.transposed_tiles import load_pattern, store_pattern
from weft.passes.rewrite.greedy import PatternTable, RewriteRules, apply_greedily

__all__ = ["OptimizeTmemLayouts"]


class OptimizeTmemLayouts(Struct, frozen=True):
    """Access column halves separately, and choose layouts for reductions and shared memory."""

    name: ClassVar[str] = "triton-nvidia-optimize-tmem-layouts"

    def run(self, module: ModuleOp) -> None:
        """Rewrite loads and stores in place."""
        patterns: PatternTable = {
            tt.SplitOp: (split_pattern(self),),
            ttng.TMEMStoreOp: (join_pattern(self), store_pattern(self)),
            ttng.TMEMLoadOp: (reduction_pattern(self), load_pattern(self)),
        }
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, patterns, top_down=False))
        record_remaining_layouts(self, module, before, "the layout of the value that it replaces")
