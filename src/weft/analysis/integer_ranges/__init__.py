"""Between which numbers the integers of a program lie: kernels' sizes, program ids, offsets.

    ranges = IntegerRanges(module)
    ranges.of(offset)        # unsigned [0, 4095] signed [0, 4095], None where nothing is known
    ranges.decided(compare)  # True, False, or None if it varies

Facts come from constants, `tl.arange`, program ids (fewer than 2³¹ per axis), the bounds of
loops, and what `tl.assume` promises. What is found holds for every run that keeps the promises.
"""

from __future__ import annotations

from weft.analysis.integer_ranges.arithmetic import compare
from weft.analysis.integer_ranges.interval import Range
from weft.analysis.integer_ranges.propagation import IntegerRangeAnalysis
from weft.ir import arith
from weft.ir.builtin import ModuleOp, SSAValue
from weft.ir.enums import CmpIPredicate

__all__ = ["IntegerRanges", "Range"]


class IntegerRanges:
    """The ranges of a module's integers, as they are when it is made."""

    def __init__(self, module: ModuleOp) -> None:
        self._ranges = IntegerRangeAnalysis(module).states

    def of(self, value: SSAValue) -> Range | None:
        """Return a value's range; None if it is no integer, or never computed."""
        return self._ranges.get(value)

    def decided(self, compared: arith.CmpIOp) -> bool | None:
        """Return what a comparison always gives, None if that varies or is not known."""
        left, right = (self._ranges.get(operand) for operand in compared.operands)
        if left is None or right is None:
            return None
        return compare(CmpIPredicate.of(compared.properties["predicate"]), left, right)
