"""Addresses in tensor memory: row << 16 | column, in columns of 32 bits."""

from __future__ import annotations

from functools import lru_cache

from xdsl.ir import Operation, SSAValue

from weft.analysis.tensor_memory import columns_of, cta_type, is_in_tensor_memory
from weft.codegen.lowering.common.context import LoweringContext
from weft.ir import types
from weft.ir.ttg import MemDescType
from weft.layouts import LinearLayout, TensorMemoryEncoding, TensorMemoryScalesEncoding

__all__ = [
    "ROW_BIT",
    "WORD",
    "view_address",
    "lower_memdesc_index",
    "element_offset",
    "tensor_memory_type",
]

ROW_BIT, WORD = 16, 32  # where the row starts in an address; bits of a column


def tensor_memory_type(value: SSAValue) -> MemDescType:
    """Get the type of a CTA's part of a tensor memory view."""
    type_ = value.type
    assert is_in_tensor_memory(value), type_
    assert isinstance(type_, MemDescType)
    assert isinstance(type_.encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding), type_
    return cta_type(type_)


def view_address(ctx: LoweringContext, view: SSAValue, offset: int = 0) -> str:
    """Compute the address of a tensor memory view plus a constant, an i32."""
    (start,) = ctx[view]
    return ctx.writer.value(f"add i32 {start}, {offset}") if offset else start


def element_offset(type_: MemDescType, row: int, column: int) -> int:
    """Compute the address offset of an element of a tensor memory view."""
    assert type_.encoding is not None
    position = _inverse(type_).apply({"dim0": row, "dim1": column})
    bits = int(position["col"]) * types.bit_width(type_.element_type)
    return int(position["row"]) << ROW_BIT | bits // WORD


@lru_cache(maxsize=1024)
def _inverse(type_: MemDescType) -> LinearLayout:
    assert type_.encoding is not None
    return type_.encoding.linear(tuple(type_.shape[-2:])).pseudoinvert()


def lower_memdesc_index(ctx: LoweringContext, op: Operation) -> None:
    """Lower a view of one of several buffers."""
    columns, _ = columns_of(tensor_memory_type(op.results[0]))
    index = ctx.scalar(op.operands[1])
    if index.isdigit():
        ctx.define(op.results[0], [view_address(ctx, op.operands[0], int(index) * columns)])
        return
    (start,), w = ctx[op.operands[0]], ctx.writer
    ctx.define(
        op.results[0], [w.value(f"add i32 {start}, {w.value(f'mul i32 {index}, {columns}')}")]
    )
