"""Compare an integer that was cast to float with a constant, without the cast.

    cmpf ogt, (sitofp %i), 5.5   →   cmpi sgt, %i, 5
    cmpf olt, (uitofp %i), -1.0  →   false

This is exact if the cast cannot change the order relative to the constant: every integer fits the
mantissa, or the constant is in a range where consecutive floats differ by at most one.
"""

from __future__ import annotations

import math

from weft.ir import arith, attributes, types
from weft.ir.builtin import Attribute, FloatAttr, Operation
from weft.ir.constants import constant_attribute, integer_width, round_to_type
from weft.ir.enums import CmpFPredicate, CmpIPredicate
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["compare_with_constant"]

_MANTISSA_BITS: dict[Attribute, int] = {types.f16: 11, types.bf16: 8, types.f32: 24, types.f64: 53}
_LARGEST_EXPONENT: dict[Attribute, int] = {
    types.f16: 15,
    types.bf16: 127,
    types.f32: 127,
    types.f64: 1023,
}


def compare_with_constant(op: Operation, rewriter: Rewriter) -> bool:
    """Replace a float comparison of a cast scalar integer by an integer comparison."""
    lhs, rhs = op.operands
    cast = defining_op(lhs, arith.SIToFPOp) or defining_op(lhs, arith.UIToFPOp)
    constant = constant_attribute(rhs)
    if cast is None or not isinstance(constant, FloatAttr):
        return False
    name = CmpFPredicate.of(op.properties["predicate"]).keyword
    value = constant.value.data
    if name in ("ord", "uno"):
        return _replace_with(op, name == "ord", rewriter)
    if name in ("true", "false") or math.isnan(value):
        return False
    is_signed = isinstance(cast, arith.SIToFPOp)
    source = cast.operands[0]
    if not _is_exact(integer_width(source.type), is_signed, value, rhs.type):
        return False
    # The first letter of a predicate says how NaN compares; a cast integer is never NaN.
    result = _compare_integers(name[1:], value, integer_width(source.type), is_signed, rhs.type)
    if isinstance(result, bool):
        return _replace_with(op, result, rewriter)
    keyword, number = result
    bound = rewriter.constant(attributes.integer(number, source.type), source.type, op)
    predicate = CmpIPredicate.from_keyword(keyword)
    properties = {"predicate": predicate.attr()}
    new_op = rewriter.create(arith.CmpIOp, (source, bound), (types.i1,), properties, before=op)
    rewriter.replace(op, new_op.results)
    return True


def _replace_with(op: Operation, value: bool, rewriter: Rewriter) -> bool:
    constant = rewriter.constant(attributes.boolean(value), types.i1, op)
    rewriter.replace(op, (constant,))
    return True


def _is_exact(width: int, is_signed: bool, value: float, type_: Attribute) -> bool:
    """Check whether a cast of integers of a width keeps their order relative to a constant."""
    mantissa = _MANTISSA_BITS.get(type_)
    if mantissa is None:
        return False
    if width <= mantissa:
        return True
    magnitude_bits = width - 1 if is_signed else width
    if math.isinf(value):
        return _LARGEST_EXPONENT[type_] >= magnitude_bits
    exponent = math.frexp(value)[1] - 1 if value else -(1 << 30)
    return not mantissa <= exponent <= magnitude_bits


def _compare_integers(
    relation: str, value: float, width: int, is_signed: bool, type_: Attribute
) -> bool | tuple[str, int]:
    """Express `cast(integer) relation value` as a comparison of integers.

    Args:
        relation: "eq", "ne", "lt", "le", "gt" or "ge".
        value: The constant.
        width: The width of the integer in bits.
        is_signed: Whether the integer is signed.
        type_: The float type of the comparison.

    Returns:
        The result if it is the same for every integer, else the predicate and the bound.
    """
    low = -(1 << (width - 1)) if is_signed else 0
    high = (1 << (width - 1 if is_signed else width)) - 1
    largest = round_to_type(float(high), type_)
    if largest is not None and largest < value:
        return relation in ("ne", "lt", "le")
    if low > value:
        return relation in ("ne", "gt", "ge")
    number = math.trunc(value)
    prefix = "s" if is_signed else "u"
    if number != value:
        # The constant lies between two integers; truncation moved it towards zero.
        if relation in ("eq", "ne"):
            return relation == "ne"
        if value < 0:
            relation = {"le": "lt", "lt": "lt", "gt": "ge", "ge": "ge"}[relation]
        else:
            relation = {"le": "le", "lt": "le", "gt": "gt", "ge": "gt"}[relation]
    return (relation if relation in ("eq", "ne") else prefix + relation), number
