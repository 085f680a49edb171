"""Conversion of Python numbers to scalar constants.

The type of a number:

    True → int1    7 → int32    2**31 → uint32    2**40 → int64    2**63 → uint64
    1.5  → fp32    1e300 → fp64 (outside of fp32's range)
"""

from __future__ import annotations

import math

from weft.errors import TypeMismatchError
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import arith
from weft.language import dtypes
from weft.language.constexpr import unwrap
from weft.language.dtypes import dtype

_INTEGERS = (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)
_MIN_NORMAL_FP32 = 2.0**-126
_MAX_FP32 = (2 - 2**-23) * 2.0**127


def is_number(value: Value) -> bool:
    """Check whether a value is a Python number, bool included."""
    return isinstance(unwrap(value), bool | int | float)


def number_type(value: bool | int | float) -> dtype:
    """Return the type of a Python number.

    Raises:
        TypeMismatchError: An integer needs more than 64 bits.
    """
    if isinstance(value, bool):
        return dtypes.int1
    if isinstance(value, int):
        for candidate in _INTEGERS:
            if candidate.get_int_min_value() <= value <= candidate.get_int_max_value():
                return candidate
        raise TypeMismatchError(
            f"Nonrepresentable integer {value}",
            found=value,
            accepted=(f"{-(2**63)} to {2**64 - 1}",),
        )
    size = abs(value)
    is_special = size == 0 or math.isnan(size) or math.isinf(size)
    fits_fp32 = is_special or _MIN_NORMAL_FP32 <= size <= _MAX_FP32
    return dtypes.float32 if fits_fp32 else dtypes.float64


def constant(e: EmissionContext, value: bool | int | float, type_: dtype) -> TensorValue:
    """Emit a scalar constant of an element type.

    A nonzero constant of an 8-bit float is an fp32 constant that is truncated.
    """
    number = bool(value) if type_.is_bool() else value
    if type_.is_floating():
        number = _saturate_to_infinity(float(value), type_)
    if type_.is_fp8() and number:
        wide = e.builder.constant(number, ir_type(dtypes.float32))
        return TensorValue(e.builder.value(arith.TruncFOp, [wide], ir_type(type_)), type_)
    return TensorValue(e.builder.constant(number, ir_type(type_)), type_)


def _saturate_to_infinity(value: float, type_: dtype) -> float:
    """Replace a float that rounds to infinity in the type by infinity."""
    if type_.is_fp64() or not math.isfinite(value):
        return value
    rounded_type = dtypes.float32 if type_.is_fp8() else type_
    # Halfway between the largest finite number and the next power of 2.
    threshold = 2.0 - 2.0 ** -(rounded_type.fp_mantissa_width + 1)
    overflows = abs(value) >= threshold * 2.0**rounded_type.exponent_bias
    return math.copysign(math.inf, value) if overflows else value


def to_value(e: EmissionContext, value: Value) -> TensorValue:
    """Convert a Python number to a scalar constant; return a scalar or block unchanged.

    Raises:
        TypeMismatchError: The value is of another kind.
    """
    if isinstance(value, TensorValue):
        return value
    number = unwrap(value)
    if isinstance(number, bool | int | float):
        return constant(e, number, number_type(number))
    raise TypeMismatchError(
        f"cannot convert {describe(value)} to tensor",
        found=describe(value),
        accepted=("int", "float", "bool", "a scalar", "a block"),
    )
