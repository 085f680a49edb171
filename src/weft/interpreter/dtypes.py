"""Which numpy dtype holds which scalar type of the IR.

Integers are signless in the IR and signed here; an operation that reads them as unsigned
(`divui`, `cmpi ult`, …) takes an unsigned view. i1 is numpy's bool. A pointer is a 64-bit
address in the launch's own address space (see `memory`). bf16 and the 8-bit floats come from
ml_dtypes, which rounds to nearest even as the hardware does.
"""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from weft.errors import LaunchError
from weft.ir import types

BOOL = np.dtype(np.bool_)
F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
BF16 = np.dtype(ml_dtypes.bfloat16)
I32, I64 = np.dtype(np.int32), np.dtype(np.int64)

_DTYPES: dict[Attribute, np.dtype] = {
    types.i1: BOOL,
    types.i4: np.dtype(np.int8),
    types.i8: np.dtype(np.int8),
    types.i16: np.dtype(np.int16),
    types.i32: I32,
    types.i64: I64,
    types.index: I64,
    types.f16: F16,
    types.bf16: BF16,
    types.f32: F32,
    types.f64: F64,
    types.f8E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    types.f8E5M2: np.dtype(ml_dtypes.float8_e5m2),
    types.f8E4M3FNUZ: np.dtype(ml_dtypes.float8_e4m3fnuz),
    types.f8E5M2FNUZ: np.dtype(ml_dtypes.float8_e5m2fnuz),
    types.f8E4M3B11FNUZ: np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    types.f4E2M1FN: np.dtype(ml_dtypes.float4_e2m1fn),
}

# Arrays whose bytes mean the same as the pointer's element type.
_ALIASES: dict[np.dtype, tuple[np.dtype, ...]] = {
    BOOL: (np.dtype(np.int8), np.dtype(np.uint8)),
    np.dtype(np.int8): (np.dtype(np.uint8), BOOL),
    np.dtype(np.int16): (np.dtype(np.uint16),),
    I32: (np.dtype(np.uint32),),
    I64: (np.dtype(np.uint64),),
}


@cache
def dtype_of(type_: Attribute) -> np.dtype:
    """Return the numpy dtype of a type's elements (a tensor's, or the scalar itself).

    Raises: LaunchError: the interpreter has no numbers of that type.
    """
    scalar = types.element(type_)
    if types.is_pointer(scalar):
        return I64
    if isinstance(scalar, IntegerType):  # descriptors say whether their elements have a sign
        scalar = IntegerType(scalar.width.data)
    found = _DTYPES.get(scalar)
    if found is None:
        raise LaunchError("no number has this type", found=scalar, accepted=map(str, _DTYPES))
    return found


def array_dtypes(element: Attribute) -> tuple[np.dtype, ...]:
    """Return the dtypes that an array behind a pointer to `element` may have, usual one first."""
    dtype = dtype_of(element)
    return (dtype, *_ALIASES.get(dtype, ()))


@cache
def unsigned(dtype: np.dtype) -> np.dtype:
    """Return the unsigned integer dtype of the same width (bool stays)."""
    return dtype if dtype == BOOL else np.dtype(f"u{dtype.itemsize}")


@cache
def is_small_float(dtype: np.dtype) -> bool:
    """Tell whether arithmetic on a dtype is done in f32 and rounded back after each operation."""
    return dtype.itemsize <= 2 and dtype.kind in "fV"


@cache
def integer_range(dtype: np.dtype) -> tuple[int, int]:
    """Return the least and greatest number of a signed integer dtype."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)
