"""The numpy dtype of each scalar type of the IR.

Integers are signless in the IR and signed here; an operation that reads them as unsigned (`divui`,
`cmpi ult`, …) uses an unsigned view. i1 is numpy's bool. A pointer is a 64-bit address in the
address space of the launch (see `memory`). bf16 and the 8-bit floats come from ml_dtypes, which
rounds to nearest even as the hardware does.
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

# Other dtypes of arrays whose bytes have the same meaning.
_ALIASES: dict[np.dtype, tuple[np.dtype, ...]] = {
    BOOL: (np.dtype(np.int8), np.dtype(np.uint8)),
    np.dtype(np.int8): (np.dtype(np.uint8), BOOL),
    np.dtype(np.int16): (np.dtype(np.uint16),),
    I32: (np.dtype(np.uint32),),
    I64: (np.dtype(np.uint64),),
}


@cache
def dtype_of(type_: Attribute) -> np.dtype:
    """Look up the dtype of a scalar type, or of the elements of a tensor.

    Raises:
        LaunchError: The interpreter does not support the type.
    """
    scalar = types.element(type_)
    if types.is_pointer(scalar):
        return I64
    if isinstance(scalar, IntegerType):  # elements of descriptors have a signedness
        scalar = IntegerType(scalar.width.data)
    dtype = _DTYPES.get(scalar)
    if dtype is None:
        raise LaunchError(
            "the interpreter does not support this type", found=scalar, accepted=map(str, _DTYPES)
        )
    return dtype


def array_dtypes(element: Attribute) -> tuple[np.dtype, ...]:
    """List the dtypes of an array that a pointer to `element` may refer to, the usual one first."""
    dtype = dtype_of(element)
    return (dtype, *_ALIASES.get(dtype, ()))


@cache
def unsigned(dtype: np.dtype) -> np.dtype:
    """Look up the unsigned integer dtype of the same width; bool for bool."""
    return dtype if dtype == BOOL else np.dtype(f"u{dtype.itemsize}")


@cache
def is_small_float(dtype: np.dtype) -> bool:
    """Check whether arithmetic is done in f32, and rounded after each operation."""
    return dtype.itemsize <= 2 and dtype.kind in "fV"


@cache
def integer_range(dtype: np.dtype) -> tuple[int, int]:
    """Look up the least and the greatest number of a signed integer dtype."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)
