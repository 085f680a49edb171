"""Rules for rows gathered and scattered through a descriptor: who holds which row number.

A warp asks for the rows, four at a time, so every lane holds all row numbers of its warp: the row
numbers are a slice of [1, 4] elements per thread and [1, warps] along the rows.
"""

from __future__ import annotations

from weft.ir import tt
from weft.ir.builtin import Operation
from weft.layouts import BlockedEncoding, SliceEncoding
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, encoding_of

__all__ = ["RULES"]


def _rows(op: Operation, conversion: Conversion) -> None:
    """Convert the row numbers, operand 1; the rest is as everywhere."""
    conversion.take_defaults(op)
    conversion.default_results(op)
    rows = op.operands[1]
    layout = encoding_of(rows)
    assert isinstance(layout, BlockedEncoding)
    parent = BlockedEncoding(
        (1, 4),
        (conversion.threads_per_warp, 1),
        (1, conversion.num_warps),
        (1, 0),
        tuple((0, *vector) for vector in layout.cga_layout),
    )
    sliced = conversion.converted(op, rows, SliceEncoding(0, parent), op.location)
    op.operands = [op.operands[0], sliced, *op.operands[2:]]


RULES = {tt.DescriptorGatherOp: _rows, tt.DescriptorScatterOp: _rows}
