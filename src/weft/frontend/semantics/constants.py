"""Python numbers as values of a kernel.

The type of a number:

    True → int1    7 → int32    2**31 → uint32    2**40 → int64    2**63 → uint64
    1.5  → fp32    1e300 → fp64 (what fp32 cannot hold)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import arith
from weft.language import dtypes
from weft.language.constexpr import unwrap
from weft.language.dtypes import dtype

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

_INTEGERS = (dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64)
_SMALLEST_FLOAT32 = 2.0**-126
_LARGEST_FLOAT32 = (2 - 2**-23) * 2.0**127


def is_number(value: object) -> bool:
    """Tell whether a value is a Python number (bool included), not one of the kernel."""
    return isinstance(unwrap(value), bool | int | float)


def number_type(value: bool | int | float) -> dtype:
    """Return the type that a Python number has by itself.

    Raises: TypeMismatchError for an integer of more than 64 bits.
    """
    if isinstance(value, bool):
        return dtypes.int1
    if isinstance(value, int):
        for candidate in _INTEGERS:
            if candidate.get_int_min_value() <= value <= candidate.get_int_max_value():
                return candidate
        raise TypeMismatchError(
            "an integer constant must fit in 64 bits",
            found=value,
            accepted=(f"{-(2**63)} to {2**64 - 1}",),
        )
    size = abs(value)
    fits = size == 0 or math.isnan(size) or math.isinf(size)
    return (
        dtypes.float32 if fits or _SMALLEST_FLOAT32 <= size <= _LARGEST_FLOAT32 else dtypes.float64
    )


def constant(e: Emitter, value: bool | int | float, type_: dtype) -> TensorValue:
    """Emit the scalar constant `value` of an element type.

    One of an 8-bit float is made by rounding one of fp32, save for zero.
    """
    number = bool(value) if type_.is_bool() else value
    if type_.is_floating():
        number = _held(float(value), type_)
    if type_.is_fp8() and number:
        wide = e.builder.constant(number, ir_type(dtypes.float32))
        return TensorValue(e.builder.value(arith.TruncFOp, [wide], ir_type(type_)), type_)
    return TensorValue(e.builder.constant(number, ir_type(type_)), type_)


def _held(value: float, type_: dtype) -> float:
    """Return a float, or infinity where rounding to the type ends there."""
    if type_.is_fp64() or not math.isfinite(value):
        return value
    rounds_as = dtypes.float32 if type_.is_fp8() else type_
    largest = 2.0 - 2.0 ** -(rounds_as.fp_mantissa_width + 1)
    overflows = abs(value) >= largest * 2.0**rounds_as.exponent_bias
    return math.copysign(math.inf, value) if overflows else value


def to_value(e: Emitter, value: Any) -> TensorValue:
    """Return a value of the kernel: one as it is, a Python number as a scalar constant.

    Raises: TypeMismatchError for anything else.
    """
    if isinstance(value, TensorValue):
        return value
    number = unwrap(value)
    if isinstance(number, bool | int | float):
        return constant(e, number, number_type(number))
    raise TypeMismatchError(
        "a number, a scalar or a block expected",
        found=describe(value),
        accepted=("int", "float", "bool", "a value of the kernel"),
    )
