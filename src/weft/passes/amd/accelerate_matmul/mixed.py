"""Convert both operands of a dot to one type if no instruction supports their types.

%d = tt.dot %a, %b, %c : f16 x f32, #mma   →   %0 = tt.fp_to_fp %a : f32
                                               %1 = tt.fp_to_fp %b : f32
                                               %d = tt.dot %0, %1, %c

The rules create dots with operands of one type, or two 8-bit floats. Input IR that already has
matrix layouts may contain other dots.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.ir import tt, types
from weft.ir.builtin import Attribute, Operation
from weft.ir.rewriting import Builder
from weft.layouts import AmdMfmaEncoding, AmdWmmaEncoding
from weft.passes.amd.accelerate_matmul import report
from weft.passes.amd.accelerate_matmul.context import Context

__all__ = ["promote_mixed"]


def promote_mixed(dots: Iterable[Operation], context: Context) -> None:
    """Convert the operands of every dot of two types that are not both 8-bit floats."""
    for op in dots:
        if isinstance(op, tt.DotOp):
            target_type = _promoted_type(op)
            if target_type is not None:
                _promote(op, target_type, context)


def _promoted_type(op: Operation) -> Attribute | None:
    a, b = (types.element(value.type) for value in op.operands[:2])
    layout = types.encoding(op.results[0].type)
    if a == b or max(types.bit_width(a), types.bit_width(b)) == 8:
        return None
    if isinstance(layout, AmdWmmaEncoding):
        return a if types.bit_width(a) > types.bit_width(b) else b
    return types.f32 if isinstance(layout, AmdMfmaEncoding) else None


def _promote(op: Operation, target_type: Attribute, context: Context) -> None:
    builder = Builder().before(op)
    for index in (0, 1):
        value = op.operands[index]
        op.operands[index] = builder.value(
            tt.FpToFpOp, [value], types.with_element(value.type, target_type)
        )
        report.record_dependent_layout(
            context, op.operands[index], f"both operands in {target_type}", op.name
        )
