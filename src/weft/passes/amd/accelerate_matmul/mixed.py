"""Bring both operands of a matrix product to one type, where no instruction takes them as they are.

%d = tt.dot %a, %b, %c : f16 x f32, #mma   →   %0 = tt.fp_to_fp %a : f32
                                               %1 = tt.fp_to_fp %b : f32
                                               %d = tt.dot %0, %1, %c

Dots that this pass laid out have operands of one type, or two small floats; IR that comes with
matrix layouts may have others.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import tt, types
from weft.ir.builtin import Attribute, Operation
from weft.ir.rewriting import Builder
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.asked import Asked

__all__ = ["promote_mixed"]


def promote_mixed(dots: Iterable[Operation], asked: Asked) -> None:
    """Convert the operands of every matrix product of two types that are not small floats."""
    for op in dots:
        if isinstance(op, tt.DotOp):
            wanted = _wanted(op)
            if wanted is not None:
                _promote(op, wanted, asked)


def _wanted(op: Operation) -> Attribute | None:
    a, b = (types.element(value.type) for value in op.operands[:2])
    layout = types.encoding(op.results[0].type)
    if a == b or max(types.bit_width(a), types.bit_width(b)) == 8:
        return None
    if isinstance(layout, AmdWmmaEncoding):
        return a if types.bit_width(a) > types.bit_width(b) else b
    return types.f32 if isinstance(layout, AmdMfmaEncoding) else None


def _promote(op: Operation, wanted: Attribute, asked: Asked) -> None:
    builder = Builder().before(op)
    for index in (0, 1):
        value = op.operands[index]
        op.operands[index] = builder.value(
            tt.FpToFpOp, [value], types.with_element(value.type, wanted)
        )
        report.follows(asked, op.operands[index], f"both operands in {wanted}", op.name)
