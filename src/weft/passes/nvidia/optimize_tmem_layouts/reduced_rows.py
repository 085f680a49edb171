"""Load a tile that is reduced along its rows so that one warp has each row.

Eight warps split the columns of a row by default, so a reduction along the row needs shared memory.
Instead, warps 4 to 7 can hold every second group of 16 rows:

    lane 16: row 16, warp 4: upper columns    →    lane 16: upper columns, warp 4: row 16

Source: Triton, lib/Dialect/TritonNvidiaGPU/IR/Dialect.cpp, getTmemLoadLayoutSplitLongM.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import is_elementwise
from weft.analysis.slices import forward_slice
from weft.ir import tt, ttg, ttng, types
from weft.ir.builtin import Operation, SSAValue
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import Encoding, LinearEncoding
from weft.passes.ledger import Candidate, enabled, record_decision
from weft.passes.nvidia.optimize_tmem_layouts.register_layouts import (
    default_registers,
    relayout_load,
)
from weft.passes.registry import Pass
from weft.passes.rewrite.greedy import Pattern
from weft.passes.rewrite.rewriter import Rewriter

__all__ = ["layout_for_reduction", "reduction_pattern"]

_WARPS = 8


def reduction_pattern(by: Pass) -> Pattern:
    """Return the pattern that changes the layout of a load before a reduction.

    Args:
        by: The pass, for its decisions.
    """

    def rewrite(op: Operation, rewriter: Rewriter) -> bool:
        assert isinstance(op, ttng.TMEMLoadOp)
        old, layout = types.encoding(op.results[0].type), layout_for_reduction(op)
        if layout is None or layout is old:
            return False
        loaded, converted = relayout_load(op, layout, rewriter)
        if enabled():
            candidates = [
                Candidate(str(old), "each row in two warps"),
                Candidate(str(layout), "each row in one warp"),
            ]
            reason = "one warp holds each row that is reduced"
            record_decision(by, loaded, str(layout), reason, candidates=candidates)
            record_decision(by, converted, str(old), "the layout of the users")
        return True

    return rewrite


def layout_for_reduction(load: ttng.TMEMLoadOp) -> Encoding | None:
    """Compute the layout that a reduction of a loaded tile asks for, None if there is none."""
    tensor, memory = types.encoding(load.results[0].type), load.src.type
    assert tensor is not None
    assert isinstance(memory, ttg.MemDescType)
    if lookup_num_warps(load) != _WARPS or not _rows_are_reduced(load.results[0]):
        return None
    return _rows_in_warps(default_registers(load, memory, tensor))


def _rows_are_reduced(loaded: SSAValue) -> bool:
    """Check whether a tile, after elementwise operations, is reduced along its columns."""
    axes: list[int] = []

    def keep(op: Operation) -> bool:
        if isinstance(op, tt.ReduceOp):
            axes.append(op.axis.value.data)
        return isinstance(op, ttg.ConvertLayoutOp) or is_elementwise(op)

    forward_slice(loaded, keep=keep)
    return axes[-1:] == [1]  # of several reductions, the last one of the slice decides


def _rows_in_warps(encoding: LinearEncoding) -> LinearEncoding | None:
    """Swap the bases of lane 16 and warp 4, if that leaves one dimension to the warps."""
    lanes, warps = list(encoding.lane), list(encoding.warp)
    for dim in range(encoding.rank):
        row_16, *rows, columns = (bool(basis[dim]) for basis in (lanes[-1], *warps))
        if rows == [row_16, row_16] and columns != row_16:
            lanes[-1], warps[-1] = warps[-1], lanes[-1]
            return LinearEncoding(encoding.register, tuple(lanes), tuple(warps), encoding.block)
    return None
