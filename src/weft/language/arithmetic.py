"""Elementwise arithmetic, minimum, maximum and selection."""

from __future__ import annotations

from weft.language.builtin import builtin
from weft.language.propagate_nan import PropagateNan


@builtin
def add(x, y, sanitize_overflow=True):
    """Return x + y, as the operator does."""


@builtin
def sub(x, y, sanitize_overflow=True):
    """Return x - y, as the operator does."""


@builtin
def mul(x, y, sanitize_overflow=True):
    """Return x * y, as the operator does."""


@builtin
def minimum(x, y, propagate_nan=PropagateNan.NONE):
    """Return the smaller of x and y.

    If one of them is NaN the result is the other, or NaN with PropagateNan.ALL.
    """


@builtin
def maximum(x, y, propagate_nan=PropagateNan.NONE):
    """Return the larger of x and y.

    If one of them is NaN the result is the other, or NaN with PropagateNan.ALL.
    """


@builtin
def clamp(x, min, max, propagate_nan=PropagateNan.NONE):
    """Limit the float x to [min, max]; the result is undefined if min > max."""


@builtin
def where(condition, x, y):
    """Select x where `condition` is true and y elsewhere; all three are broadcast together.

    x and y are evaluated for every element: to skip a load, mask it.
    """
