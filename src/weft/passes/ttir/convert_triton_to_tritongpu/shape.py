"""Rules for operations that move dimensions: expand_dims, broadcast, cat, join, split, trans."""

from __future__ import annotations

from weft.ir import attributes, tt, types
from weft.ir.builtin import Operation
from weft.layouts import BlockedEncoding, SliceEncoding
from weft.layouts.inference import infer_join, infer_trans
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, encoding_of

__all__ = ["RULES"]


def _expand_dims(op: Operation, conversion: Conversion) -> None:
    """Slice the operand out of a layout with the new dimension, which is the slowest.

    %r : tensor<128, #a>, axis 1  →  convert %r to #slice<1, #b>; the result has #b.
    """
    conversion.take_defaults(op)
    source = op.operands[0]
    layout = encoding_of(source)
    assert isinstance(layout, BlockedEncoding)
    axis = attributes.number(op.properties["axis"])
    assert isinstance(axis, int)
    rank = layout.rank + 1

    def widened(values: tuple[int, ...], new: int) -> tuple[int, ...]:
        return (*values[:axis], new, *values[axis:])

    parent = BlockedEncoding(
        widened(layout.size_per_thread, 1),
        widened(layout.threads_per_warp, 1),
        widened(layout.warps_per_cta, 1),
        tuple(range(rank)),
        tuple(widened(vector, 0) for vector in layout.cga_layout),
    )
    sliced = conversion.converted(op, source, SliceEncoding(axis, parent), op.location)
    op.operands = [sliced]
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, parent))


def _broadcast(op: Operation, conversion: Conversion) -> None:
    """Keep the operand's layout on the larger shape."""
    conversion.take_defaults(op)
    layout = encoding_of(op.operands[0])
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, layout))


def _cat(op: Operation, conversion: Conversion) -> None:
    """Let each thread hold, along the fastest dimension, all that it held of both operands."""
    conversion.take_defaults(op)
    result = op.results[0].type
    shape = types.shape(result)
    layout = conversion.default(shape)
    held = _elements(layout, shape)
    wanted = sum(_elements(encoding_of(value), types.shape(value.type)) for value in op.operands)
    rounded = 1 << (wanted - 1).bit_length()
    sizes = list(layout.size_per_thread)
    sizes[layout.order[0]] *= rounded // held
    layout = BlockedEncoding(
        sizes, layout.threads_per_warp, layout.warps_per_cta, layout.order, layout.cga_layout
    )
    conversion.set_result(op, 0, types.with_encoding(result, layout))


def _elements(layout: object, shape: tuple[int, ...]) -> int:
    """Return how many registers a thread fills, those that hold an element again included."""
    assert isinstance(layout, BlockedEncoding)
    blocks = [1] * layout.rank
    for vector in layout.cga_layout:
        blocks = [max(n, 2 * entry) for n, entry in zip(blocks, vector, strict=True)]
    total = 1
    for d, size in enumerate(shape):
        tile = layout.size_per_thread[d] * layout.threads_per_warp[d] * layout.warps_per_cta[d]
        own = max(1, size // blocks[d])
        total *= layout.size_per_thread[d] * max(1, own // tile)
    return total


def _join(op: Operation, conversion: Conversion) -> None:
    """Keep the pair in one thread."""
    conversion.take_defaults(op)
    source = op.operands[0]
    layout = infer_join(encoding_of(source), types.shape(source.type))
    conversion.set_result(op, 0, types.with_encoding(op.results[0].type, layout))


def _split(op: Operation, conversion: Conversion) -> None:
    """Bring each pair into one thread, so that the halves come out in the default layout."""
    conversion.take_defaults(op)
    conversion.default_results(op)
    half = op.results[0]
    wanted = infer_join(encoding_of(half), types.shape(half.type))
    source = op.operands[0]
    op.operands = [conversion.converted(op, source, wanted, op.location)]


def _trans(op: Operation, conversion: Conversion) -> None:
    """Permute the operand's layout with its dimensions."""
    conversion.take_defaults(op)
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
