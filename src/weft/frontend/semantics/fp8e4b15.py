"""fp8e4b15, an 8-bit float of NVIDIA's older chips that the IR has no type for: it is an i8.

    s eeee mmm        bias 15, as fp16 has; numbers up to 1.75, no infinity and no NaN

So it is an fp16 whose exponent's first bit is always zero, without the 7 lowest bits. Widening
moves bits; narrowing bounds the magnitude, and rounds to nearest, ties away from zero. Triton does
the same by inline assembly; here it is arithmetic on integers, which every chip has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.frontend.semantics.constants import constant
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.shaping import splat
from weft.frontend.semantics.values import TensorValue
from weft.ir import arith, tt
from weft.ir.operation import Op
from weft.language import dtypes
from weft.language.dtypes import dtype

if TYPE_CHECKING:
    from weft.frontend.semantics.emitter import Emitter

__all__ = ["narrow", "widen"]

_GREATEST = 0x3F00  # 1.75 as an fp16
_HALF_OF_LAST = 0x80


def widen(e: Emitter, value: TensorValue) -> TensorValue:
    """Return an fp8e4b15 as the fp16 of the same value."""
    wide = _as(e, arith.ExtUIOp, value, dtypes.int16)
    sign = _shifted(e, arith.ShLIOp, _masked(e, wide, 0x80), 8)
    size = _shifted(e, arith.ShLIOp, _masked(e, wide, 0x7F), 7)
    return _as(e, tt.BitcastOp, _emitted(e, arith.OrIOp, sign, size), dtypes.float16)


def narrow(e: Emitter, value: TensorValue) -> TensorValue:
    """Return the fp8e4b15 that is nearest to an fp16; NaN becomes the greatest."""
    bits = _as(e, tt.BitcastOp, value, dtypes.int16)
    size = _masked(e, bits, 0x7FFF)
    size = _emitted(e, arith.MinUIOp, size, _number(e, size, _GREATEST))
    size = _shifted(e, arith.ShLIOp, size, 1)
    size = _emitted(e, arith.AddIOp, size, _number(e, size, _HALF_OF_LAST))
    size = _shifted(e, arith.ShRUIOp, size, 8)
    sign = _masked(e, _shifted(e, arith.ShRUIOp, bits, 8), 0x80)
    code = _emitted(e, arith.OrIOp, size, sign)
    return _as(e, arith.TruncIOp, code, dtypes.float8e4b15)


def _emitted(e: Emitter, op: type[Op], a: TensorValue, b: TensorValue) -> TensorValue:
    return TensorValue(e.builder.value(op, [a.handle, b.handle], a.handle.type), a.type)


def _as(e: Emitter, op: type[Op], value: TensorValue, to: dtype) -> TensorValue:
    type_ = value.type.with_element_ty(to)
    return TensorValue(e.builder.value(op, [value.handle], ir_type(type_)), type_)


def _masked(e: Emitter, value: TensorValue, mask: int) -> TensorValue:
    return _emitted(e, arith.AndIOp, value, _number(e, value, mask))


def _shifted(e: Emitter, op: type[Op], value: TensorValue, distance: int) -> TensorValue:
    return _emitted(e, op, value, _number(e, value, distance))


def _number(e: Emitter, like: TensorValue, number: int) -> TensorValue:
    return splat(e, constant(e, number, like.dtype), like.shape)
