"""Element by element: sums, extremes, choices."""

from __future__ import annotations

from weft.language.builtin import builtin
from weft.language.propagation import PropagateNan


@builtin
def add(x, y, sanitize_overflow=True):
    """Return x + y; the same as the operator."""


@builtin
def sub(x, y, sanitize_overflow=True):
    """Return x - y; the same as the operator."""


@builtin
def mul(x, y, sanitize_overflow=True):
    """Return x * y; the same as the operator."""


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """Return the smaller of x and y; where one is NaN, the other, or NaN with PropagateNan.ALL."""


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """Return the larger of x and y; where one is NaN, the other, or NaN with PropagateNan.ALL."""


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """Return the float x limited to [min, max]; undefined where min > max."""


@builtin
def where(condition, x, y):
    """Return x where `condition` is true and y elsewhere; all three are broadcast together.

    Both are computed everywhere: mask a load to keep it from being done.
    """
