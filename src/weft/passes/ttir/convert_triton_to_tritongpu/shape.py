"""Conversion rules of expand_dims, broadcast, cat, join, split and trans."""

from __future__ import annotations

from weft.errors import LayoutError
from weft.ir import attributes, tt, types
from weft.ir.builtin import Operation
from weft.layouts import BlockedEncoding, Encoding, SliceEncoding
from weft.layouts.inference import infer_join, infer_trans
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, encoding_of

__all__ = ["RULES"]


def _expand_dims(op: Operation, conversion: Conversion) -> None:
    """Give the operand a slice of the result layout, which has one thread along the new dimension.

    %r : tensor<128, #a>, axis 1  →  convert %r to #slice<1, #b>; the result has #b.
    """
    conversion.set_default_operands(op)
    source = op.operands[0]
    layout = _blocked(encoding_of(source))
    axis = attributes.number(op.properties["axis"])
    assert isinstance(axis, int)
    rank = layout.rank + 1

    def insert(values: tuple[int, ...], new: int) -> tuple[int, ...]:
        return (*values[:axis], new, *values[axis:])

    parent = BlockedEncoding(
        insert(layout.size_per_thread, 1),
        insert(layout.threads_per_warp, 1),
        insert(layout.warps_per_cta, 1),
        tuple(range(rank)),
        tuple(insert(vector, 0) for vector in layout.cga_layout),
    )
    sliced = conversion.convert_layout(op, source, SliceEncoding(axis, parent), op.location)
    op.operands = [sliced]
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, parent))


def _broadcast(op: Operation, conversion: Conversion) -> None:
    """Use the layout of the operand on the larger shape."""
    conversion.set_default_operands(op)
    layout = encoding_of(op.operands[0])
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, layout))


def _cat(op: Operation, conversion: Conversion) -> None:
    """Give each thread enough registers along the fastest dimension for both operands."""
    conversion.set_default_operands(op)
    result = op.results[0].type
    shape = types.shape(result)
    layout = conversion.default(shape)
    registers = _registers_per_thread(layout, shape)
    needed = sum(
        _registers_per_thread(encoding_of(value), types.shape(value.type)) for value in op.operands
    )
    needed = 1 << (needed - 1).bit_length()  # the next power of two
    sizes = list(layout.size_per_thread)
    sizes[layout.order[0]] *= needed // registers
    layout = BlockedEncoding(
        tuple(sizes), layout.threads_per_warp, layout.warps_per_cta, layout.order, layout.cga_layout
    )
    conversion.set_result(op, 0, types.with_encoding(result, layout))


def _blocked(layout: Encoding) -> BlockedEncoding:
    """Require the layout of an operand that had one before the conversion to be blocked.

    Raises:
        LayoutError: It is another one.
    """
    if not isinstance(layout, BlockedEncoding):
        raise LayoutError(
            "the layout of the operand must be blocked", found=layout, accepted=["#ttg.blocked"]
        )
    return layout


def _registers_per_thread(layout: Encoding, shape: tuple[int, ...]) -> int:
    """Count the registers of a thread, including those with duplicate elements."""
    layout = _blocked(layout)
    ctas = [1] * layout.rank
    for vector in layout.cga_layout:
        ctas = [max(count, 2 * entry) for count, entry in zip(ctas, vector, strict=True)]
    total = 1
    for d, size in enumerate(shape):
        tile = layout.size_per_thread[d] * layout.threads_per_warp[d] * layout.warps_per_cta[d]
        cta_size = max(1, size // ctas[d])
        total *= layout.size_per_thread[d] * max(1, cta_size // tile)
    return total


def _join(op: Operation, conversion: Conversion) -> None:
    """Keep both elements of a pair in one thread."""
    conversion.set_default_operands(op)
    source = op.operands[0]
    layout = infer_join(encoding_of(source), types.shape(source.type))
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, layout))


def _split(op: Operation, conversion: Conversion) -> None:
    """Give each thread whole pairs, so that the results get the default layout."""
    conversion.set_default_operands(op)
    conversion.set_default_results(op)
    half = op.results[0]
    operand_layout = infer_join(encoding_of(half), types.shape(half.type))
    source = op.operands[0]
    op.operands = [conversion.convert_layout(op, source, operand_layout, op.location)]


def _trans(op: Operation, conversion: Conversion) -> None:
    """Permute the layout of the operand."""
    conversion.set_default_operands(op)
    source = op.operands[0]
    order = attributes.array_values(op.properties["order"])
    layout = infer_trans(encoding_of(source), types.shape(source.type), order)
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, layout))


RULES = {
    tt.ExpandDimsOp: _expand_dims,
    tt.BroadcastOp: _broadcast,
    tt.CatOp: _cat,
    tt.JoinOp: _join,
    tt.SplitOp: _split,
    tt.TransOp: _trans,
}
