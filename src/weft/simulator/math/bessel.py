"""Bessel functions of whole orders, as integrals: what a library's functions are compared with.

    J(n, x) = mean over a circle of cos(n t - x sin t)           equal steps give it exactly
    Y(n, x) = 1/π ∫ sin(x sin t - n t) over half a circle
              - 1/π ∫ (e^(n t) + (-1)^n e^(-n t)) e^(-x sinh t) from 0 on
Source: Abramowitz and Stegun, 9.1.21 and 9.1.22.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

__all__ = ["first_kind", "second_kind"]

_GONE = 745.0  # e to the minus this is 0
_LEAST = 40  # steps beyond what the waves need
_PANELS, _POINTS = 64, 24


def first_kind(n: float, x: float) -> float:
    """Return J of order n; NaN for an order below 0."""
    if n < 0 or math.isnan(x):
        return math.nan
    if x == 0 or math.isinf(x):
        return float(x == 0 and n == 0)
    t = np.arange(steps := 2 * int(abs(x) + n + _LEAST)) * (2 * np.pi / steps)
    return float(np.cos(n * t - x * np.sin(t)).mean())


def second_kind(n: float, x: float) -> float:
    """Return Y of order n; NaN for an order or x below 0."""
    if n < 0 or x < 0 or math.isnan(x):
        return math.nan
    if x == 0 or math.isinf(x):
        return -math.inf if x == 0 else 0.0
    turning = _integral(lambda t: np.sin(x * np.sin(t) - n * t), math.pi, int(x + n) // 8)
    sign = -1.0 if n % 2 else 1.0

    def falling(t: np.ndarray) -> np.ndarray:
        depth = x * np.sinh(t)
        return np.exp(n * t - depth) + sign * np.exp(-n * t - depth)

    end = math.asinh((_GONE + 40 * n) / x)
    with np.errstate(all="ignore"):
        return (turning - _integral(falling, end, 0)) / math.pi


@lru_cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(_POINTS)


def _integral(function: Callable[[np.ndarray], np.ndarray], end: float, more: int) -> float:
    """Return an integral from 0 on, by Gauss's rule in panels."""
    points, weights = _rule()
    panels = _PANELS + more
    half = end / panels / 2
    t = (np.arange(panels)[:, None] * 2 + 1 + points) * half
    return float((function(t) * weights).sum() * half)
