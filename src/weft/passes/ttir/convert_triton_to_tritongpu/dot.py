"""The rule for tt.dot: a square of results per thread, and operands laid out to meet it.

    %d = tt.dot %a, %b, %c      →   %0 = convert %a : #dot_op<0, #r>
                                    %1 = convert %b : #dot_op<1, #r>
                                    %2 = convert %c : #r
                                    %d = tt.dot %0, %1, %2 : … -> #r

#r holds 4x4 results per thread where there are at least 16 for each, 2x2 where at least 4.
"""

from __future__ import annotations

from weft.ir import tt, types
from weft.ir.builtin import Operation
from weft.layouts import DotOperandEncoding
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, location_of

__all__ = ["RULES"]


def _dot(op: Operation, conversion: Conversion) -> None:
    """Convert a and b to operand layouts of the result's, and c to the result's."""
    conversion.take_defaults(op)
    result = op.results[0].type
    shape = types.shape(result)
    layout = conversion.default(shape, _square(shape, conversion))
    wanted = (DotOperandEncoding(0, layout), DotOperandEncoding(1, layout), layout)
    op.operands = [
        conversion.converted(op, value, encoding, location_of(value))
        for value, encoding in zip(op.operands, wanted, strict=True)
    ]
    conversion.set_result(op, 0, types.with_encoding(result, layout))


def _square(shape: tuple[int, ...], conversion: Conversion) -> tuple[int, ...]:
    """Return how many results a thread holds side by side in each dimension."""
    count = 1
    for size in shape:
        count *= size
    each = count // (conversion.num_warps * conversion.threads_per_warp)
    side = 4 if each >= 16 else 2 if each >= 4 else 1
    return (*(1 for _ in shape[:-2]), side, side)


RULES = {tt.DotOp: _dot}
