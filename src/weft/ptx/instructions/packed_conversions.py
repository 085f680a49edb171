"""cvt to and from packed types: f16x2, fp8, fp4 and ue8m0.

cvt.rn.satfinite.e4m3x2.f32 d, a, b    a goes to the upper half; numbers out of range saturate
cvt.rn.f16x2.e4m3x2 d, a               both halves
cvt.rz.ue8m0x2.f32                     powers of two, stored as exponents
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.ptx.instructions.float_arithmetic import clamp
from weft.ptx.registry import InstructionName, Semantics
from weft.ptx.rounding import canonicalize_nan, round_to
from weft.ptx.types import dtype_of

__all__ = ["packed_conversion"]

_F16 = ("f16x2", "bf16x2")
_SMALL = ("e4m3x2", "e5m2x2", "e2m1x2", "ue8m0x2")


def packed_conversion(name: InstructionName, to: str, source: str) -> Semantics:
    """Build the semantics of a cvt whose result or operand is packed.

    Raises:
        CodegenError: There is no such conversion.
    """
    mode = name.modifier("rn", "rz", "rp") or "rn"
    saturates, relu = name.has("satfinite"), name.has("relu")

    def narrow(x: np.ndarray) -> np.ndarray:
        return _narrow(x, to, mode, saturates=saturates, relu=relu)

    if to in (*_F16, *_SMALL) and source == "f32":
        return Semantics(
            to,
            ("f32", "f32"),
            lambda upper, lower: narrow(np.stack(np.broadcast_arrays(lower, upper), axis=-1)),
        )
    if to in _SMALL and source in _F16:
        return Semantics(to, (source,), narrow)
    if to in _F16 and source in _SMALL:
        return Semantics(
            to,
            (source,),
            lambda x: clamp(x.astype(np.float32).astype(dtype_of(to)), relu=relu),
        )
    raise name.unsupported()


def _narrow(x: np.ndarray, to: str, mode: str, *, saturates: bool, relu: bool) -> np.ndarray:
    """Round numbers to the element type of a packed type."""
    dtype, wide = dtype_of(to), x.astype(np.float32)
    if to == "ue8m0x2":
        return _to_ue8m0(wide, mode)
    largest = float(ml_dtypes.finfo(dtype).max)
    if saturates:
        wide = np.where(np.isnan(wide), wide, np.clip(wide, -largest, largest))
    if to == "e2m1x2":  # it has no NaN and uses its largest number instead
        wide = np.where(np.isnan(wide), largest, wide)
    wide = clamp(wide, relu=relu)
    if mode == "rn" or dtype.itemsize == 1:
        return wide.astype(dtype) if to == "e2m1x2" else canonicalize_nan(wide.astype(dtype))
    return round_to(wide.astype(np.float64), dtype, mode)


def _to_ue8m0(wide: np.ndarray, mode: str) -> np.ndarray:
    """Round magnitudes to powers of two, down (rz) or up (rp); the code 255 is NaN."""
    magnitude = np.abs(wide)
    fraction, exponent = np.frexp(magnitude)  # the fraction of a power of two is 0.5
    power = np.where((mode == "rp") & (fraction != 0.5), exponent, exponent - 1)
    codes = np.clip(np.where(magnitude == 0, -127, power) + 127, 0, 254)
    codes = np.where(np.isinf(magnitude), 254, codes)
    return np.where(np.isnan(wide), 255, codes).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
