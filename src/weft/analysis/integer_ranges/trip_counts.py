"""Bounds on the iterations and on the induction variable of a loop, from integer ranges.

%n: [0, 10]       scf.for %i = 2 to %n step 4      at most 2 iterations: ⌈(10 - 2) / 4⌉
                                                   %i: [2, 9]
"""

from __future__ import annotations

from collections.abc import Callable

from weft.analysis.integer_ranges.integer_range import IntegerRange, width_of
from weft.ir import scf
from weft.ir.builtin import Operation, SSAValue
from weft.ir.interfaces import LoopLikeOpInterface
from weft.ir.rewriting import ancestors

__all__ = ["MAX_ITERATIONS", "induction_range", "max_trip_count"]

MAX_ITERATIONS = 1024  # a loop that may run more often than this is not followed

_RangeOf = Callable[[SSAValue], IntegerRange | None]


def _bounds(loop: scf.ForOp, range_of: _RangeOf) -> tuple[int, int]:
    """Compute the least lower bound and the greatest upper bound of a loop, read signed."""
    lower, upper, _ = loop.bounds
    width = width_of(lower.type)
    assert width is not None, "a loop counts with integers"
    full = IntegerRange.full(width)
    return (range_of(lower) or full).smin, (range_of(upper) or full).smax


def _trips_of_one_run(loop: Operation, range_of: _RangeOf) -> int:
    if not isinstance(loop, scf.ForOp):
        return MAX_ITERATIONS + 1
    low, high = _bounds(loop, range_of)
    step_range = range_of(loop.bounds.step)
    # The smallest step takes the most iterations.
    step = step_range.smin if step_range is not None and step_range.smin else 1
    if step < 0:
        low, high = high, low
    # ⌈(high - low) / |step|⌉, rounded up as the negative of a quotient rounded down.
    return -((low - high) // abs(step)) if high >= low else MAX_ITERATIONS + 1


def max_trip_count(loop: Operation, range_of: _RangeOf) -> int:
    """Bound the iterations of a loop, over all iterations of the loops around it.

    Args:
        loop: The loop; one that does not count has no bound.
        range_of: The range of a value, None where nothing is known of it.

    Returns:
        The greatest number of iterations; more than MAX_ITERATIONS where there is no bound.
    """
    total = _trips_of_one_run(loop, range_of)
    for around in ancestors(loop):
        if isinstance(around, LoopLikeOpInterface):
            total *= _trips_of_one_run(around, range_of)
    return total


def induction_range(loop: scf.ForOp, range_of: _RangeOf) -> IntegerRange | None:
    """Compute the range of the induction variable of a loop, None if the loop never runs."""
    low, high = _bounds(loop, range_of)
    step = range_of(loop.bounds.step)
    if step is not None and step.smax < 0:
        low, high = high, low
    else:
        high -= 1
    width = width_of(loop.bounds.lower.type)
    assert width is not None
    return IntegerRange.signed(width, low, high) if low <= high else None
