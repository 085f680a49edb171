"""Sums, products and quotients rounded once, to the side that is asked for.

    rn to nearest    rz toward zero    rp up    rm down

Numbers of 32 bits and less are computed in f64 and what that loses is found exactly (the error of a
sum is a float, and products of f32 fit). Where something is lost, the last bit of the f64 is set:
such an odd number lies on no border of a narrower type, so that rounding it again is right.

Of NaN there is one of each type, all of whose bits are set but for the sign.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite

import numpy as np

__all__ = ["MODES", "canonical", "fused", "narrowed", "quotient", "root", "summed"]

MODES = ("rn", "rz", "rp", "rm")


def narrowed(wide: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Return f64 numbers in another floating-point type, rounded to a side."""
    near = _nearest(wide, dtype)
    if mode == "rn":
        return canonical(near)
    back = near.astype(np.float64)
    too_high, too_low = back > wide, back < wide
    down = too_high & ((mode == "rm") | ((mode == "rz") & (wide > 0)))
    up = too_low & ((mode == "rp") | ((mode == "rz") & (wide < 0)))
    below, above = (_neighbour(near, side) for side in (-1, 1))
    sided = np.where(down, below, np.where(up, above, near)).astype(dtype, copy=False)
    return canonical(sided)


def canonical(values: np.ndarray) -> np.ndarray:
    """Return floats of 32 bits or less with PTX's own NaN in place of any other."""
    size = values.dtype.itemsize
    if size > np.dtype(np.float32).itemsize:
        return values
    bits = np.ascontiguousarray(values).view(f"u{size}")
    own = np.array((1 << 8 * size - 1) - 1, bits.dtype)
    return np.where(np.isnan(values), own, bits).view(values.dtype)


def _nearest(wide: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return f64 numbers rounded once to the nearest of another type, ties to even.

    To bfloat16 there is a way by f32 alone, which must not round to a border.
    """
    if dtype.itemsize >= np.dtype(np.float32).itemsize:
        return wide.astype(dtype)
    single = wide.astype(np.float32)
    beyond = np.abs(single.astype(np.float64)) > np.abs(wide)
    lost = (single != wide) & np.isfinite(single) & ~np.isnan(wide)
    bits = single.view(np.uint32) - (beyond & lost).astype(np.uint32)
    return np.where(lost, bits | np.uint32(1), bits).view(np.float32).astype(dtype)


def _neighbour(values: np.ndarray, side: int) -> np.ndarray:
    """Return the next number of the same type below (-1) or above (1)."""
    bits = f"i{values.dtype.itemsize}"
    whole = values.view(bits)
    least = np.array([1], bits)
    outward = np.where(np.signbit(values), whole + side * -1, whole + side)
    of_zero = least if side > 0 else least | np.iinfo(bits).min
    return np.where(values == 0, of_zero, outward).astype(bits).view(values.dtype)


def _to_odd(total: np.ndarray, error: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(total).view(np.int64)
    lost = (error != 0) & np.isfinite(total) & np.isfinite(error)
    inward = lost & ((error < 0) != (total < 0)) & (total != 0)
    return np.where(lost, (bits - inward) | 1, bits).view(np.float64)


def summed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return sums of two f64 arrays, odd where something is lost."""
    a, b = np.broadcast_arrays(a, b)
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    return _to_odd(total, error)


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Return a * b + c rounded once."""
    if dtype == np.float64:
        return _by_fractions(lambda x, y, z: x * y + z, mode, a, b, c)
    wide = [each.astype(np.float64) for each in (a, b, c)]
    return narrowed(summed(wide[0] * wide[1], wide[2]), dtype, mode)


def quotient(a: np.ndarray, b: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Return a / b rounded once."""
    if dtype == np.float64:
        return a / b if mode == "rn" else _by_fractions(lambda x, y: x / y, mode, a, b)
    x, y = np.broadcast_arrays(a.astype(np.float64), b.astype(np.float64))
    whole = x / y
    return narrowed(_to_odd(whole, _left(whole, x, y) * np.sign(y)), dtype, mode)


def _left(whole: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the sign of x - whole * y, where y has 24 bits at most."""
    high = whole.astype(np.float32).astype(np.float64)
    return (x - high * y) - (whole - high) * y


def root(a: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Return the square root rounded once."""
    if dtype == np.float64:
        return np.sqrt(a)
    wide = a.astype(np.float64)
    whole = np.sqrt(wide)
    high = whole.astype(np.float32).astype(np.float64)
    low = whole - high
    return narrowed(
        _to_odd(whole, ((wide - high * high) - 2 * high * low) - low * low), dtype, mode
    )


def _by_fractions(exact: Callable[..., Fraction], mode: str, *given: np.ndarray) -> np.ndarray:
    def one(*values: float) -> float:
        if not all(map(isfinite, values)):
            return float(exact(*map(np.float64, values)))  # type: ignore[arg-type]
        try:
            whole = exact(*map(Fraction, values))
        except ZeroDivisionError:
            return float(np.float64(values[0]) / np.float64(values[1]))
        try:
            near = float(whole)
        except OverflowError:
            near = float("inf") if whole > 0 else float("-inf")
            return near if mode == "rn" else _inside(near, whole, mode)
        above = Fraction(near) - whole
        if above > 0 and (mode == "rm" or (mode == "rz" and near > 0)):
            return float(np.nextafter(near, -np.inf))
        if above < 0 and (mode == "rp" or (mode == "rz" and near < 0)):
            return float(np.nextafter(near, np.inf))
        return near

    return np.vectorize(one, otypes=[np.float64])(*given)


def _inside(infinite: float, whole: Fraction, mode: str) -> float:
    """Return infinity, or the greatest number where rounding goes inwards."""
    inwards = mode == "rz" or (mode == "rm") == (whole > 0)
    return float(np.nextafter(infinite, 0.0)) if inwards else infinite
