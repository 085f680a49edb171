"""Folds of ttg on buffers: chains of views, and copies of constant buffers.

ttg.memdesc_trans (ttg.memdesc_trans %m)            →  ttg.memdesc_trans %m, orders composed
ttg.memdesc_subslice (ttg.memdesc_subslice %m[a])[b]  →  ttg.memdesc_subslice %m[a + b]
ttg.memdesc_reinterpret %m : T -> T                 →  %m
ttg.local_alloc (ttg.local_load %m)                 →  %m           (both immutable)
"""

from __future__ import annotations

from weft.ir import attributes, ttg
from weft.ir.attributes import array_values
from weft.ir.builtin import Operation
from weft.ir.folding import IN_PLACE, Fold, Folded
from weft.ir.rewriting import defining_op

__all__ = ["FOLDS"]


def _memdesc_trans(op: Operation) -> Folded:
    order = array_values(op.properties["order"])
    if order == tuple(range(len(order))):
        return op.operands[0]
    inner = defining_op(op.operands[0], ttg.MemDescTransOp)
    if inner is None:
        return None
    first = array_values(inner.properties["order"])
    op.properties["order"] = attributes.array_i32(tuple(first[axis] for axis in order))
    op.operands[0] = inner.operands[0]
    return IN_PLACE


def _memdesc_subslice(op: Operation) -> Folded:
    inner = defining_op(op.operands[0], ttg.MemDescSubsliceOp)
    if inner is None:
        return None
    pairs = zip(
        array_values(inner.properties["offsets"]), array_values(op.properties["offsets"]),
        strict=True,
    )  # fmt: skip
    op.properties["offsets"] = attributes.array_i32(tuple(a + b for a, b in pairs))
    op.operands[0] = inner.operands[0]
    return IN_PLACE


def _memdesc_reinterpret(op: Operation) -> Folded:
    source = op.operands[0]
    return source if source.type == op.results[0].type else None


def _local_alloc(op: Operation) -> Folded:
    """Drop a copy between two immutable buffers."""
    type_ = op.results[0].type
    if not op.operands or not isinstance(type_, ttg.MemDescType) or type_.is_mutable:
        return None
    load = defining_op(op.operands[0], ttg.LocalLoadOp)
    if load is None or load.operands[0].type != type_:
        return None
    return load.operands[0]


FOLDS: dict[type[Operation], Fold] = {
    ttg.MemDescTransOp: _memdesc_trans,
    ttg.MemDescSubsliceOp: _memdesc_subslice,
    ttg.MemDescReinterpretOp: _memdesc_reinterpret,
    ttg.LocalAllocOp: _local_alloc,
}
