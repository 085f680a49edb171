"""Types of PTX: their widths, and conversion between bits and numbers.

    "f16x2"   32 bits    [0x3C004000]  ⇄  [[2.0, 1.0]]       two halves, the low one first
    "e2m1x2"   8 bits    [0x21]        ⇄  [[0.5, 1.0]]       two fp4 numbers
    "s32"     32 bits    [0xFFFFFFFF]  ⇄  [-1]

A register is an array of unsigned integers, its bits; a predicate is an array of booleans.
"""

from __future__ import annotations

import re
from functools import cache

import ml_dtypes
import numpy as np

__all__ = ["UNSIGNED", "bits_of", "dtype_of", "is_type", "limits_of", "to_bits", "to_numbers"]

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
_FP4 = frozenset({"e2m1"})
_TYPE = re.compile(r"pred|[busf](?:8|16|32|64)|tf32|bf16|(?:f16|bf16|f32|e4m3|e5m2|e2m1|ue8m0)x2")
UNSIGNED = {8: np.dtype(np.uint8), 16: np.dtype(np.uint16), 32: np.dtype("u4"), 64: np.dtype("u8")}
"""Bits of a register → the numpy type that holds them."""


def is_type(text: str) -> bool:
    """Check whether a part of an instruction's name is a type."""
    return _TYPE.fullmatch(text) is not None


@cache
def bits_of(type_: str) -> int:
    """Compute the number of bits of a value; 1 for a predicate."""
    if type_ == "pred":
        return 1
    if type_.endswith("x2"):
        element = type_.removesuffix("x2")
        return 8 if element in _FP4 else 16 * _FLOATS[element].itemsize
    return 8 * dtype_of(type_).itemsize


@cache
def dtype_of(type_: str) -> np.dtype:
    """Find the numpy type of the numbers; of a packed type, of each of the two."""
    element = type_.removesuffix("x2")
    if element in _FLOATS:
        return _FLOATS[element]
    return np.dtype(f"{'i' if type_[0] == 's' else 'u'}{int(type_[1:]) // 8}")


def limits_of(type_: str) -> tuple[int, int]:
    """Find the smallest and the largest number of an integer type."""
    limits = np.iinfo(dtype_of(type_))
    return int(limits.min), int(limits.max)


def to_numbers(bits: np.ndarray, type_: str) -> np.ndarray:
    """Convert bits to numbers of a type; a packed type adds a last axis of 2."""
    if type_ == "pred":
        return bits
    dtype = dtype_of(type_)
    if not type_.endswith("x2"):
        return np.ascontiguousarray(bits).view(dtype)
    if type_.removesuffix("x2") in _FP4:
        return np.stack([bits & 15, bits >> 4], axis=-1).view(dtype)
    return np.ascontiguousarray(bits)[..., None].view(dtype)


def to_bits(numbers: np.ndarray, type_: str) -> np.ndarray:
    """Convert numbers to bits of a type, rounding wider numbers to it."""
    if type_ == "pred":
        return np.asarray(numbers, np.bool_)
    dtype, unsigned = dtype_of(type_), UNSIGNED[bits_of(type_)]
    values = np.ascontiguousarray(np.asarray(numbers).astype(dtype, copy=False))
    if not type_.endswith("x2"):
        return values.view(unsigned)
    if type_.removesuffix("x2") in _FP4:
        nibbles = values.view(np.uint8) & 15
        return nibbles[..., 0] | nibbles[..., 1] << 4
    return values.view(unsigned)[..., 0]
