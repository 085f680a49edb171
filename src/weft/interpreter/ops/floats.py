"""Float operations of arith and tt: each rounds to its result type.

f32 and f64 are numpy's. f16, bf16 and the 8-bit types are computed in f32 and rounded. For one
addition, product, quotient or root that is correct, because f32 has more than twice their bits.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
from xdsl.ir import Operation

from weft.interpreter.dtypes import F64, dtype_of, is_small_float
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.rounding import narrow, widen
from weft.ir import arith, math, tt
from weft.ir.enums import PropagateNan

Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]


def maximum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the maximum; NaN if either is NaN, and +0 is above -0."""
    return _signed_zero(np.maximum(a, b), a, b, np.add)


def minimum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute the minimum; NaN if either is NaN, and -0 is below +0."""
    return _signed_zero(np.minimum(a, b), a, b, lambda x, y: -(-x - y))


def _signed_zero(result: np.ndarray, a: np.ndarray, b: np.ndarray, pick: Combine) -> np.ndarray:
    zero = result == 0
    if zero.any():
        a, b = np.broadcast_arrays(a, b)
        both = zero & (a == b)
        result[both] = pick(a[both], b[both])
    return result


_BINARY: dict[str, Combine] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.remf": np.fmod,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.maximumf": maximum,
    "arith.minimumf": minimum,
    "tt.precise_divf": np.divide,
}


@pure(*_BINARY)
def binary(op: Operation) -> Evaluate:
    """Apply a binary operation."""
    return rounding_each(_BINARY[op.name], dtype_of(op.results[0].type))


def rounding_each(f: Callable[..., np.ndarray], dtype: np.dtype) -> Evaluate:
    """Wrap a function to compute in f32 and round once, for types smaller than f32."""
    if not is_small_float(dtype):
        return f
    return lambda *operands: narrow(f(*map(widen, operands)), dtype)


_FNUZ = tuple(
    map(
        np.dtype,
        (
            ml_dtypes.float8_e4m3fnuz,
            ml_dtypes.float8_e5m2fnuz,
            ml_dtypes.float8_e4m3b11fnuz,
        ),
    )
)
"""Types without a negative zero, whose NaN has the code of the sign bit."""
_SIGN = {1: np.uint8(0x80), 2: np.uint16(0x8000), 4: np.uint32(1 << 31), 8: np.uint64(1 << 63)}


@pure(arith.NegFOp)
def negf(op: Operation) -> Evaluate:
    """Flip the sign bit, also of NaN and zero, but for types that have one of each."""
    dtype = dtype_of(op.results[0].type)
    if dtype in _FNUZ:
        return np.negative
    sign, bits = _SIGN[dtype.itemsize], np.dtype(f"u{dtype.itemsize}")
    return lambda a: (a.view(bits) ^ sign).view(dtype)


@pure(math.AbsFOp)
def absf(op: Operation) -> Evaluate:
    """Clear the sign bit, but of a NaN that is all of it."""
    dtype = dtype_of(op.results[0].type)
    if dtype in _FNUZ:
        return np.abs
    rest, bits = ~_SIGN[dtype.itemsize], np.dtype(f"u{dtype.itemsize}")
    return lambda a: (a.view(bits) & rest).view(dtype)


@pure(tt.ClampFOp)
def clampf(op: Operation) -> Evaluate:
    """Limit to [min, max]; NaN gives min, or NaN if it propagates."""
    propagates = PropagateNan.of(op.properties["propagateNan"]) is PropagateNan.ALL

    def clamp(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        if propagates:
            return np.minimum(np.maximum(x, low), high)
        return np.fmin(np.fmax(x, low), high)

    return rounding_each(clamp, dtype_of(op.results[0].type))


@pure(math.FmaOp)
def fma(op: Operation) -> Evaluate:
    """Multiply and add with one rounding."""
    dtype = dtype_of(op.results[0].type)
    if dtype == F64:
        return _fma_f64
    return lambda a, b, c: narrow(_fma_odd(a, b, c), dtype)


def _fma_odd(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute a·b + c of f32 or smaller in f64, rounded to odd, so that rounding again is correct.

    The product of two f32 is exact in f64.
    """
    return _add_odd(a.astype(F64) * b.astype(F64), c.astype(F64))


def _two_sum(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute a sum and its exact error (Knuth)."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def _add_odd(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute x + y rounded to odd: of the two floats next to an inexact sum, the odd one."""
    total, error = _two_sum(x, y)
    is_inexact = (error != 0) & np.isfinite(total)
    if not is_inexact.any():
        return total
    bits = total.view(np.int64)
    towards = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(is_inexact & ((bits & 1) == 0), bits + towards, bits).view(F64)


def _fma_f64(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute a·b + c with one rounding, from exact parts (Boldo and Melquiond, 2008)."""
    high, low = _two_product(a, b)
    carry, rest = _two_sum(c, low)
    head, tail = _two_sum(high, carry)
    result = head + _add_odd(rest, tail)
    return np.where(np.isfinite(result), result, a * b + c)


def _two_product(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute a product and its exact error, from halves of 26 bits (Dekker)."""
    product = a * b
    (a1, a0), (b1, b0) = _halves(a), _halves(b)
    return product, a0 * b0 - (((product - a1 * b1) - a0 * b1) - a1 * b0)


def _halves(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scaled = x * 134217729.0
    high = scaled - (scaled - x)
    return high, x - high
