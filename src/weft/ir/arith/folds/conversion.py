"""Folds of conversions: convert constants, drop round trips.

trunci(extsi(x : i32) : i64) : i16    →  trunci(x)
trunci(extsi(x : i16) : i64) : i16    →  x
extui(extui(x))                       →  extui(x)
truncf(extf(x : f16) : f32) : f16     →  x
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from weft.ir import arith, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.constants import (
    constant_attribute,
    float_attribute,
    float_value,
    integer_attribute,
    integer_value,
    integer_width,
    round_to_type,
    unsigned,
)
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op

__all__ = ["FOLDS"]


def _convert_integer(op: Operation, convert: Callable[[int, int], int]) -> Folded:
    """Convert an integer constant to the result's integer type."""
    operand = operand_at(op, 0)
    value = integer_value(constant_attribute(operand))
    if value is None:
        return None
    return integer_attribute(convert(value, integer_width(operand.type)), op.results[0].type)


def _replace_operand(op: Operation, value: SSAValue) -> Folded:
    op.operands[0] = value
    return IN_PLACE


def _extui(op: Operation) -> Folded:
    inner = defining_op(operand_at(op, 0), arith.ExtUIOp)
    if inner is not None:
        return _replace_operand(op, inner.operands[0])
    return _convert_integer(op, unsigned)


def _extsi(op: Operation) -> Folded:
    inner = defining_op(operand_at(op, 0), arith.ExtSIOp)
    if inner is not None:
        return _replace_operand(op, inner.operands[0])
    return _convert_integer(op, lambda value, width: value)


def _trunci(op: Operation) -> Folded:
    operand = operand_at(op, 0)
    result = op.results[0].type
    widening = defining_op(operand, arith.ExtUIOp) or defining_op(operand, arith.ExtSIOp)
    if widening is not None:
        source = widening.operands[0]
        if integer_width(source.type) > integer_width(result):
            return _replace_operand(op, source)
        if source.type == result:
            return source
    inner = defining_op(operand, arith.TruncIOp)
    if inner is not None:
        return _replace_operand(op, inner.operands[0])
    return _convert_integer(op, lambda value, width: value)


def _extf(op: Operation) -> Folded:
    value = float_value(constant_attribute(operand_at(op, 0)))
    return None if value is None else float_attribute(value, op.results[0].type)


def _truncf(op: Operation) -> Folded:
    operand = operand_at(op, 0)
    result = op.results[0].type
    inner = defining_op(operand, arith.ExtFOp)
    if inner is not None and inner.operands[0].type == result:
        return inner.operands[0]
    value = float_value(constant_attribute(operand))
    if value is None:
        return None
    narrow = round_to_type(value, types.element(result))
    if narrow is None or (narrow != value and not math.isnan(value)):
        return None
    return float_attribute(value, result)


def _to_float(is_signed: bool) -> Fold:
    def fold(op: Operation) -> Folded:
        operand = operand_at(op, 0)
        value = integer_value(constant_attribute(operand))
        if value is None:
            return None
        number = value if is_signed else unsigned(value, integer_width(operand.type))
        return float_attribute(float(number), op.results[0].type)

    return fold


def _to_integer(is_signed: bool) -> Fold:
    def fold(op: Operation) -> Folded:
        value = float_value(constant_attribute(operand_at(op, 0)))
        if value is None or math.isnan(value) or math.isinf(value):
            return None
        number, width = math.trunc(value), integer_width(op.results[0].type)
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if is_signed else (0, 1 << width)
        return integer_attribute(number, op.results[0].type) if low <= number < high else None

    return fold


_INTEGER_CODES = {8: "<b", 16: "<h", 32: "<i", 64: "<q"}
_FLOAT_CODES: dict[Attribute, str] = {types.f16: "<e", types.f32: "<f", types.f64: "<d"}


def _bits(value: Attribute) -> int | None:
    """Read the bits of a constant as a signed integer, None for types that struct cannot pack."""
    scalar = value.value if isinstance(value, SplatAttr) else value
    if (number := integer_value(scalar)) is not None:
        return number
    number, kind = float_value(scalar), getattr(scalar, "type", None)
    code = _FLOAT_CODES.get(kind) if kind is not None else None
    if number is None or code is None:
        return None
    data = struct.pack(code, number)
    return struct.unpack(_INTEGER_CODES[len(data) * 8], data)[0]


def _bitcast(op: Operation) -> Folded:
    operand, result = operand_at(op, 0), op.results[0].type
    value = constant_attribute(operand)
    bits = None if value is None else _bits(value)
    if bits is None:
        return operand if operand.type == result else None
    scalar = types.element(result)
    if types.is_integer(scalar):
        return integer_attribute(bits, result)
    code = _FLOAT_CODES.get(scalar)
    if code is None:
        return None
    data = struct.pack(_INTEGER_CODES[types.bit_width(scalar)], bits)
    return float_attribute(struct.unpack(code, data)[0], result)


def _index_cast(op: Operation) -> Folded:
    inner = defining_op(operand_at(op, 0), arith.IndexCastOp)
    if inner is not None and inner.operands[0].type == op.results[0].type:
        return inner.operands[0]
    return _convert_integer(op, lambda value, width: value)


FOLDS: dict[type[Operation], Fold] = {
    arith.ExtUIOp: _extui,
    arith.ExtSIOp: _extsi,
    arith.TruncIOp: _trunci,
    arith.ExtFOp: _extf,
    arith.TruncFOp: _truncf,
    arith.SIToFPOp: _to_float(True),
    arith.UIToFPOp: _to_float(False),
    arith.FPToSIOp: _to_integer(True),
    arith.FPToUIOp: _to_integer(False),
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _index_cast,
}
