"""How often a loop runs at most, and what its counter can be."""

from __future__ import annotations

from collections.abc import Callable

from weft.analysis.integer_ranges.interval import Range, width_of
from weft.ir import scf
from weft.ir.builtin import Operation, SSAValue
from weft.ir.rewriting import ancestors

__all__ = ["SIMULATED", "counter", "trips"]

SIMULATED = 1024  # a loop that may run more often than this is not followed, round by round

_Ranges = Callable[[SSAValue], Range | None]


def _bounds(loop: scf.ForOp, ranges: _Ranges) -> tuple[int, int]:
    """Return the least first and the greatest last number of a loop's bounds."""
    width = width_of(loop.operands[0].type)
    assert width is not None, "a loop counts with integers"
    low, high = ranges(loop.operands[0]), ranges(loop.operands[1])
    full = Range.full(width)
    return (low or full).smin, (high or full).smax


def _own_trips(loop: Operation, ranges: _Ranges) -> int:
    if not isinstance(loop, scf.ForOp):
        return SIMULATED + 1
    low, high = _bounds(loop, ranges)
    step = ranges(loop.operands[2])
    by = step.smin if step is not None and step.smin else 1
    if by < 0:
        low, high = high, low
    return -((low - high) // by) if high >= low else SIMULATED + 1


def trips(loop: Operation, ranges: _Ranges) -> int:
    """Return how often a loop's body runs at most, over all rounds of the loops around it."""
    total = _own_trips(loop, ranges)
    for around in ancestors(loop):
        if isinstance(around, scf.ForOp | scf.WhileOp):
            total *= _own_trips(around, ranges)
    return total


def counter(loop: scf.ForOp, ranges: _Ranges) -> Range | None:
    """Return the range of a loop's counter, None if the loop never runs."""
    low, high = _bounds(loop, ranges)
    step = ranges(loop.operands[2])
    if step is not None and step.smax < 0:
        low, high = high, low
    else:
        high -= 1
    width = width_of(loop.operands[0].type)
    assert width is not None
    return Range.signed(width, low, high) if low <= high else None
