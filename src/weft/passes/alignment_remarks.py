"""Remarks of the axis info of every result, as triton-opt words them."""

from __future__ import annotations

from collections.abc import Sequence

from weft.analysis.axis_info import AxisInfo, axis_info
from weft.analysis.axis_info.lattice import rank_of, unknown
from weft.analysis.dataflow.call_graph import functions_of
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk_inner_first
from weft.ir.text.numbering import Names
from weft.ir.text.printer import print_operation
from weft.passes.diagnostics import emit_remark

__all__ = ["emit_alignment_remarks"]


def emit_alignment_remarks(module: ModuleOp) -> None:
    """Emit a remark for each result of an operation in a function, inner operations first."""
    infos, names = axis_info(module), Names(module)
    for function in functions_of(module):
        for op in walk_inner_first(function):
            for result in op.results:
                # Values inside of a reduction have no info.
                info = infos.get(result) or unknown(rank_of(result.type))
                emit_remark(op.location, f"{print_operation(op, names)} => {_format(info)}")


def _format(info: AxisInfo) -> str:
    def entries(numbers: Sequence[int]) -> str:
        return f"[{', '.join(map(str, numbers))}]"

    constant = "<none>" if info.constant is None else info.constant
    return (
        f"contiguity = {entries(info.contiguity)}, divisibility = {entries(info.divisibility)}, "
        f"constancy = {entries(info.constancy)}, constant_value = {constant}"
    )
