"""Types of PTX: how many bits they take, and bits as numbers.

    "f16x2"   32 bits    [0x3C004000]  ⇄  [[2.0, 1.0]]       two halves, the lower one first
    "e2m1x2"   8 bits    [0x21]        ⇄  [[0.5, 1.0]]       two floats of four bits
    "s32"     32 bits    [0xFFFFFFFF]  ⇄  [-1]

A register is an array of unsigned numbers, its bits; a predicate is an array of truth values.
"""

from __future__ import annotations

import re
from functools import cache

import ml_dtypes
import numpy as np

__all__ = ["WHOLE", "bits_of", "dtype_of", "is_type", "limits_of", "numbers", "raw"]

_FLOATS: dict[str, np.dtype] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "ue8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
}
_NIBBLES = frozenset({"e2m1"})
_TYPE = re.compile(r"pred|[busf](?:8|16|32|64)|tf32|bf16|(?:f16|bf16|f32|e4m3|e5m2|e2m1|ue8m0)x2")
WHOLE = {8: np.dtype(np.uint8), 16: np.dtype(np.uint16), 32: np.dtype("u4"), 64: np.dtype("u8")}


def is_type(text: str) -> bool:
    """Tell whether a part of an instruction's name is a type."""
    return _TYPE.fullmatch(text) is not None


@cache
def bits_of(kind: str) -> int:
    """Return how many bits a value of a type has; 1 for a predicate."""
    if kind == "pred":
        return 1
    if kind.endswith("x2"):
        element = kind.removesuffix("x2")
        return 8 if element in _NIBBLES else 16 * _FLOATS[element].itemsize
    return 8 * dtype_of(kind).itemsize


@cache
def dtype_of(kind: str) -> np.dtype:
    """Return the numpy type of a type's numbers, or of each of its two."""
    element = kind.removesuffix("x2")
    if element in _FLOATS:
        return _FLOATS[element]
    return np.dtype(f"{'i' if kind[0] == 's' else 'u'}{int(kind[1:]) // 8}")


def limits_of(kind: str) -> tuple[int, int]:
    """Return the least and the greatest number of an integer type."""
    limits = np.iinfo(dtype_of(kind))
    return int(limits.min), int(limits.max)


def numbers(bits: np.ndarray, kind: str) -> np.ndarray:
    """Return bits as numbers of a type; those of a pair along a last axis of 2."""
    if kind == "pred":
        return bits
    dtype = dtype_of(kind)
    if not kind.endswith("x2"):
        return np.ascontiguousarray(bits).view(dtype)
    if kind.removesuffix("x2") in _NIBBLES:
        return np.stack([bits & 15, bits >> 4], axis=-1).view(dtype)
    return np.ascontiguousarray(bits)[..., None].view(dtype)


def raw(values: np.ndarray, kind: str) -> np.ndarray:
    """Return numbers of a type as bits, rounded to the type where they are wider."""
    if kind == "pred":
        return np.asarray(values, np.bool_)
    dtype, whole = dtype_of(kind), WHOLE[bits_of(kind)]
    held = np.ascontiguousarray(np.asarray(values).astype(dtype, copy=False))
    if not kind.endswith("x2"):
        return held.view(whole)
    if kind.removesuffix("x2") in _NIBBLES:
        halves = held.view(np.uint8) & 15
        return halves[..., 0] | halves[..., 1] << 4
    return held.view(whole)[..., 0]
