"""Compare an integer that was converted to a float with a constant, without the conversion.

    cmpf ogt, (sitofp %i), 5.5   →   cmpi sgt, %i, 5
    cmpf olt, (uitofp %i), -1.0  →   false

It holds where the conversion loses nothing that the constant could tell apart: every integer
fits the mantissa, or the constant lies where the float's steps are at most one.
"""

from __future__ import annotations

import math

from weft.ir import arith, attributes, types
from weft.ir.builtin import FloatAttr, Operation
from weft.ir.constants import constant_attribute, integer_width, round_to_type
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["compare_with_constant"]

_MANTISSA_BITS = {types.f16: 11, types.bf16: 8, types.f32: 24, types.f64: 53}
_LARGEST_EXPONENT = {types.f16: 15, types.bf16: 127, types.f32: 127, types.f64: 1023}


def compare_with_constant(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a float comparison of a converted scalar integer by an integer one."""
    lhs, rhs = op.operands
    converted = defining_op(lhs, arith.SIToFPOp) or defining_op(lhs, arith.UIToFPOp)
    constant = constant_attribute(rhs)
    if converted is None or not isinstance(constant, FloatAttr):
        return False
    name = CmpFPredicate.of(op.properties["predicate"]).keyword
    value = constant.value.data
    if name in ("ord", "uno"):
        return _answer(op, name == "ord", rewriter)
    if name in ("true", "false") or math.isnan(value):
        return False
    is_signed = isinstance(converted, arith.SIToFPOp)
    source = converted.operands[0]
    if not _keeps_order(integer_width(source.type), is_signed, value, rhs.type):
        return False
    found = _as_integers(name[1:], value, integer_width(source.type), is_signed, rhs.type)
    if isinstance(found, bool):
        return _answer(op, found, rewriter)
    keyword, number = found
    bound = rewriter.constant(attributes.integer(number, source.type), source.type, op)
    predicate = CmpIPredicate.from_keyword(keyword)
    properties = {"predicate": predicate.attr()}
    made = rewriter.create(arith.CmpIOp, (source, bound), (types.i1,), properties, before=op)
    rewriter.replace(op, made.results)
    return True


def _answer(op: Operation, value: bool, rewriter: Rewriter) -> bool:
    constant = rewriter.constant(attributes.boolean(value), types.i1, op)
    rewriter.replace(op, (constant,))
    return True


def _keeps_order(width: int, is_signed: bool, value: float, type_: object) -> bool:
    mantissa = _MANTISSA_BITS.get(type_)  # pyright: ignore[reportArgumentType]
    if mantissa is None:
        return False
    if width <= mantissa:
        return True
    magnitude_bits = width - 1 if is_signed else width
    if math.isinf(value):
        return _LARGEST_EXPONENT[type_] >= magnitude_bits  # pyright: ignore[reportArgumentType]
    exponent = math.frexp(value)[1] - 1 if value else -(1 << 30)
    return not mantissa <= exponent <= magnitude_bits


def _as_integers(
    relation: str, value: float, width: int, is_signed: bool, type_: object
) -> bool | tuple[str, int]:
    """Return the answer, or the integer predicate and bound, of `integer relation value`."""
    low = -(1 << (width - 1)) if is_signed else 0
    high = (1 << (width - 1 if is_signed else width)) - 1
    largest = round_to_type(float(high), type_)  # pyright: ignore[reportArgumentType]
    if largest is not None and largest < value:
        return relation in ("ne", "lt", "le")
    if low > value:
        return relation in ("ne", "gt", "ge")
    number = math.trunc(value)
    prefix = "s" if is_signed else "u"
    if number != value:
        if relation in ("eq", "ne"):
            return relation == "ne"
        if value < 0:
            relation = {"le": "lt", "lt": "lt", "gt": "ge", "ge": "ge"}[relation]
        else:
            relation = {"le": "le", "lt": "le", "gt": "gt", "ge": "gt"}[relation]
    return (relation if relation in ("eq", "ne") else prefix + relation), number
