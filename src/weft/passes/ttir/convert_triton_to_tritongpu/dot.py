"""Conversion rule of tt.dot: a square of results per thread, and matching operand layouts.

    %d = tt.dot %a, %b, %c      →   %0 = convert %a : #dot_op<0, #r>
                                    %1 = convert %b : #dot_op<1, #r>
                                    %2 = convert %c : #r
                                    %d = tt.dot %0, %1, %2 : … -> #r

#r has 4x4 results per thread if there are at least 16 per thread, 2x2 if there are at least 4.
"""

from __future__ import annotations

from math import prod

from weft.ir import locations, tt, types
from weft.ir.builtin import Operation
from weft.layouts import DotOperandEncoding
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion

__all__ = ["RULES"]


def _dot(op: Operation, conversion: Conversion) -> None:
    """Convert a and b to dot operand layouts, and c to the layout of the result."""
    conversion.set_default_operands(op)
    result = op.results[0].type
    shape = types.shape(result)
    layout = conversion.default(shape, _size_per_thread(shape, conversion))
    encodings = (DotOperandEncoding(0, layout), DotOperandEncoding(1, layout), layout)
    op.operands = [
        conversion.convert_layout(op, value, encoding, locations.location_of(value))
        for value, encoding in zip(op.operands, encodings, strict=True)
    ]
    conversion.set_result(op, 0, types.with_encoding(result, layout))


def _size_per_thread(shape: tuple[int, ...], conversion: Conversion) -> tuple[int, ...]:
    """Compute the contiguous results of a thread per dimension."""
    per_thread = prod(shape) // (conversion.num_warps * conversion.threads_per_warp)
    side = 4 if per_thread >= 16 else 2 if per_thread >= 4 else 1
    return (*(1 for _ in shape[:-2]), side, side)


RULES = {tt.DotOp: _dot}
