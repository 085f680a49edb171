"""Bessel functions of integer order, evaluated as integrals.

    J(n, x) = mean over a circle of cos(n t - x sin t)           exact with enough equal steps
    Y(n, x) = 1/π ∫ sin(x sin t - n t) over half a circle
              - 1/π ∫ (e^(n t) + (-1)^n e^(-n t)) e^(-x sinh t) from 0 to infinity
Source: Abramowitz and Stegun, 9.1.21 and 9.1.22.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

__all__ = ["first_kind", "second_kind"]

_UNDERFLOW = 745.0  # exp(-745) is 0 in f64
_EXTRA_STEPS = 40  # beyond the number of oscillations
_PANELS, _POINTS = 64, 24  # of Gauss-Legendre quadrature


def first_kind(n: float, x: float) -> float:
    """Compute J of order n; NaN for a negative order."""
    if n < 0 or math.isnan(x):
        return math.nan
    if x == 0 or math.isinf(x):
        return float(x == 0 and n == 0)
    steps = 2 * int(abs(x) + n + _EXTRA_STEPS)
    t = np.arange(steps) * (2 * np.pi / steps)
    return float(np.cos(n * t - x * np.sin(t)).mean())


def second_kind(n: float, x: float) -> float:
    """Compute Y of order n; NaN for a negative order or x."""
    if n < 0 or x < 0 or math.isnan(x):
        return math.nan
    if x == 0 or math.isinf(x):
        return -math.inf if x == 0 else 0.0
    oscillating = _integrate(lambda t: np.sin(x * np.sin(t) - n * t), math.pi, int(x + n) // 8)
    sign = -1.0 if n % 2 else 1.0

    def decaying(t: np.ndarray) -> np.ndarray:
        exponent = x * np.sinh(t)
        return np.exp(n * t - exponent) + sign * np.exp(-n * t - exponent)

    end = math.asinh((_UNDERFLOW + 40 * n) / x)
    with np.errstate(all="ignore"):
        return (oscillating - _integrate(decaying, end, 0)) / math.pi


@lru_cache
def _quadrature_rule() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(_POINTS)


def _integrate(
    function: Callable[[np.ndarray], np.ndarray], end: float, extra_panels: int
) -> float:
    """Integrate from 0 to an end by Gauss-Legendre quadrature in panels."""
    points, weights = _quadrature_rule()
    panels = _PANELS + extra_panels
    half_width = end / panels / 2
    t = (np.arange(panels)[:, None] * 2 + 1 + points) * half_width
    return float((function(t) * weights).sum() * half_width)
