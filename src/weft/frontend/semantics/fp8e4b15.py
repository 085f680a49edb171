"""Conversions of fp8e4b15, an 8-bit float of older NVIDIA GPUs that the IR represents as i8.

    s eeee mmm        bias 15, as fp16; the largest number is 1.75; no infinity, no NaN

It is an fp16 number whose first exponent bit is zero, without the 7 lowest bits of the mantissa. So
a conversion to fp16 shifts bits. A conversion from fp16 clamps the magnitude and rounds to nearest,
ties away from zero. Triton emits inline assembly for this; integer operations run on every target.
"""

from __future__ import annotations

from weft.frontend.semantics.broadcasting import splat_like
from weft.frontend.semantics.constants import constant
from weft.frontend.semantics.emission_context import EmissionContext
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, tt
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.dtypes import dtype

__all__ = ["from_fp16", "to_fp16"]

_MAX_BITS = 0x3F00  # 1.75 as fp16
_HALF_ULP = 0x80  # of the 8 bits that are dropped


def to_fp16(e: EmissionContext, value: TensorValue) -> TensorValue:
    """Convert fp8e4b15 to fp16; exact."""
    bits = _convert(e, arith.ExtUIOp, value, dtypes.int16)
    sign = _shift(e, arith.ShLIOp, _mask(e, bits, 0x80), 8)
    magnitude = _shift(e, arith.ShLIOp, _mask(e, bits, 0x7F), 7)
    return _convert(e, tt.BitcastOp, _binary(e, arith.OrIOp, sign, magnitude), dtypes.float16)


def from_fp16(e: EmissionContext, value: TensorValue) -> TensorValue:
    """Convert fp16 to the nearest fp8e4b15; NaN becomes the largest number."""
    bits = _convert(e, tt.BitcastOp, value, dtypes.int16)
    magnitude = _mask(e, bits, 0x7FFF)
    magnitude = _binary(e, arith.MinUIOp, magnitude, _number(e, magnitude, _MAX_BITS))
    # The first exponent bit is zero: shift it out, then drop the low byte with rounding.
    magnitude = _shift(e, arith.ShLIOp, magnitude, 1)
    magnitude = _binary(e, arith.AddIOp, magnitude, _number(e, magnitude, _HALF_ULP))
    magnitude = _shift(e, arith.ShRUIOp, magnitude, 8)
    sign = _mask(e, _shift(e, arith.ShRUIOp, bits, 8), 0x80)
    code = _binary(e, arith.OrIOp, magnitude, sign)
    return _convert(e, arith.TruncIOp, code, dtypes.float8e4b15)


def _binary(e: EmissionContext, op: type[Op], a: TensorValue, b: TensorValue) -> TensorValue:
    return TensorValue(e.builder.value(op, [a.handle, b.handle], a.handle.type), a.type)


def _convert(e: EmissionContext, op: type[Op], value: TensorValue, to: dtype) -> TensorValue:
    type_ = value.type.with_element_ty(to)
    return TensorValue(e.builder.value(op, [value.handle], ir_type(type_)), type_)


def _mask(e: EmissionContext, value: TensorValue, mask: int) -> TensorValue:
    return _binary(e, arith.AndIOp, value, _number(e, value, mask))


def _shift(e: EmissionContext, op: type[Op], value: TensorValue, distance: int) -> TensorValue:
    return _binary(e, op, value, _number(e, value, distance))


def _number(e: EmissionContext, like: TensorValue, number: int) -> TensorValue:
    return splat_like(e, constant(e, number, like.dtype), like)
