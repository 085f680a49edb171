"""Sums, products, quotients and roots that are rounded once, in any mode.

    rn to nearest even    rz toward zero    rp up    rm down

Results of 32 bits and less are computed in f64, whose rounding error is computed exactly: the error
of a sum is representable (Knuth's two-sum), and a product of f32 is exact in f64. If the error is
not 0, the last bit of the f64 is set (round to odd). Such a number is never a tie of a narrower
type, so that a second rounding gives the same result as a single one (Boldo and Melquiond, "When
double rounding is odd", 2005).

NaN results are PTX's canonical NaN, whose bits are all set but for the sign.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite

import numpy as np

__all__ = [
    "MODES",
    "add_to_odd",
    "canonicalize_nan",
    "divide",
    "multiply_add",
    "round_to",
    "square_root",
]

MODES = ("rn", "rz", "rp", "rm")


def round_to(wide: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Round f64 numbers to a narrower type."""
    nearest = _round_to_nearest(wide, dtype)
    if mode == "rn":
        return canonicalize_nan(nearest)
    back = nearest.astype(np.float64)
    is_above, is_below = back > wide, back < wide
    goes_down = is_above & ((mode == "rm") | ((mode == "rz") & (wide > 0)))
    goes_up = is_below & ((mode == "rp") | ((mode == "rz") & (wide < 0)))
    below, above = (_next_number(nearest, side) for side in (-1, 1))
    rounded = np.where(goes_down, below, np.where(goes_up, above, nearest))
    return canonicalize_nan(rounded.astype(dtype, copy=False))


def canonicalize_nan(values: np.ndarray) -> np.ndarray:
    """Replace every NaN by PTX's, in floats of 32 bits or less."""
    size = values.dtype.itemsize
    if size > np.dtype(np.float32).itemsize:
        return values
    bits = np.ascontiguousarray(values).view(f"u{size}")
    canonical = np.array((1 << 8 * size - 1) - 1, bits.dtype)
    return np.where(np.isnan(values), canonical, bits).view(values.dtype)


def _round_to_nearest(wide: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Round f64 numbers to nearest even, once.

    numpy converts to 16-bit floats by way of f32, so that step rounds to odd.
    """
    if dtype.itemsize >= np.dtype(np.float32).itemsize:
        return wide.astype(dtype)
    single = wide.astype(np.float32)
    is_inexact = (single != wide) & np.isfinite(single) & ~np.isnan(wide)
    is_outward = np.abs(single.astype(np.float64)) > np.abs(wide)
    bits = single.view(np.uint32) - (is_outward & is_inexact).astype(np.uint32)
    return np.where(is_inexact, bits | np.uint32(1), bits).view(np.float32).astype(dtype)


def _next_number(values: np.ndarray, side: int) -> np.ndarray:
    """Find the next number of the same type below (-1) or above (1)."""
    integer = f"i{values.dtype.itemsize}"
    bits = values.view(integer)
    smallest = np.array([1], integer)
    neighbor = np.where(np.signbit(values), bits + side * -1, bits + side)
    of_zero = smallest if side > 0 else smallest | np.iinfo(integer).min
    return np.where(values == 0, of_zero, neighbor).astype(integer).view(values.dtype)


def _to_odd(nearest: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Round to odd, given f64 results and the errors of rounding them to nearest."""
    bits = np.ascontiguousarray(nearest).view(np.int64)
    is_inexact = (error != 0) & np.isfinite(nearest) & np.isfinite(error)
    # An error toward zero means that the nearest number is too far out: go one number back.
    is_inward = is_inexact & ((error < 0) != (nearest < 0)) & (nearest != 0)
    return np.where(is_inexact, (bits - is_inward) | 1, bits).view(np.float64)


def add_to_odd(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Add two f64 arrays, rounding to odd."""
    a, b = np.broadcast_arrays(a, b)
    total = a + b
    # Two-sum: the exact error of a floating-point addition.
    b_part = total - a
    error = (a - (total - b_part)) + (b - b_part)
    return _to_odd(total, error)


def multiply_add(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, dtype: np.dtype, mode: str
) -> np.ndarray:
    """Compute a * b + c, rounded once."""
    if dtype == np.float64:
        return _exactly(lambda x, y, z: x * y + z, mode, a, b, c)
    x, y, z = (each.astype(np.float64) for each in (a, b, c))
    return round_to(add_to_odd(x * y, z), dtype, mode)


def divide(a: np.ndarray, b: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Compute a / b, rounded once."""
    if dtype == np.float64:
        return a / b if mode == "rn" else _exactly(lambda x, y: x / y, mode, a, b)
    x, y = np.broadcast_arrays(a.astype(np.float64), b.astype(np.float64))
    quotient = x / y
    return round_to(_to_odd(quotient, _remainder(quotient, x, y) * np.sign(y)), dtype, mode)


def _remainder(quotient: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute x - quotient * y with the right sign, for y of at most 24 bits.

    The quotient is split into two parts of which each product with y is exact.
    """
    high = quotient.astype(np.float32).astype(np.float64)
    return (x - high * y) - (quotient - high) * y


def square_root(a: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Compute the square root, rounded once."""
    if dtype == np.float64:
        return np.sqrt(a)
    wide = a.astype(np.float64)
    root = np.sqrt(wide)
    # wide - root², with the root split so that every product is exact.
    high = root.astype(np.float32).astype(np.float64)
    low = root - high
    remainder = ((wide - high * high) - 2 * high * low) - low * low
    return round_to(_to_odd(root, remainder), dtype, mode)


def _exactly(compute: Callable[..., Fraction], mode: str, *arrays: np.ndarray) -> np.ndarray:
    """Evaluate a function of f64 numbers on fractions, and round the results."""

    def evaluate(*values: float) -> float:
        if not all(map(isfinite, values)):
            return float(compute(*map(np.float64, values)))  # type: ignore[arg-type]
        try:
            exact = compute(*map(Fraction, values))
        except ZeroDivisionError:
            return float(np.float64(values[0]) / np.float64(values[1]))
        try:
            nearest = float(exact)
        except OverflowError:
            infinity = float("inf") if exact > 0 else float("-inf")
            return infinity if mode == "rn" else _round_overflow(infinity, exact, mode)
        excess = Fraction(nearest) - exact
        if excess > 0 and (mode == "rm" or (mode == "rz" and nearest > 0)):
            return float(np.nextafter(nearest, -np.inf))
        if excess < 0 and (mode == "rp" or (mode == "rz" and nearest < 0)):
            return float(np.nextafter(nearest, np.inf))
        return nearest

    return np.vectorize(evaluate, otypes=[np.float64])(*arrays)


def _round_overflow(infinity: float, exact: Fraction, mode: str) -> float:
    """Round a result out of range to infinity, or to the largest number if rounding is inward."""
    is_inward = mode == "rz" or (mode == "rm") == (exact > 0)
    return float(np.nextafter(infinity, 0.0)) if is_inward else infinity
