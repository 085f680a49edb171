"""Bring a tensor to another layout, and then to another element type."""

from __future__ import annotations

from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.enums import RoundingMode
from weft.layouts import Encoding
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["cast_float", "converted", "converted_and_cast", "location_of"]


def location_of(value: SSAValue) -> object:
    """Return the location of what makes a value."""
    owner = value.owner
    return owner.location if isinstance(owner, Operation) else value.location  # pyright: ignore


def converted(value: SSAValue, encoding: Encoding, op: Operation, rewriter: Rewriter) -> SSAValue:
    """Return a value in another layout, made before an operation."""
    type_ = types.with_encoding(value.type, encoding)
    made = rewriter.create(
        ttg.ConvertLayoutOp, (value,), (type_,), before=op, location=location_of(value)
    )
    return made.results[0]


def converted_and_cast(
    value: SSAValue, encoding: Encoding, element: Attribute, op: Operation, rewriter: Rewriter
) -> SSAValue:
    """Return a value in another layout and of another element type; both numbers, or both floats.

    Integers grow without sign, as they have none.
    """
    moved = converted(value, encoding, op, rewriter)
    given = types.element(value.type)
    if given == element:
        return moved
    cls = _cast(given, element)
    if cls is tt.FpToFpOp:
        return cast_float(moved, element, op, rewriter)
    target = types.with_element(moved.type, element)
    made = rewriter.create(cls, (moved,), (target,), before=op, location=location_of(value))
    return made.results[0]


def _cast(given: Attribute, wanted: Attribute) -> type[Operation]:
    if types.is_integer(given):
        return arith.ExtUIOp if types.bit_width(given) < types.bit_width(wanted) else arith.TruncIOp
    if (given, wanted) == (types.f16, types.f32):
        return arith.ExtFOp
    if (given, wanted) == (types.f32, types.f16):
        return arith.TruncFOp
    return tt.FpToFpOp


def cast_float(value: SSAValue, element: Attribute, op: Operation, rewriter: Rewriter) -> SSAValue:
    """Return a value as another float of the same layout, rounded to nearest where bits go."""
    given = types.element(value.type)
    narrower = types.bit_width(given) > types.bit_width(element)
    properties = {"rounding": RoundingMode.RTNE.attr()} if narrower else None
    type_ = types.with_element(value.type, element)
    made = rewriter.create(
        tt.FpToFpOp, (value,), (type_,), properties, before=op, location=location_of(value)
    )
    return made.results[0]
