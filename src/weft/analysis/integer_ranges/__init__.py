"""Integer ranges: between which numbers each integer of a module is, unsigned and signed.

    ranges = IntegerRanges(module)
    ranges.of(offset)                  # unsigned [0, 4095] signed [0, 4095]; None if unknown
    ranges.comparison_result(compare)  # True, False, or None if it varies

Facts come from constants, `tl.arange`, program ids (less than 2³¹ per axis), the bounds of loops,
and what `tl.assume` states. A range holds for every execution that satisfies the assumptions.

integer_range        the lattice element
arithmetic           ranges of results from ranges of operands
transfer_functions   which of these belongs to which operation
assumptions          ranges that tl.assume implies
trip_counts          bounds on the iterations of loops
propagation          the dataflow analysis

MLIR and Triton's AMD back end have the same analysis (Analysis/DataFlow/IntegerRangeAnalysis.cpp,
Analysis/RangeAnalysis.cpp).
"""

from __future__ import annotations

from weft.analysis.integer_ranges.arithmetic import compare
from weft.analysis.integer_ranges.integer_range import IntegerRange
from weft.analysis.integer_ranges.propagation import IntegerRangeAnalysis
from weft.ir import arith
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.enums import CmpIPredicate

__all__ = ["IntegerRange", "IntegerRanges"]


class IntegerRanges:
    """The ranges of a module's integers, as the module is when it is analysed."""

    def __init__(self, module: ModuleOp) -> None:
        self._ranges = IntegerRangeAnalysis(module).states

    def of(self, value: SSAValue) -> IntegerRange | None:
        """Look up the range of a value; None if it is not an integer, or never computed."""
        return self._ranges.get(value)

    def comparison_result(self, comparison: arith.CmpIOp) -> bool | None:
        """Determine the result of a comparison, None if it varies or is not known."""
        left, right = (self._ranges.get(operand) for operand in comparison.operands)
        if left is None or right is None:
            return None
        return compare(CmpIPredicate.of(comparison.properties["predicate"]), left, right)
