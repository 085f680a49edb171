"""Bessel functions of the first and the second kind of whole orders: j0 j1 jn, y0 y1 yn.

Below 30 Jₖ comes from the recurrence downwards, Jₖ₋₁ = 2k/x Jₖ - Jₖ₊₁, begun far above x with
anything and scaled so that J₀ + 2 J₂ + 2 J₄ + … is 1; Y₀ and Y₁ are Neumann's sums of them. From 30
on both are Hankel's expansions. Higher orders go upwards, save those of J above x.
Source: Abramowitz and Stegun, 9.1.27, 9.1.46, 9.1.88, 9.2.5 to 9.2.10, 9.12.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["j", "y"]

_FAR = 30.0  # from here on Hankel's terms fall below 1e-17 before they grow
_START = 110  # J of this order is nothing beside the first ones below 30
_BIG = 1e200
_TINY = 1e-8  # below it the first term of the series is all
_TERMS = 24


def j(order: np.ndarray | int, x: np.ndarray) -> np.ndarray:
    """Return J of a whole order; NaN for one below 0. x: f64."""
    order, x = np.broadcast_arrays(order, x)
    found = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for n in np.unique(order[order >= 0]).tolist():
            here = (order == n) & ~np.isnan(x)
            sign = np.where((x[here] < 0) & (n % 2 == 1), -1.0, 1.0)
            found[here] = sign * _first_kind(n, np.abs(x[here]))
    return found


def y(order: np.ndarray | int, x: np.ndarray) -> np.ndarray:
    """Return Y of a whole order; NaN for one below 0, and for x below 0. x: f64."""
    order, x = np.broadcast_arrays(order, x)
    found = np.full(x.shape, np.nan)
    with np.errstate(all="ignore"):
        for n in np.unique(order[order >= 0]).tolist():
            here = (order == n) & (x >= 0)
            found[here] = _second_kind(n, x[here])
    return found


def _first_kind(n: int, x: np.ndarray) -> np.ndarray:
    safe = np.where(np.isfinite(x), x, 1.0)
    if n <= 1:
        near = _downwards(np.clip(safe, _TINY, _FAR), 1)[n]
        found = np.where(safe < _FAR, near, _hankel(n, np.maximum(safe, _FAR))[0])
    else:
        top = float(max(n, _FAR))
        near = _downwards(np.clip(safe, _TINY, top), n, int(top + 2 * top**0.5) + _START)[n]
        found = np.where(
            safe < top, near, _upwards(n, safe, _first_kind(0, safe), _first_kind(1, safe))
        )
    least = (safe / 2) ** n / math.factorial(min(n, 170))
    found = np.where(safe < _TINY, least, found)
    return np.where(np.isinf(x), 0.0, found)


def _upwards(n: int, x: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the function of order n from those of 0 and 1."""
    for k in range(1, n):
        first, second = second, 2 * k / x * second - first
    return first if n == 0 else second


def _second_kind(n: int, x: np.ndarray) -> np.ndarray:
    safe = np.where((x > 0) & np.isfinite(x), x, 1.0)
    low, high = _near_second(np.minimum(safe, _FAR)), _far_second(np.maximum(safe, _FAR))
    first, second = (np.where(safe < _FAR, a, b) for a, b in zip(low, high, strict=True))
    found = _upwards(n, safe, first, second)
    found = np.where(np.isnan(found), -np.inf, found)  # where the order before was infinite
    return np.where(x == 0, -np.inf, np.where(np.isinf(x), 0.0, found))


def _downwards(x: np.ndarray, n: int, start: int = _START) -> dict[int | str, np.ndarray]:
    """Return J₀, J₁, Jₙ and the two sums of Neumann's series, "even" and "odd"."""
    above, here = np.zeros(x.shape), np.full(x.shape, 1e-290)
    whole, even, odd = (np.zeros(x.shape) for _ in range(3))
    kept: dict[int, np.ndarray] = {}
    for order in range(start + start % 2, -1, -1):
        half, sign = order // 2, -1.0 if order // 2 % 2 else 1.0
        if order % 2 == 0:
            whole = whole + (here if order == 0 else 2 * here)
            even = even + (sign * here / half if half else 0)
        elif half:
            odd = odd + sign * order / (half * (half + 1)) * here
        if order in (0, 1, n):
            kept[order] = here
        if order:
            above, here = here, 2 * order / x * here - above
            scale = np.where(np.abs(here) > _BIG, 1 / _BIG, 1.0)
            above, here, whole, even, odd = (
                each * scale for each in (above, here, whole, even, odd)
            )
            kept = {key: value * scale for key, value in kept.items()}
    return {
        **{key: value / whole for key, value in kept.items()},
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
    """Return J and Y of order 0 or 1 for large x."""
    p, q, term = np.ones(x.shape), np.zeros(x.shape), np.ones(x.shape)
    for k in range(1, _TERMS):
        term = term * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * x)
        turn = (1, 1, -1, -1)[k % 4]
        p, q = (p, q + turn * term) if k % 2 else (p + turn * term, q)
    angle = x - (n / 2 + 0.25) * np.pi
    size = np.sqrt(2 / (np.pi * x))
    cosine, sine = np.cos(angle), np.sin(angle)
    return size * (p * cosine - q * sine), size * (p * sine + q * cosine)
