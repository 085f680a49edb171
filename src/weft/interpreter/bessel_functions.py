"""Bessel functions of integer order: of the first kind (j0, j1, jn) and the second (y0, y1, yn).

Below 30, Jₖ comes from the downward recurrence Jₖ₋₁ = 2k/x Jₖ - Jₖ₊₁ (Miller's algorithm). It
starts far above x with an arbitrary value and is scaled such that J₀ + 2 J₂ + 2 J₄ + … = 1. Y₀ and
Y₁ are Neumann's series of these. From 30 on both are Hankel's asymptotic expansions. Higher orders
come from the upward recurrence, except those of J above x.

Source: Abramowitz and Stegun, 9.1.27, 9.1.46, 9.1.88, 9.2.5 to 9.2.10, 9.12.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["j", "y"]

_HANKEL_FROM = 30.0  # from here on Hankel's terms fall below 1e-17 before they grow
_START = 110  # below 30, J of this order is negligible
_BIG = 1e200
_TINY = 1e-8  # below it the first term of the series is exact
_TERMS = 24


def j(order: np.ndarray | int, x: np.ndarray) -> np.ndarray:
    """Compute J of an integer order of f64 numbers; NaN for a negative order."""
    order, x = np.broadcast_arrays(order, x)
    result = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for n in np.unique(order[order >= 0]).tolist():
            here = (order == n) & ~np.isnan(x)
            sign = np.where((x[here] < 0) & (n % 2 == 1), -1.0, 1.0)
            result[here] = sign * _first_kind(n, np.abs(x[here]))
    return result


def y(order: np.ndarray | int, x: np.ndarray) -> np.ndarray:
    """Compute Y of an integer order of f64 numbers; NaN for a negative order or number."""
    order, x = np.broadcast_arrays(order, x)
    result = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for n in np.unique(order[order >= 0]).tolist():
            here = (order == n) & (x >= 0)
            result[here] = _second_kind(n, x[here])
    return result


def _first_kind(n: int, x: np.ndarray) -> np.ndarray:
    safe = np.where(np.isfinite(x), x, 1.0)
    if n <= 1:
        near = _downwards(np.clip(safe, _TINY, _HANKEL_FROM), 1)[n]
        result = np.where(safe < _HANKEL_FROM, near, _hankel(n, np.maximum(safe, _HANKEL_FROM))[0])
    else:
        top = float(max(n, _HANKEL_FROM))
        near = _downwards(np.clip(safe, _TINY, top), n, int(top + 2 * top**0.5) + _START)[n]
        result = np.where(
            safe < top, near, _upwards(n, safe, _first_kind(0, safe), _first_kind(1, safe))
        )
    least = (safe / 2) ** n / math.factorial(min(n, 170))
    result = np.where(safe < _TINY, least, result)
    return np.where(np.isinf(x), 0.0, result)


def _upwards(n: int, x: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Compute the function of order n from those of order 0 and 1: the upward recurrence."""
    for k in range(1, n):
        first, second = second, 2 * k / x * second - first
    return first if n == 0 else second


def _second_kind(n: int, x: np.ndarray) -> np.ndarray:
    safe = np.where((x > 0) & np.isfinite(x), x, 1.0)
    low, high = (
        _near_second(np.minimum(safe, _HANKEL_FROM)),
        _far_second(np.maximum(safe, _HANKEL_FROM)),
    )
    first, second = (np.where(safe < _HANKEL_FROM, a, b) for a, b in zip(low, high, strict=True))
    result = _upwards(n, safe, first, second)
    result = np.where(np.isnan(result), -np.inf, result)  # the order before was infinite
    return np.where(x == 0, -np.inf, np.where(np.isinf(x), 0.0, result))


def _downwards(x: np.ndarray, n: int, start: int = _START) -> dict[int | str, np.ndarray]:
    """Compute J₀, J₁, Jₙ and the two sums of Neumann's series, "even" and "odd"."""
    above, here = np.zeros(x.shape), np.full(x.shape, 1e-290)
    whole, even, odd = (np.zeros(x.shape) for _ in range(3))
    orders: dict[int, np.ndarray] = {}
    for order in range(start + start % 2, -1, -1):
        half, sign = order // 2, -1.0 if order // 2 % 2 else 1.0
        if order % 2 == 0:
            whole = whole + (here if order == 0 else 2 * here)
            even = even + (sign * here / half if half else 0)
        elif half:
            odd = odd + sign * order / (half * (half + 1)) * here
        if order in (0, 1, n):
            orders[order] = here
        if order:
            above, here = here, 2 * order / x * here - above
            scale = np.where(np.abs(here) > _BIG, 1 / _BIG, 1.0)
            above, here, whole, even, odd = (
                each * scale for each in (above, here, whole, even, odd)
            )
            orders = {key: value * scale for key, value in orders.items()}
    return {
        **{key: value / whole for key, value in orders.items()},
        "even": even / whole,
        "odd": odd / whole,
    }


def _near_second(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    parts = _downwards(np.maximum(x, _TINY), 1)
    log = np.log(x / 2) + np.euler_gamma
    zeroth = (log * parts[0] - 2 * parts["even"]) * 2 / np.pi
    first = (-parts[0] / x + (log - 1) * parts[1] - parts["odd"]) * 2 / np.pi
    return zeroth, first


def _far_second(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _hankel(0, x)[1], _hankel(1, x)[1]


def _hankel(n: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute J and Y of order 0 or 1 for large x: Hankel's expansions."""
    p, q, term = np.ones(x.shape), np.zeros(x.shape), np.ones(x.shape)
    for k in range(1, _TERMS):
        term = term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * x)
        sign = (1, 1, -1, -1)[k % 4]
        p, q = (p, q + sign * term) if k % 2 else (p + sign * term, q)
    angle = x - (n / 2 + 0.25) * np.pi
    size = np.sqrt(2 / (np.pi * x))
    cosine, sine = np.cos(angle), np.sin(angle)
    return size * (p * cosine - q * sine), size * (p * sine + q * cosine)
