"""Conversions between f32 and smaller floats, correctly rounded, at the speed of numpy.

numpy converts f16 one element at a time (2 to 3 ns each), ml_dtypes the 8-bit floats (6 ns).
`widen` and `narrow` convert whole arrays by integer operations that numpy vectorizes.

f16 to f32: shift the 15 low bits into the exponent and mantissa of the f32, and multiply by 2¹¹² to
correct the bias. The multiplication also handles subnormals; Inf and NaN are left to numpy.

f32 to f16: adding and subtracting c = 2^(exponent + 13) rounds to 11 bits, to nearest even, because
the last bit of c has that weight; c is at least 2⁻¹, so that subnormals round at 2⁻²⁴. After a
multiplication by 2⁻¹¹² the bits of the f32, shifted right by 13, are those of the f16.
"""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np

from weft.interpreter.dtypes import BF16, F16, F32, F64

_SMALL = 512  # numpy's conversion is faster for fewer elements
_F16_INFINITY, _F16_NEGATIVE_INFINITY = 0x7C00, 0xFC00
_F16_SIGN_AND_MAGNITUDE = np.int32(0x8FFFE000 - (1 << 32))
_F32_MAGNITUDE, _F32_EXPONENT = np.int32(0x7FFFFFFF), np.int32(0x7F800000)
_BITS_2_POW_16, _BITS_2_POW_MINUS_14 = 0x47800000, np.int32(0x38800000)
_WITH_INFINITY = np.dtype(ml_dtypes.float8_e5m2)  # the other 8-bit types saturate
_THIRTEEN_UP = np.int32(13 << 23)


def widen(x: np.ndarray) -> np.ndarray:
    """Convert a float array to f32, which is exact; f32 and f64 stay."""
    dtype = x.dtype
    if dtype == F32 or dtype == F64:
        return x
    if dtype == F16:
        return _widen_f16(x)
    if dtype.itemsize == 1:
        return _table(dtype).take(x.view(np.uint8))
    return x.astype(F32)


@cache
def _table(dtype: np.dtype) -> np.ndarray:
    codes = 16 if dtype == np.dtype(ml_dtypes.float4_e2m1fn) else 256
    return np.arange(codes, dtype=np.uint8).view(dtype).astype(F32)


def _widen_f16(x: np.ndarray) -> np.ndarray:
    if x.size < _SMALL:
        return x.astype(F32)
    bits = x.view(np.int16)
    if bits.max() >= _F16_INFINITY or x.view(np.uint16).max() >= _F16_NEGATIVE_INFINITY:
        return x.astype(F32)
    wide = bits.astype(np.int32)
    wide <<= 13
    wide &= _F16_SIGN_AND_MAGNITUDE
    result = wide.view(F32)
    result *= np.float32(2.0**112)
    return result


def narrow(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert a float array, rounding to nearest even.

    The 8-bit types saturate: a number beyond the greatest one, or infinity, becomes that one.
    """
    if x.dtype == dtype:
        return x
    if dtype.itemsize >= 4:
        return x.astype(dtype)
    if x.dtype == F64:
        if dtype == F16:
            return x.astype(F16)
        x = _to_odd(x)
    if dtype == F16:
        return _narrow_f16(x)
    return x.astype(BF16) if dtype == BF16 else _saturate(x, dtype).astype(dtype)


def _narrow_f16(x: np.ndarray) -> np.ndarray:
    if x.size < _SMALL:
        return x.astype(F16)
    magnitude = x.view(np.int32) & _F32_MAGNITUDE
    if magnitude.max() >= _BITS_2_POW_16:
        return x.astype(F16)
    step = magnitude & _F32_EXPONENT
    np.maximum(step, _BITS_2_POW_MINUS_14, out=step)
    step += _THIRTEEN_UP
    rounded = magnitude.view(F32)
    rounded += step.view(F32)
    rounded -= step.view(F32)
    rounded *= np.float32(2.0**-112)
    bits = rounded.view(np.int32)
    bits >>= 13
    sign = np.right_shift(x.view(np.int32), 16, out=step)
    sign &= np.int32(0x8000)
    bits |= sign
    return bits.astype(np.uint16).view(F16)


def _to_odd(x: np.ndarray) -> np.ndarray:
    """Round f64 to f32 such that a second rounding, to half of its bits or fewer, is correct.

    Round to odd: toward zero, then set the last bit if the result is inexact.
    """
    near = x.astype(F32)
    bits = near.view(np.int32).copy()
    back = near.astype(F64)
    bits -= (np.abs(back) > np.abs(x)).astype(np.int32)
    bits |= ((back != x) & ~np.isnan(x)).astype(np.int32)
    return bits.view(F32)


def _saturate(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    greatest = np.float32(ml_dtypes.finfo(dtype).max)
    return np.clip(x, -greatest, greatest)


def towards_zero(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Convert a float array to a smaller type, rounding toward zero; infinity stays if possible."""
    near = narrow(x, dtype)
    if dtype == _WITH_INFINITY:
        near = np.where(np.isinf(x), x.astype(dtype), near)
    back = near.astype(F64)
    over = np.abs(back) > np.abs(x.astype(F64))
    bits = near.view(np.dtype(f"u{dtype.itemsize}")).copy()
    bits -= over.astype(bits.dtype)
    if dtype.name.endswith("fnuz"):
        bits[bits == 0x80] = 0  # the bits of -0 are NaN in these types
        return np.where(np.isnan(x), near, bits.view(dtype))
    return bits.view(dtype)


def tf32(x: np.ndarray) -> np.ndarray:
    """Round f32 to tf32's 10 bits of mantissa, to nearest even; Inf and NaN stay."""
    bits = x.view(np.int32)
    odd = (bits >> 13) & np.int32(1)
    rounded = (bits + np.int32(0xFFF) + odd) & np.int32(~0x1FFF)
    finite = (bits & _F32_EXPONENT) != _F32_EXPONENT
    return np.where(finite, rounded, bits).view(F32)
