"""Print the ranges of integers (test-tritonamdgpu-range-analysis).

Before:  %0 = tt.make_range {start = 0, end = 64}        After:  the same IR; and remarks
         %1 = arith.cmpi slt, %0, %c64                     unsigned : [0, 63] signed : [0, 63]
         scf.for %i = %c0 to %c8 step %c1 { … }            non-neg
                                                           unsigned : [1, 1] signed : [-1, -1]
                                                           result is true
                                                           inferred total trip count: 8

Several results or arguments are numbered: "result 0: …", "arg 1: …". The trip count of a loop
counts the iterations of the loops around it; one without bounds counts 1025.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from weft.analysis.dataflow.call_graph import functions_of
from weft.analysis.integer_ranges import IntegerRange, IntegerRanges
from weft.analysis.integer_ranges.trip_counts import max_trip_count
from weft.ir import arith
from weft.ir.builtin import ModuleOp, Operation, SSAValue
from weft.ir.interfaces import LoopLikeOpInterface
from weft.ir.locations import location_of
from weft.ir.rewriting import walk
from weft.passes.diagnostics import emit_remark

__all__ = ["RangeAnalysis"]


class RangeAnalysis(Struct, frozen=True):
    """Prints the unsigned and signed range of every integer, and the trip counts of loops."""

    name: ClassVar[str] = "test-tritonamdgpu-range-analysis"

    def run(self, module: ModuleOp) -> None:
        """Print the remarks; do not change the module."""
        ranges = IntegerRanges(module)
        functions = functions_of(module)
        for function in functions:
            if function.body.blocks:
                _print_ranges(function.entry.args, "arg", ranges)
        for function in functions:
            for op in walk(function):
                _print_operation(op, ranges)


def _print_operation(op: Operation, ranges: IntegerRanges) -> None:
    _print_ranges(op.results, "result", ranges)
    if isinstance(op, arith.CmpIOp) and ranges.comparison_result(op):
        emit_remark(op.location, "result is true")
    for number, result in enumerate(op.results):
        range_ = ranges.of(result)
        if range_ is not None and range_.smin >= 0:
            emit_remark(op.location, f"{_prefix(op.results, 'result', number)}non-neg")
    if isinstance(op, LoopLikeOpInterface):
        trips = max_trip_count(op, ranges.of)
        emit_remark(op.location, f"inferred total trip count: {trips}")


def _print_ranges(values: Sequence[SSAValue], kind: str, ranges: IntegerRanges) -> None:
    for number, value in enumerate(values):
        range_ = ranges.of(value)
        if range_ is not None:
            text = f"{_prefix(values, kind, number)}{_format(range_)}"
            emit_remark(location_of(value), text)


def _prefix(values: Sequence[SSAValue], kind: str, number: int) -> str:
    return f"{kind} {number}: " if len(values) > 1 else ""


def _format(range_: IntegerRange) -> str:
    return f"unsigned : [{range_.umin}, {range_.umax}] signed : [{range_.smin}, {range_.smax}]"
