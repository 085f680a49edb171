"""Patterns of tt: splats under shape changes, chains of reshapes, constant masks.

tt.broadcast (tt.splat %x)                    →  tt.splat %x
tt.expand_dims (tt.broadcast %t)              →  tt.broadcast (tt.expand_dims %t)
tt.reshape (tt.reshape %t)                    →  tt.reshape %t
tt.load %p, dense<true>, %o                   →  tt.load %p
tt.load %p, dense<false>, %o                  →  %o
"""

from __future__ import annotations

from weft.ir import attributes, tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.constants import boolean_value, constant_attribute, integer_value
from weft.ir.locations import fuse
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.greedy import PatternTable
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS", "broadcast_of_broadcast", "expand_dims_of_broadcast"]


def _replace_by(
    op: Operation,
    cls: type[Operation],
    source: SSAValue,
    rewriter: Rewriter,
    properties: dict[str, Attribute] | None = None,
) -> bool:
    new_op = rewriter.create(
        cls, (source,), (op.results[0].type,), properties, op.attributes, before=op
    )
    rewriter.replace(op, new_op.results)
    return True


def _of_splat(op: Operation, rewriter: Rewriter) -> bool:
    """Splat to the final shape at once."""
    splat = defining_op(operand_at(op, 0), tt.SplatOp)
    return splat is not None and _replace_by(op, tt.SplatOp, splat.operands[0], rewriter)


def _broadcast_of_splat(op: Operation, rewriter: Rewriter) -> bool:
    splat = defining_op(operand_at(op, 0), tt.SplatOp)
    return splat is not None and _merge_broadcast(op, splat, rewriter)


def _merge_broadcast(op: Operation, inner: Operation, rewriter: Rewriter) -> bool:
    """Replace a broadcast by what it broadcasts, in the final shape."""
    location = fuse(op.location, inner.location)
    new_op = rewriter.create(
        type(inner), inner.operands, (op.results[0].type,), before=op, location=location
    )
    rewriter.replace(op, new_op.results)
    return True


def broadcast_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Broadcast once instead of twice."""
    inner = defining_op(operand_at(op, 0), tt.BroadcastOp)
    return inner is not None and _merge_broadcast(op, inner, rewriter)


def expand_dims_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Expand before broadcasting, while the tensor is small_type."""
    inner = defining_op(operand_at(op, 0), tt.BroadcastOp)
    if inner is None:
        return False
    source = inner.operands[0]
    axis = integer_value(op.properties["axis"])
    assert axis is not None
    shape = list(types.shape(source.type))
    shape.insert(axis, 1)
    small_type = types.tensor(
        tuple(shape), types.element(source.type), types.encoding(op.results[0].type)
    )
    expansion = rewriter.create(tt.ExpandDimsOp, (source,), (small_type,), op.properties, before=op)
    new_op = rewriter.create(tt.BroadcastOp, expansion.results, (op.results[0].type,), before=op)
    rewriter.replace(op, new_op.results)
    return True


def _reshape_of_reshape(op: Operation, rewriter: Rewriter) -> bool:
    """Reshape once instead of twice; elements may be reordered if either reshape allowed it."""
    inner = defining_op(operand_at(op, 0), tt.ReshapeOp)
    if inner is None or "efficient_layout" in op.properties:
        return False
    allow_reorder = "allow_reorder" in op.properties or "allow_reorder" in inner.properties
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit} if allow_reorder else {}
    return _replace_by(op, tt.ReshapeOp, inner.operands[0], rewriter, properties)


def _constant_mask(mask: SSAValue | None) -> bool | None:
    """Read a mask that is a constant splat, None for other masks."""
    value = constant_attribute(mask) if mask is not None else None
    return boolean_value(value) if isinstance(value, SplatAttr) else None


def _load(op: Operation, rewriter: Rewriter) -> bool:
    operands = list(op.operands)
    mask = _constant_mask(operands[1] if len(operands) > 1 else None)
    if mask is None:
        return False
    if mask:
        new_op = rewriter.create(
            tt.LoadOp, operands[:1], (op.results[0].type,), op.properties, before=op
        )
        rewriter.replace(op, new_op.results)
        return True
    if len(operands) == 2:  # masked elements are undefined
        return False
    rewriter.replace(op, (operands[2],))
    return True


def _store(op: Operation, rewriter: Rewriter) -> bool:
    operands = list(op.operands)
    mask = _constant_mask(operands[2] if len(operands) > 2 else None)
    if mask is None:
        return False
    if mask:
        rewriter.create(tt.StoreOp, operands[:2], (), op.properties, before=op)
    rewriter.erase(op)
    return True


PATTERNS: PatternTable = {
    tt.BroadcastOp: (_broadcast_of_splat, broadcast_of_broadcast),
    tt.ExpandDimsOp: (_of_splat, expand_dims_of_broadcast),
    tt.ReshapeOp: (_reshape_of_reshape, _of_splat),
    tt.LoadOp: (_load,),
    tt.StoreOp: (_store,),
}
