"""Arithmetic and conversions with a rounding mode in their name: __nv_fadd_rd, __nv_int2float_rz.

    rn  to nearest     rz  toward zero     ru  up     rd  down

The result is first rounded to nearest. Exact fractions then decide whether it is above or below the
exact result; if that is the wrong side for the mode, the neighbouring float is the result:

    0.1 + 0.2 in f64, up: 0.30000000000000004 is above the exact sum, so it is the result
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from weft.interpreter.dtypes import F32, F64, unsigned

__all__ = ["arithmetic", "conversion"]

_Excess = Callable[..., Fraction]
# By name: the result rounded to nearest, and how far a result r is above the exact one.
_ARITHMETIC: dict[str, tuple[Callable[..., np.ndarray], _Excess]] = {
    "add": (np.add, lambda r, a, b: r - (a + b)),
    "sub": (np.subtract, lambda r, a, b: r - (a - b)),
    "mul": (np.multiply, lambda r, a, b: r - a * b),
    "div": (np.divide, lambda r, a, b: r - a / b),
    "rcp": (np.reciprocal, lambda r, a: r - 1 / a),
    "sqrt": (np.sqrt, lambda r, a: r * r - a),
    "fma": (lambda a, b, c: _fused(a, b, c), lambda r, a, b, c: r - (a * b + c)),
}
_NAMES = re.compile(r"(?:[fd](?P<plain>add|sub|mul|div|rcp|sqrt)|(?P<fma>fma)f?)_(?P<mode>r[nzud])")
_CONVERSION = re.compile(
    r"(?P<source>float|double|int|uint|ll|ull)2(?P<result>float|double|int|uint|ll|ull)_(?P<mode>r[nzud])"
)
_WHOLE = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}


def _fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    def one(*values: float) -> float:
        if not all(map(math.isfinite, values)):
            return values[0] * values[1] + values[2]
        x, y, z = map(Fraction, values)
        try:
            return float(x * y + z)
        except OverflowError:
            return math.copysign(math.inf, x * y + z)

    wide = np.vectorize(one, otypes=[F64])(*(each.astype(F64) for each in (a, b, c)))
    return wide.astype(a.dtype)


def arithmetic(name: str) -> Callable[..., np.ndarray] | None:
    """Look up an operation by its name without `__nv_`: "fadd_rd", "fma_rz"; None if unknown."""
    match = _NAMES.fullmatch(name)
    if match is None:
        return None
    nearest, excess = _ARITHMETIC[match["plain"] or match["fma"]]
    mode = match["mode"]

    def apply(*arrays: np.ndarray) -> np.ndarray:
        operands = np.broadcast_arrays(*arrays)
        near = np.asarray(nearest(*operands))
        return near if mode == "rn" else _adjust(near, operands, excess, mode)

    return apply


def _adjust(
    near: np.ndarray, operands: tuple[np.ndarray, ...], excess: _Excess, mode: str
) -> np.ndarray:
    """Move results to the neighbouring float where they are on the wrong side of the exact one."""
    result = near.copy()
    for index in np.ndindex(near.shape):
        values = [operand[index] for operand in operands]
        if not all(map(np.isfinite, values)) or np.isnan(near[index]):
            continue
        if np.isinf(near[index]):
            by_zero = excess is _ARITHMETIC["div"][1] and values[1] == 0
            by_zero |= excess is _ARITHMETIC["rcp"][1] and values[0] == 0
            above = 0 if by_zero else near[index]
        else:
            above = excess(Fraction(float(near[index])), *map(_exact, values))
        result[index] = _round_to_side(near[index], above, mode)
    return result


def _exact(value: Any) -> Fraction:
    return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(float(value))


def _round_to_side(near: Any, above: Any, mode: str) -> np.floating:
    down = mode == "rd" or (mode == "rz" and near > 0)
    up = mode == "ru" or (mode == "rz" and near < 0)
    if (above > 0 and down) or (above < 0 and up):
        return np.nextafter(near, near.dtype.type(-np.inf if above > 0 else np.inf))
    return near


def conversion(name: str, dtype: np.dtype) -> Callable[[np.ndarray], np.ndarray] | None:
    """Look up a conversion by its name: "float2int_rz"; None if unknown.

    A conversion to integer saturates; NaN becomes zero.
    """
    match = _CONVERSION.fullmatch(name)
    if match is None:
        return None
    mode, source = match["mode"], match["source"]
    if match["result"] in ("float", "double"):
        kind = F32 if match["result"] == "float" else F64
        return lambda x: _to_float(x.view(unsigned(x.dtype)) if source[0] == "u" else x, kind, mode)
    limits = np.iinfo(unsigned(dtype) if match["result"][0] == "u" else dtype)

    def to_integer(x: np.ndarray) -> np.ndarray:
        whole = np.nan_to_num(_WHOLE[mode](x.astype(F64)), nan=0.0).ravel()
        numbers = [min(max(int(one), limits.min), limits.max) for one in whole]
        return np.array(numbers, limits.dtype).reshape(x.shape).view(dtype)

    return to_integer


def _to_float(x: np.ndarray, kind: np.dtype, mode: str) -> np.ndarray:
    near = x.astype(kind)
    return near if mode == "rn" else _adjust(near, (x,), lambda r, a: r - a, mode)
