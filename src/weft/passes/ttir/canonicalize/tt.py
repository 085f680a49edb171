"""Folds and patterns of tt: shapes of splats, chains of reshapes, masks that are constant.

tt.splat 5 : i32 -> tensor<64xi32>            →  dense<5>
tt.broadcast (tt.splat %x)                    →  tt.splat %x
tt.expand_dims (tt.broadcast %t)              →  tt.broadcast (tt.expand_dims %t)
tt.trans (tt.trans %t)                        →  tt.trans %t with the composed order
tt.fp_to_fp 0.0 : f32 -> f8E5M2               →  0.0 : f8E5M2
tt.load %p, dense<true>, %o                   →  tt.load %p
tt.load %p, dense<false>, %o                  →  %o
"""

from __future__ import annotations

from weft.ir import attributes, tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.operation import operand_at
from weft.passes.rewrite.constants import constant_value
from weft.passes.rewrite.greedy import IN_PLACE, Fold, Folded, Pattern
from weft.passes.rewrite.rewriter import Rewriter
from weft.passes.ttir.canonicalize.arith_integer import producer
from weft.passes.ttir.canonicalize.numbers import (
    constant_like,
    float_number,
    integer_number,
    truth,
)

__all__ = ["FOLDS", "PATTERNS", "broadcast_of_broadcast", "expand_dims_of_broadcast"]


# ------------------------------------------------------------------------------------------ folds
def _resplat(op: Operation) -> Attribute | None:
    """Return a constant operand as a constant of the result's shape."""
    value = constant_value(operand_at(op, 0))
    if type(value) is not SplatAttr:
        return None
    return constant_like(value.value, op.results[0].type)


def _splat(op: Operation) -> Folded:
    value = constant_value(operand_at(op, 0))
    return None if value is None else constant_like(value, op.results[0].type)  # pyright: ignore


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
    inner = producer(operand_at(op, 0), tt.TransOp)
    if inner is not None:
        first = attributes.array_values(inner.properties["order"])
        op.properties["order"] = attributes.array_i32(tuple(first[axis] for axis in order))
        op.operands[0] = inner.operands[0]
        return IN_PLACE
    return _resplat(op)


_UNSIGNED_ZERO = (types.f8E4M3FNUZ, types.f8E5M2FNUZ)


def _fp_to_fp(op: Operation) -> Folded:
    """Drop a conversion to the same type, and convert zeros.

    Every other constant is left to the chip's own rounding.
    """
    if operand_at(op, 0).type == op.results[0].type:
        return operand_at(op, 0)
    value = float_number(constant_value(operand_at(op, 0)))
    if value is None or value != 0.0:
        return None
    type_ = op.results[0].type
    scalar = types.element(type_)
    zero = 0.0 if scalar in _UNSIGNED_ZERO else value
    return constant_like(attributes.float_(zero, scalar), type_)


def _addptr(op: Operation) -> Folded:
    offset = integer_number(constant_value(operand_at(op, 1)))
    return operand_at(op, 0) if offset == 0 else None


def _make_range(op: Operation) -> Folded:
    start, end = (integer_number(op.properties[name]) for name in ("start", "end"))
    assert start is not None
    assert end is not None
    if end - start != 1:
        return None
    type_ = op.results[0].type
    return constant_like(attributes.integer(start, types.element(type_)), type_)


def _advance(op: Operation) -> Folded:
    """A block pointer moved by nothing is itself."""
    ptr, *offsets = op.operands
    still = all(integer_number(constant_value(offset)) == 0 for offset in offsets)
    return ptr if still else None


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


# --------------------------------------------------------------------------------------- patterns
def _remake(
    op: Operation,
    cls: type[Operation],
    source: SSAValue,
    rewriter: Rewriter,
    properties: dict[str, Attribute] | None = None,
) -> bool:
    made = rewriter.create(
        cls, (source,), (op.results[0].type,), properties, op.attributes, before=op
    )
    rewriter.replace(op, made.results)
    return True


def _of_splat(op: Operation, rewriter: Rewriter) -> bool:
    """A splat seen in another shape is a splat of that shape."""
    splat = producer(operand_at(op, 0), tt.SplatOp)
    return splat is not None and _remake(op, tt.SplatOp, splat.operands[0], rewriter)


def broadcast_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Repeat once where it was repeated twice."""
    inner = producer(operand_at(op, 0), tt.BroadcastOp)
    return inner is not None and _remake(op, tt.BroadcastOp, inner.operands[0], rewriter)


def expand_dims_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Add the dimension first, while the tensor is small; repeat it after that."""
    inner = producer(operand_at(op, 0), tt.BroadcastOp)
    if inner is None:
        return False
    source = inner.operands[0]
    axis = integer_number(op.properties["axis"])
    assert axis is not None
    shape = list(types.shape(source.type))
    shape.insert(axis, 1)
    small = types.tensor(
        tuple(shape), types.element(source.type), types.encoding(op.results[0].type)
    )
    expanded = rewriter.create(tt.ExpandDimsOp, (source,), (small,), op.properties, before=op)
    made = rewriter.create(tt.BroadcastOp, expanded.results, (op.results[0].type,), before=op)
    rewriter.replace(op, made.results)
    return True


def _reshape_of_reshape(op: Operation, rewriter: Rewriter) -> bool:
    """Reshape once; the order is free where either reshape left it free."""
    inner = producer(operand_at(op, 0), tt.ReshapeOp)
    if inner is None or "efficient_layout" in op.properties:
        return False
    free = "allow_reorder" in op.properties or "allow_reorder" in inner.properties
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit} if free else {}
    return _remake(op, tt.ReshapeOp, inner.operands[0], rewriter, properties)


def _constant_mask(mask: SSAValue | None) -> bool | None:
    """Return the truth of a mask that is a constant tensor."""
    value = constant_value(mask) if mask is not None else None
    return truth(value) if isinstance(value, SplatAttr) else None


def _load(op: Operation, rewriter: Rewriter) -> bool:
    operands = list(op.operands)
    known = _constant_mask(operands[1] if len(operands) > 1 else None)
    if known is None:
        return False
    if known:
        made = rewriter.create(
            tt.LoadOp, operands[:1], (op.results[0].type,), op.properties, before=op
        )
        rewriter.replace(op, made.results)
        return True
    if len(operands) == 2:
        return False
    rewriter.replace(op, (operands[2],))
    return True


def _store(op: Operation, rewriter: Rewriter) -> bool:
    operands = list(op.operands)
    known = _constant_mask(operands[2] if len(operands) > 2 else None)
    if known is None:
        return False
    if known:
        rewriter.create(tt.StoreOp, operands[:2], (), op.properties, before=op)
    rewriter.erase(op)
    return True


PATTERNS: dict[type[Operation], tuple[Pattern, ...]] = {
    tt.BroadcastOp: (_of_splat, broadcast_of_broadcast),
    tt.ExpandDimsOp: (_of_splat, expand_dims_of_broadcast),
    tt.ReshapeOp: (_reshape_of_reshape, _of_splat),
    tt.LoadOp: (_load,),
    tt.StoreOp: (_store,),
}
