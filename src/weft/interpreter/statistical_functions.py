"""Statistical functions and modified Bessel functions in f64, which numpy does not have.

erfinv(y)   the x with erf(x) = y: a quantile of the normal distribution and one Newton step
i0, i1      the mean of e^(x cos t) cos(n t) over a circle; the trapezoidal rule is exact for it
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from weft.interpreter.special_functions import elementwise, in_f64

__all__ = ["bessel_i", "erfcinv", "erfcx", "erfinv", "normcdf", "normcdfinv"]

_NORMAL = NormalDist()
_LARGE = 25.0  # from here on e^(x²) overflows or erfc(x) underflows


def _quantile(p: float) -> float:
    if p in (0.0, 1.0):
        return math.copysign(math.inf, p - 0.5)
    return _NORMAL.inv_cdf(p)


def _erfinv(y: float) -> float:
    if abs(y) == 1:
        return math.copysign(math.inf, y)
    if y == 0:
        return y
    # Near zero (1 + y) / 2 drops the last digits of y; a Newton step restores them.
    x = _quantile((1 + y) / 2) / math.sqrt(2)
    slope = 2 / math.sqrt(math.pi) * math.exp(-x * x)
    return x - (math.erf(x) - y) / slope if slope > 1e-8 else x


def _erfcinv(y: float) -> float:
    if y in (0.0, 2.0):
        return math.copysign(math.inf, 1 - y)
    return -_quantile(y / 2) / math.sqrt(2) if y < 0.5 else _erfinv(1 - y)


def _erfcx(x: float) -> float:
    if x < _LARGE:
        return math.exp(x * x) * math.erfc(x)
    ratio = 1 / (2 * x * x)
    return (1 - ratio * (1 - 3 * ratio)) / (x * math.sqrt(math.pi))


erfinv = elementwise(_erfinv)
erfcinv = elementwise(_erfcinv)
erfcx = elementwise(_erfcx)
normcdf = elementwise(lambda x: math.erfc(-x / math.sqrt(2)) / 2)
normcdfinv = elementwise(_quantile)


def bessel_i(order: int) -> Callable[..., np.ndarray]:
    """Make the modified Bessel function of the first kind of an integer order."""

    def wide(x: np.ndarray) -> np.ndarray:
        largest = np.abs(x, where=np.isfinite(x), out=np.zeros_like(x)).max(initial=0.0)
        steps = 64 + 2 * int(min(largest, 800.0))
        angles = np.arange(steps) * (2 * np.pi / steps)
        return np.mean(np.exp(x[..., None] * np.cos(angles)) * np.cos(order * angles), axis=-1)

    return in_f64(wide)
