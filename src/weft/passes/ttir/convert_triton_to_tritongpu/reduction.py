"""Conversion rules of tt.reduce (the result gets a slice layout) and tt.scan (same layout)."""

from __future__ import annotations

from weft.ir import attributes, tt, types
from weft.ir.builtin import Operation
from weft.layouts.inference import infer_reduce
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, encoding_of

__all__ = ["RULES"]


def _reduce(op: Operation, conversion: Conversion) -> None:
    """Remove the axis from the layout of the operands."""
    conversion.set_default_operands(op)
    axis = attributes.number(op.properties["axis"])
    assert isinstance(axis, int)
    for index, result in enumerate(op.results):
        if types.is_tensor(result.type):
            layout = infer_reduce(encoding_of(op.operands[index]), axis)
            conversion.set_result(op, index, types.with_encoding(result.type, layout))


def _scan(op: Operation, conversion: Conversion) -> None:
    """Keep the layouts of the operands."""
    conversion.set_default_operands(op)
    for index, result in enumerate(op.results):
        layout = encoding_of(op.operands[index])
        conversion.set_result(op, index, types.with_encoding(result.type, layout))


RULES = {tt.ReduceOp: _reduce, tt.ScanOp: _scan}
