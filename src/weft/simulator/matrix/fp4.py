"""Floats of four bits, e2m1, two in a byte: the first one in the lower half."""

from __future__ import annotations

import ml_dtypes
import numpy as np

__all__ = ["numbers_of"]


def numbers_of(raw: np.ndarray) -> np.ndarray:
    """Return the numbers of bytes' halves as f64, along the last axis, which gets twice as long.

    Args: raw: bytes, of type u8.
    """
    halves = np.stack([raw & 15, raw >> 4], axis=-1).reshape(*raw.shape[:-1], -1)
    return halves.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
