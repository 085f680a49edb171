"""fp4 (e2m1): two elements in a byte, the first in the low bits."""

from __future__ import annotations

import ml_dtypes
import numpy as np

__all__ = ["unpack_fp4"]


def unpack_fp4(raw: np.ndarray) -> np.ndarray:
    """Convert packed fp4 to f64; the last axis becomes twice as long.

    Args:
        raw: Bytes, of type u8.
    """
    codes = np.stack([raw & 15, raw >> 4], axis=-1).reshape(*raw.shape[:-1], -1)
    return codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
