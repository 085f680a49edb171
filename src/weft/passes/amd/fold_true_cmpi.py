"""Fold comparisons that are always true (tritonamdgpu-fold-true-cmpi).

Before:  %pid = tt.get_program_id x : i32          After:  %true = arith.constant true
         %0 = arith.cmpi sge, %pid, %c0 : i32              tt.load %p, %true
         tt.load %p, %0

The ranges are those of `weft.analysis.integer_ranges`: sizes, program ids, loop bounds and
`tl.assume`. An assumption that the ranges prove becomes `assume true`. Folds run afterwards.
Comparisons of tensors, and those that are always false, are not changed.

Keeps: values, if the kernel's assumptions hold. Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.analysis.integer_ranges import IntegerRanges
from weft.ir import arith, types
from weft.ir.attributes import boolean
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.folds import FOLDS
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["FoldTrueCmpi"]


class FoldTrueCmpi(Struct, frozen=True):
    """Replace scalar comparisons that the ranges of their operands prove by true."""

    name: ClassVar[str] = "tritonamdgpu-fold-true-cmpi"

    def run(self, module: ModuleOp) -> None:
        """Fold comparisons in place."""
        ranges = IntegerRanges(module)

        def fold(op: Operation, rewriter: Rewriter) -> bool:
            assert isinstance(op, arith.CmpIOp)
            if op.results[0].type != types.i1 or ranges.comparison_result(op) is not True:
                return False
            if enabled():
                self._record(op, ranges)
            rewriter.replace(op, [rewriter.constant(boolean(True), types.i1, op)])
            return True

        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, {arith.CmpIOp: (fold,)}, merge_blocks=True))
        record_remaining_layouts(self, module, before, "folded, in the same layout")

    def _record(self, op: arith.CmpIOp, ranges: IntegerRanges) -> None:
        sides = zip(("left", "right"), op.operands, strict=True)
        record_decision(
            self,
            op.results[0],
            "true",
            "it is true for all values in the ranges of its operands",
            facts=[(side, str(ranges.of(operand))) for side, operand in sides],
        )
