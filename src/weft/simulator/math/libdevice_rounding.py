"""Functions of NVIDIA's library that are exact but for one rounding, which their names tell.

    __nv_fadd_rd(x, y)      the sum, rounded down        __nv_double2int_rz(x)   truncated
    __nv_fma_rz(x, y, z)    x·y + z, toward zero         __nv_ull2float_ru(x)    rounded up

The exact result is a fraction; it is scaled so that the last place of the format is 1, made a whole
number in the way that is asked for, and scaled back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np

__all__ = ["exact_function"]

Array = Callable[..., np.ndarray]
_EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "rcp": lambda a: 1 / a,
    "sqrt": lambda a: _root(a),
    "fma": lambda a, b, c: a * b + c,
}
_WIDE: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rcp": np.reciprocal,
    "sqrt": np.sqrt,
    "fma": lambda a, b, c: a * b + c,
}
_WHOLE: dict[str, Callable[[Fraction], int]] = {
    "rn": round,
    "rz": math.trunc,
    "ru": math.ceil,
    "rd": math.floor,
}
_ARITHMETIC = re.compile(
    r"(?:(?P<kind>[fd])(?P<name>add|sub|mul|div|rcp|sqrt)|(?P<fma>fma)(?P<single>f?))_(?P<mode>r[nzud])"
)
_CONVERSION = re.compile(
    r"(?P<given>float|double|int|uint|ll|ull)2(?P<result>float|double|int|uint|ll|ull)"
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


def exact_function(name: str) -> Array | None:
    """Return a function of arrays by its name without `__nv_`, None for one of another kind."""
    if (found := _ARITHMETIC.fullmatch(name)) is not None:
        single = found["kind"] == "f" or bool(found["single"])
        kind = _DTYPES["float" if single else "double"]
        return _arithmetic(found["name"] or "fma", kind, found["mode"])
    if (found := _CONVERSION.fullmatch(name)) is not None:
        return _conversion(_DTYPES[found["given"]], _DTYPES[found["result"]], found["mode"])
    return None


def _arithmetic(name: str, kind: np.dtype, mode: str) -> Array:
    def run(*arrays: np.ndarray) -> np.ndarray:
        given = np.broadcast_arrays(*arrays)
        found = np.array(_WIDE[name](*given), kind)  # what is no fraction stays: NaN, infinity
        ordinary = np.all([np.isfinite(each) for each in given], axis=0)
        if name in ("div", "rcp"):
            ordinary &= given[-1] != 0
        if name == "sqrt":
            ordinary &= given[0] >= 0
        for at in np.argwhere(ordinary):
            exact = _EXACT[name](*(Fraction(float(each[tuple(at)])) for each in given))
            if exact:  # which zero a sum of opposites is, numpy has said
                found[tuple(at)] = _rounded(exact, kind, mode)
        return found

    return run


def _conversion(given: np.dtype, result: np.dtype, mode: str) -> Array:
    def one(value: float) -> float:
        if isinstance(value, float) and not math.isfinite(value):
            if result.kind == "f":
                return value
            return 0 if math.isnan(value) else limit(value)
        exact = Fraction(value)
        if result.kind == "f":
            return _rounded(exact, result, mode) if exact else float(value)
        return limit(_WHOLE[mode](exact))

    def limit(value: float) -> int:
        low, high = int(np.iinfo(result).min), int(np.iinfo(result).max)
        return int(min(max(value, low), high))

    def run(x: np.ndarray) -> np.ndarray:
        flat = np.ascontiguousarray(x).view(given).ravel()
        found = np.array([one(each.item()) for each in flat], result)
        return found.reshape(x.shape).view(f"{'f' if result.kind == 'f' else 'i'}{result.itemsize}")

    return run


def _rounded(exact: Fraction, kind: np.dtype, mode: str) -> float:
    """Return a fraction as a number of a format."""
    facts = np.finfo(kind)
    exponent = math.floor(math.log2(abs(exact.numerator)) - math.log2(exact.denominator))
    exponent += 0 if abs(exact) < Fraction(2) ** (exponent + 1) else 1
    exponent -= 0 if abs(exact) >= Fraction(2) ** exponent else 1
    place = Fraction(2) ** (max(exponent, int(facts.minexp)) - int(facts.nmant))
    found = _WHOLE[mode](exact / place) * place
    largest = Fraction(float(facts.max))
    if abs(found) <= largest:
        return float(found)
    outward = mode == "rn" or mode == ("ru" if found > 0 else "rd")
    return math.copysign(math.inf if outward else float(largest), found)


def _root(a: Fraction) -> Fraction:
    """Return a square root with 200 bits behind the point, and a last one that tells of more."""
    scaled = a.numerator * (1 << 400) // a.denominator
    root = math.isqrt(scaled)
    exact = root * root == scaled and a.numerator * (1 << 400) % a.denominator == 0
    return Fraction(2 * root + (0 if exact else 1), 1 << 201)
