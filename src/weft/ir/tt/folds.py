"""Folds of tt: splats of constants, shapes that change nothing, offsets of zero.

tt.splat 5 : i32 -> tensor<64xi32>            →  dense<5>
tt.trans (tt.trans %t)                        →  tt.trans %t with the composed order
tt.fp_to_fp 0.0 : f32 -> f8E5M2               →  0.0 : f8E5M2
tt.addptr %p, 0                               →  %p
"""

from __future__ import annotations

from weft.ir import attributes, tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, FloatAttr, IntegerAttr, Operation
from weft.ir.constants import constant_attribute, constant_of_type, float_value, integer_value
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op

__all__ = ["FOLDS"]


def _resplat(op: Operation) -> Attribute | None:
    """Change the shape of a splat constant."""
    value = constant_attribute(operand_at(op, 0))
    if type(value) is not SplatAttr:
        return None
    return constant_of_type(value.value, op.results[0].type)


def _splat(op: Operation) -> Folded:
    value = constant_attribute(operand_at(op, 0))
    if value is None or not isinstance(value, IntegerAttr | FloatAttr):
        return None
    return constant_of_type(value, op.results[0].type)


def _broadcast(op: Operation) -> Folded:
    operand = operand_at(op, 0)
    return operand if operand.type == op.results[0].type else _resplat(op)


def _reshape(op: Operation) -> Folded:
    same = operand_at(op, 0).type == op.results[0].type
    if same and "allow_reorder" not in op.properties:
        return operand_at(op, 0)
    return _resplat(op)


def _trans(op: Operation) -> Folded:
    order = attributes.array_values(op.properties["order"])
    if order == tuple(range(len(order))) and operand_at(op, 0).type == op.results[0].type:
        return operand_at(op, 0)
    inner = defining_op(operand_at(op, 0), tt.TransOp)
    if inner is not None:
        first = attributes.array_values(inner.properties["order"])
        op.properties["order"] = attributes.array_i32(tuple(first[axis] for axis in order))
        op.operands[0] = inner.operands[0]
        return IN_PLACE
    return _resplat(op)


_WITHOUT_NEGATIVE_ZERO = (types.f8E4M3FNUZ, types.f8E5M2FNUZ)


def _fp_to_fp(op: Operation) -> Folded:
    """Drop a conversion to the same type, and convert zeros.

    Like Triton, do not convert other constants: rounding is up to the hardware.
    """
    if operand_at(op, 0).type == op.results[0].type:
        return operand_at(op, 0)
    value = float_value(constant_attribute(operand_at(op, 0)))
    if value is None or value != 0.0:
        return None
    type_ = op.results[0].type
    scalar = types.element(type_)
    zero = 0.0 if scalar in _WITHOUT_NEGATIVE_ZERO else value
    return constant_of_type(attributes.float_(zero, scalar), type_)


def _addptr(op: Operation) -> Folded:
    offset = integer_value(constant_attribute(operand_at(op, 1)))
    return operand_at(op, 0) if offset == 0 else None


def _make_range(op: Operation) -> Folded:
    start, end = (integer_value(op.properties[name]) for name in ("start", "end"))
    assert start is not None
    assert end is not None
    if end - start != 1:
        return None
    type_ = op.results[0].type
    return constant_of_type(attributes.integer(start, types.element(type_)), type_)


def _advance(op: Operation) -> Folded:
    """Drop an advance by zero."""
    ptr, *offsets = op.operands
    is_zero = all(integer_value(constant_attribute(offset)) == 0 for offset in offsets)
    return ptr if is_zero else None


FOLDS: dict[type[Operation], Fold] = {
    tt.SplatOp: _splat,
    tt.BroadcastOp: _broadcast,
    tt.ExpandDimsOp: _resplat,
    tt.ReshapeOp: _reshape,
    tt.TransOp: _trans,
    tt.FpToFpOp: _fp_to_fp,
    tt.AddPtrOp: _addptr,
    tt.MakeRangeOp: _make_range,
    tt.AdvanceOp: _advance,
}
