"""cvt to and from pairs: halves, and floats of 8 and 4 bits.

cvt.rn.satfinite.e4m3x2.f32 d, a, b    a in the upper half; the greatest number for what is beyond
cvt.rn.f16x2.e4m3x2 d, a               each to its place
cvt.rz.ue8m0x2.f32                     powers of two, exponents alone
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.ptx.families.floats import finished
from weft.ptx.kinds import dtype_of
from weft.ptx.registry import Form, Meaning
from weft.ptx.rounding import canonical, narrowed

__all__ = ["pair_row"]

_HALVES = ("f16x2", "bf16x2")
_SMALL = ("e4m3x2", "e5m2x2", "e2m1x2", "ue8m0x2")


def pair_row(form: Form, to: str, source: str) -> Meaning:
    """Return the meaning of a cvt whose result or operand is a pair."""
    mode = form.flag("rn", "rz", "rp") or "rn"
    finite, relu = bool(form.flag("satfinite")), bool(form.flag("relu"))
    if to in (*_HALVES, *_SMALL) and source == "f32":
        return Meaning(to, ("f32", "f32"), lambda a, b: _packed(a, b, to, mode, finite, relu))
    if to in _SMALL and source in _HALVES:
        return Meaning(to, (source,), lambda x: _small(x, to, mode, finite, relu))
    if to in _HALVES and source in _SMALL:
        return Meaning(
            to, (source,), lambda x: finished(_wide(x).astype(dtype_of(to)), False, relu)
        )
    raise CodegenError("no cvt of PTX that is known here", found=form.name)


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32)


def _packed(
    upper: np.ndarray, lower: np.ndarray, to: str, mode: str, finite: bool, relu: bool
) -> np.ndarray:
    return _small(np.stack(np.broadcast_arrays(lower, upper), axis=-1), to, mode, finite, relu)


def _small(x: np.ndarray, to: str, mode: str, finite: bool, relu: bool) -> np.ndarray:
    """Return numbers in a smaller type; `finite`: its greatest one in place of what is beyond."""
    dtype, wide = dtype_of(to), _wide(x)
    if to == "ue8m0x2":
        return _exponents(wide, mode)
    if finite:
        greatest = float(ml_dtypes.finfo(dtype).max)
        wide = np.where(np.isnan(wide), wide, np.clip(wide, -greatest, greatest))
    if to == "e2m1x2":  # it has no NaN: that is its greatest number
        wide = np.where(np.isnan(wide), float(ml_dtypes.finfo(dtype).max), wide)
    wide = finished(wide, False, relu)
    if mode == "rn" or dtype.itemsize == 1:
        return wide.astype(dtype) if to == "e2m1x2" else canonical(wide.astype(dtype))
    return narrowed(wide.astype(np.float64), dtype, mode)


def _exponents(wide: np.ndarray, mode: str) -> np.ndarray:
    """Return the powers of two not above (rz) or not below (rp) sizes; 255 is NaN."""
    size = np.abs(wide)
    fraction, exponent = np.frexp(size)
    power = np.where((mode == "rp") & (fraction != 0.5), exponent, exponent - 1)
    codes = np.clip(np.where(size == 0, -127, power) + 127, 0, 254)
    codes = np.where(np.isinf(size), 254, codes)
    return np.where(np.isnan(wide), 255, codes).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
