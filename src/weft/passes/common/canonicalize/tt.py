"""Patterns of tt: shapes of splats, chains of reshapes, masks that are constant.

tt.broadcast (tt.splat %x)                    →  tt.splat %x
tt.expand_dims (tt.broadcast %t)              →  tt.broadcast (tt.expand_dims %t)
tt.load %p, dense<true>, %o                   →  tt.load %p
tt.load %p, dense<false>, %o                  →  %o
"""

from __future__ import annotations

from weft.ir import attributes, tt, types
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.constants import boolean_value, constant_attribute, integer_value
from weft.ir.operation import operand_at
from weft.ir.rewriting import defining_op
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["PATTERNS", "broadcast_of_broadcast", "expand_dims_of_broadcast"]


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
    splat = defining_op(operand_at(op, 0), tt.SplatOp)
    return splat is not None and _remake(op, tt.SplatOp, splat.operands[0], rewriter)


def broadcast_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Repeat once where it was repeated twice."""
    inner = defining_op(operand_at(op, 0), tt.BroadcastOp)
    return inner is not None and _remake(op, tt.BroadcastOp, inner.operands[0], rewriter)


def expand_dims_of_broadcast(op: Operation, rewriter: Rewriter) -> bool:
    """Add the dimension first, while the tensor is small; repeat it after that."""
    inner = defining_op(operand_at(op, 0), tt.BroadcastOp)
    if inner is None:
        return False
    source = inner.operands[0]
    axis = integer_value(op.properties["axis"])
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
    inner = defining_op(operand_at(op, 0), tt.ReshapeOp)
    if inner is None or "efficient_layout" in op.properties:
        return False
    free = "allow_reorder" in op.properties or "allow_reorder" in inner.properties
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit} if free else {}
    return _remake(op, tt.ReshapeOp, inner.operands[0], rewriter, properties)


def _constant_mask(mask: SSAValue | None) -> bool | None:
    """Return the boolean_value of a mask that is a constant tensor."""
    value = constant_attribute(mask) if mask is not None else None
    return boolean_value(value) if isinstance(value, SplatAttr) else None


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
