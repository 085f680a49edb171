"""Functions of NVIDIA's libdevice that round an exact result once, in the mode of their name.

    __nv_fadd_rd(x, y)      the sum, rounded down        __nv_double2int_rz(x)   truncated
    __nv_fma_rz(x, y, z)    x·y + z, toward zero         __nv_ull2float_ru(x)    rounded up

The exact result is a fraction. It is divided by the unit in the last place, rounded to an integer
in the mode, and multiplied again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np

__all__ = ["exact_function"]

_EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rcp": lambda a: 1 / a,
    "sqrt": lambda a: _square_root(a),
    "fma": lambda a, b, c: a * b + c,
}
_NUMPY: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rcp": np.reciprocal,
    "sqrt": np.sqrt,
    "fma": lambda a, b, c: a * b + c,
}
_ROUND: dict[str, Callable[[Fraction], int]] = {
    "rn": round,
    "rz": math.trunc,
    "ru": math.ceil,
    "rd": math.floor,
}
_ARITHMETIC = re.compile(
    r"(?:(?P<kind>[fd])(?P<name>add|sub|mul|div|rcp|sqrt)|(?P<fma>fma)(?P<single>f?))_(?P<mode>r[nzud])"
)
_CONVERSION = re.compile(
    r"(?P<source>float|double|int|uint|ll|ull)2(?P<result>float|double|int|uint|ll|ull)"
    r"_(?P<mode>r[nzud])"
)
_DTYPES = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "int": np.dtype(np.int32),
    "uint": np.dtype(np.uint32),
    "ll": np.dtype(np.int64),
    "ull": np.dtype(np.uint64),
}


def exact_function(name: str) -> Callable[..., np.ndarray] | None:
    """Find a function of arrays by its name without `__nv_`; None if it is not of this kind."""
    if (match := _ARITHMETIC.fullmatch(name)) is not None:
        is_single = match["kind"] == "f" or bool(match["single"])
        dtype = _DTYPES["float" if is_single else "double"]
        return _arithmetic(match["name"] or "fma", dtype, match["mode"])
    if (match := _CONVERSION.fullmatch(name)) is not None:
        return _conversion(_DTYPES[match["source"]], _DTYPES[match["result"]], match["mode"])
    return None


def _arithmetic(name: str, dtype: np.dtype, mode: str) -> Callable[..., np.ndarray]:
    def run(*arrays: np.ndarray) -> np.ndarray:
        arguments = np.broadcast_arrays(*arrays)
        # numpy's results remain where there is no fraction: NaN and infinity.
        results = np.array(_NUMPY[name](*arguments), dtype)
        has_fraction = np.all([np.isfinite(each) for each in arguments], axis=0)
        if name in ("div", "rcp"):
            has_fraction &= arguments[-1] != 0
        if name == "sqrt":
            has_fraction &= arguments[0] >= 0
        for index in map(tuple, np.argwhere(has_fraction)):
            exact = _EXACT[name](*(Fraction(float(each[index])) for each in arguments))
            if exact:  # of an exact zero, numpy's result has the sign
                results[index] = _round_fraction(exact, dtype, mode)
        return results

    return run


def _conversion(source: np.dtype, result: np.dtype, mode: str) -> Callable[..., np.ndarray]:
    def convert(value: float) -> float:
        if isinstance(value, float) and not math.isfinite(value):
            if result.kind == "f":
                return value
            return 0 if math.isnan(value) else saturate(value)
        exact = Fraction(value)
        if result.kind == "f":
            return _round_fraction(exact, result, mode) if exact else float(value)
        return saturate(_ROUND[mode](exact))

    def saturate(value: float) -> int:
        low, high = int(np.iinfo(result).min), int(np.iinfo(result).max)
        return int(min(max(value, low), high))

    def run(x: np.ndarray) -> np.ndarray:
        values = np.ascontiguousarray(x).view(source).ravel()
        results = np.array([convert(each.item()) for each in values], result)
        kind = "f" if result.kind == "f" else "i"
        return results.reshape(x.shape).view(f"{kind}{result.itemsize}")

    return run


def _round_fraction(exact: Fraction, dtype: np.dtype, mode: str) -> float:
    """Round a fraction that is not 0 to a floating-point format."""
    info = np.finfo(dtype)
    # The exponent of the leading bit; the logarithm may be off by one.
    exponent = math.floor(math.log2(abs(exact.numerator)) - math.log2(exact.denominator))
    exponent += 0 if abs(exact) < Fraction(2) ** (exponent + 1) else 1
    exponent -= 0 if abs(exact) >= Fraction(2) ** exponent else 1
    last_place = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    rounded = _ROUND[mode](exact / last_place) * last_place
    largest = Fraction(float(info.max))
    if abs(rounded) <= largest:
        return float(rounded)
    is_outward = mode == "rn" or mode == ("ru" if rounded > 0 else "rd")
    return math.copysign(math.inf if is_outward else float(largest), rounded)


def _square_root(a: Fraction) -> Fraction:
    """Compute a square root to 200 bits after the point, and a sticky bit for the remainder."""
    scaled = a.numerator * (1 << 400) // a.denominator
    root = math.isqrt(scaled)
    is_exact = root * root == scaled and a.numerator * (1 << 400) % a.denominator == 0
    return Fraction(2 * root + (0 if is_exact else 1), 1 << 201)
