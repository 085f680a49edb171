"""Convert a tensor to another layout and then to another element type."""

from __future__ import annotations

from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Attribute, BlockArgument, Operation, SSAValue
from weft.ir.enums import RoundingMode
from weft.ir.locations import LocationAttr
from weft.layouts import Encoding
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["cast_float", "convert_layout", "convert_layout_and_cast", "location_of"]


def location_of(value: SSAValue) -> LocationAttr:
    """Find the location of the operation or block argument that defines a value."""
    if isinstance(value, BlockArgument):
        return value.location
    owner = value.owner
    assert isinstance(owner, Operation)
    return owner.location


def convert_layout(
    value: SSAValue, encoding: Encoding, op: Operation, rewriter: Rewriter
) -> SSAValue:
    """Create a layout conversion of a value before an operation; return its result."""
    type_ = types.with_encoding(value.type, encoding)
    new_op = rewriter.create(
        ttg.ConvertLayoutOp, (value,), (type_,), before=op, location=location_of(value)
    )
    return new_op.results[0]


def convert_layout_and_cast(
    value: SSAValue, encoding: Encoding, element: Attribute, op: Operation, rewriter: Rewriter
) -> SSAValue:
    """Convert a value to another layout and element type.

    Both element types are integers or both are floats. Integers are zero-extended.
    """
    source = convert_layout(value, encoding, op, rewriter)
    element_type = types.element(value.type)
    if element_type == element:
        return source
    cls = _cast(element_type, element)
    if cls is tt.FpToFpOp:
        return cast_float(source, element, op, rewriter)
    target = types.with_element(source.type, element)
    new_op = rewriter.create(cls, (source,), (target,), before=op, location=location_of(value))
    return new_op.results[0]


def _cast(element_type: Attribute, target_type: Attribute) -> type[Operation]:
    if types.is_integer(element_type):
        return (
            arith.ExtUIOp
            if types.bit_width(element_type) < types.bit_width(target_type)
            else arith.TruncIOp
        )
    if (element_type, target_type) == (types.f16, types.f32):
        return arith.ExtFOp
    if (element_type, target_type) == (types.f32, types.f16):
        return arith.TruncFOp
    return tt.FpToFpOp


def cast_float(value: SSAValue, element: Attribute, op: Operation, rewriter: Rewriter) -> SSAValue:
    """Convert a value to another float type, rounding to nearest even if it narrows."""
    element_type = types.element(value.type)
    narrower = types.bit_width(element_type) > types.bit_width(element)
    properties = {"rounding": RoundingMode.RTNE.attr()} if narrower else None
    type_ = types.with_element(value.type, element)
    new_op = rewriter.create(
        tt.FpToFpOp, (value,), (type_,), properties, before=op, location=location_of(value)
    )
    return new_op.results[0]
