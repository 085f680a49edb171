"""Hoist a conversion to a dot operand to the loads, so that it can be pipelined with them.

    scf.for … {                                     scf.for … {
      %x = tt.load %p : f8, #a                        %x = tt.load %p : f8, #a
      %y = tt.fp_to_fp %x : f16, #a            →      %x1 = ttg.convert_layout %x : #a -> #dot_op
      %z = ttg.convert_layout %y : #a -> #dot_op      %z = tt.fp_to_fp %x1 : f16, #dot_op
      %d = tt.dot %z, …                               %d = tt.dot %z, …

A conversion is hoisted only over operations that move no data between threads, and only if a dot
with a matrix layout post-dominates it.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import is_elementwise, is_view
from weft.ir import amdg, arith, tt, ttg, ttng, types
from weft.ir.builtin import Operation, OpResult, Region
from weft.ir.interfaces import is_memory_effect_free
from weft.ir.rewriting import Builder
from weft.layouts import DotOperandEncoding
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice, SliceError
from weft.passes.ttgir.remove_layout_conversions.conflict_resolution import is_matrix_encoding
from weft.passes.ttgir.remove_layout_conversions.decision_records import DecisionRecorder
from weft.passes.ttgir.remove_layout_conversions.dominance import operations, postdominates
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import (
    Copies,
    duplicate_slice,
    insert_early_conversion,
)

__all__ = ["hoist_to_loads", "matrix_dots"]

_DOTS = frozenset({tt.DotOp, tt.DotScaledOp, ttng.WarpGroupDotOp})
_LOADS = (tt.LoadOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp)
_WITHIN_THREADS = (
    tt.BroadcastOp,
    ttg.Fp4ToFpOp,
    ttg.ConvertLayoutOp,
    amdg.ScaledUpcastFp4Op,
    amdg.ScaledUpcastFp8Op,
)


def hoist_to_loads(
    conversion: ttg.ConvertLayoutOp,
    dots: dict[Region, list[Operation]],
    rematerialized: RematerializedValues,
    recorder: DecisionRecorder,
) -> bool:
    """Hoist a conversion to the loads that it depends on; return whether it was hoisted.

    Args:
        conversion: The conversion.
        dots: The result of `matrix_dots` for the function.
        rematerialized: Values that exist in other layouts.
        recorder: Records the decision.
    """
    target = types.encoding(conversion.result.type)
    assert target is not None
    if not _is_postdominated_by_dot(conversion, dots):
        return False  # the hoisted conversion might execute without the dot
    slice_ = BackwardSlice()
    try:
        slice_.extend(conversion, 0, target, rematerialized, _moves_data_between_threads)
        loads = _loaded_values(slice_)
    except SliceError:
        return False
    if len(loads) == len(slice_.values):
        return False  # the conversion directly follows the load already
    copies: Copies = {}
    for value in loads:
        builder = Builder().after(value.op)
        layout = slice_.layouts[value]
        insert_early_conversion(builder, value, layout, conversion, rematerialized, copies)
        del slice_.values[value]
    duplicate_slice(slice_, conversion, rematerialized, copies)
    reason = "a load and the conversion to a dot operand are pipelined together"
    recorder.record_hoisting(conversion, "to its loads", reason, copies)
    return True


def matrix_dots(function: tt.FuncOp) -> dict[Region, list[Operation]]:
    """Collect the dots with a matrix layout in each region of a function, in order."""
    dots: dict[Region, list[Operation]] = {}
    for op in operations(function):
        if type(op) in _DOTS:
            encoding = types.encoding(op.operands[0].type)
            if isinstance(encoding, DotOperandEncoding) and is_matrix_encoding(encoding.parent):
                region = op.parent_region()
                assert region is not None
                dots.setdefault(region, []).append(op)
    return dots


def _is_postdominated_by_dot(conversion: Operation, dots: dict[Region, list[Operation]]) -> bool:
    region = conversion.parent_region()
    assert region is not None
    return any(postdominates(dot, conversion) for dot in reversed(dots.get(region, ())))


def _moves_data_between_threads(op: Operation) -> bool:
    """Check whether an operation may need elements of other threads."""
    if isinstance(op, _WITHIN_THREADS) or is_view(op):
        return False
    return not (is_elementwise(op) and is_memory_effect_free(op))


def _loaded_values(slice_: BackwardSlice) -> list[OpResult]:
    """List the results of loads in a slice.

    Raises:
        SliceError: The slice ends at something other than loads and constants.
    """
    loads: list[OpResult] = []
    for value in slice_.values:
        if not isinstance(value, OpResult):
            raise SliceError("it depends on an iter_arg")
        op = value.op
        if isinstance(op, _LOADS):
            loads.append(value)
        elif not isinstance(op, arith.ConstantOp) and _moves_data_between_threads(op):
            raise SliceError(f"it depends on {op.name}")
    return loads
