"""Functions that numpy lacks, or that are slow one element at a time.

erfc and gamma are Python's. erf of f32 is a polynomial, fitted to Python's erf at its first use and
evaluated in f64, so that rounding to f32 almost always gives the nearest number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from weft.interpreter.dtypes import F64

Function = Callable[[np.ndarray], np.ndarray]

_ERF_PIECES = ((0.0, 1.0), (1.0, 4.0), (4.0, 12.0), (12.0, 36.0))  # in x squared; erf(6) is 1


def elementwise(f: Callable[..., float], arity: int = 1) -> Callable[..., np.ndarray]:
    """Lift a function of Python floats to arrays; it is NaN outside of its domain."""

    def safe(*values: float) -> float:
        try:
            return f(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    ufunc = np.frompyfunc(safe, arity, 1)

    def apply(*arrays: np.ndarray) -> np.ndarray:
        wide = [array.astype(F64) for array in arrays]
        return np.asarray(ufunc(*wide), dtype=F64).astype(arrays[0].dtype)

    return apply


@cache
def _erf_fit(low: float, high: float) -> np.ndarray:
    """Fit erf(√u)/√u on [low, high], mapped to [-1, 1], by Chebyshev polynomials."""

    def sample(t: np.ndarray) -> Any:
        roots = np.sqrt(low + (t + 1) * (high - low) / 2)
        return np.array([math.erf(x) / x if x else 2 / math.sqrt(math.pi) for x in roots])

    return chebyshev.chebinterpolate(sample, 30)


def erf(x: np.ndarray) -> np.ndarray:
    """Compute the error function: Python's in f64; in f32 a fit with an error of 1e-13."""
    if x.dtype == F64:
        return _python_erf(x)
    wide = np.clip(x.astype(F64), -6.0, 6.0)
    square = wide * wide
    ratio = np.full(wide.shape, np.nan)
    for low, high in _ERF_PIECES:
        inside = (square >= low) & (square <= high)
        if inside.any():
            t = (square[inside] - low) * (2 / (high - low)) - 1
            ratio[inside] = chebyshev.chebval(t, _erf_fit(low, high))
    return (wide * ratio).astype(x.dtype)


def rsqrt(x: np.ndarray) -> np.ndarray:
    """Compute 1/√x."""
    return 1 / np.sqrt(x)


def round_away(x: np.ndarray) -> np.ndarray:
    """Round to the nearest integer, ties away from zero."""
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(np.ones_like(x), x), whole)


def in_f64(f: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Wrap a function so that it computes in f64 and rounds to the type of its argument."""

    def apply(*arrays: np.ndarray) -> np.ndarray:
        return f(*(array.astype(F64) for array in arrays)).astype(arrays[0].dtype)

    return apply


_python_erf: Function = elementwise(math.erf)
erfc: Function = elementwise(math.erfc)
gamma: Function = elementwise(math.gamma)
lgamma: Function = elementwise(math.lgamma)

__all__ = ["elementwise", "erf", "erfc", "gamma", "in_f64", "lgamma", "round_away", "rsqrt"]
