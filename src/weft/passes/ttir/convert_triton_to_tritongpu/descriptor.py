"""Conversion rules of tt.descriptor_gather and tt.descriptor_scatter: the layout of row indices.

A warp issues one TMA instruction per four rows, so every lane has all row indices of its warp: they
have a slice of a layout with [1, 4] elements per thread and [1, warps] warps.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Operation
from weft.layouts import BlockedEncoding, SliceEncoding
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, encoding_of

__all__ = ["RULES", "convert_row_indices"]


def _convert_row_indices(op: Operation, conversion: Conversion) -> None:
    """Convert the row indices, operand 1; use default layouts for the rest."""
    conversion.set_default_operands(op)
    conversion.set_default_results(op)
    convert_row_indices(op, conversion)


def convert_row_indices(op: Operation, conversion: Conversion) -> None:
    """Convert the row indices of a gather or scatter, operand 1, from their default layout."""
    rows = op.operands[1]
    layout = encoding_of(rows)
    cga_layout = layout.cga_layout if isinstance(layout, BlockedEncoding) else ()
    parent = BlockedEncoding(
        (1, 4),
        (conversion.threads_per_warp, 1),
        (1, conversion.num_warps),
        (1, 0),
        tuple((0, *vector) for vector in cga_layout),
    )
    sliced = conversion.convert_layout(op, rows, SliceEncoding(0, parent), op.location)
    op.operands = [op.operands[0], sliced, *op.operands[2:]]


RULES = {
    tt.DescriptorGatherOp: _convert_row_indices,
    tt.DescriptorScatterOp: _convert_row_indices,
}
