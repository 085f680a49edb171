"""Convert to a dot's operand right behind the load, so that both can be pipelined together.

    scf.for … {                                     scf.for … {
      %x = tt.load %p : f8, #a                        %x = tt.load %p : f8, #a
      %y = tt.fp_to_fp %x : f16, #a            →      %x1 = ttg.convert_layout %x : #a -> #dot_op
      %z = ttg.convert_layout %y : #a -> #dot_op      %z = tt.fp_to_fp %x1 : f16, #dot_op
      %d = tt.dot %z, …                               %d = tt.dot %z, …

Only over operations in which no data leaves its thread, and only for dots of matrix instructions
that run whenever the conversion has run.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import is_elementwise, is_view
from weft.ir import amdg, arith, tt, ttg, ttng, types
from weft.ir.builtin import Operation, OpResult, Region
from weft.ir.interfaces import is_memory_effect_free
from weft.ir.rewriting import Builder
from weft.layouts import DotOperandEncoding
from weft.passes.ttgir.remove_layout_conversions.backward_slice import NoSlice, Slice
from weft.passes.ttgir.remove_layout_conversions.conflicts import is_matrix
from weft.passes.ttgir.remove_layout_conversions.known import Known
from weft.passes.ttgir.remove_layout_conversions.notes import Notes
from weft.passes.ttgir.remove_layout_conversions.order import (
    always_runs_after,
    operations,
)
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import (
    Copies,
    convert_early,
    copy_slice,
)

__all__ = ["dots_of", "hoist_to_loads"]

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
    known: Known,
    notes: Notes,
) -> bool:
    """Move one conversion behind the loads that it depends on; tell whether it was moved.

    Args: dots: by region, of `dots_of` its function.
    """
    target = types.encoding(conversion.result.type)
    assert target is not None
    if not _meets_dot(conversion, dots):
        return False
    slice_ = Slice()
    try:
        slice_.grow(conversion, 0, target, known, _moves_data)
        loads = _loads(slice_)
    except NoSlice:
        return False
    if len(loads) == len(slice_.values):
        return False
    copies: Copies = {}
    for value in loads:
        place = Builder().after(value.op)
        convert_early(place, value, slice_.layouts[value], conversion, known, copies)
        del slice_.values[value]
    copy_slice(slice_, conversion, known, copies)
    why = "a load and the conversion to a dot's operand are pipelined together"
    notes.hoisted(conversion, "to its loads", why, copies)
    return True


def dots_of(function: tt.FuncOp) -> dict[Region, list[Operation]]:
    """Return the dots of matrix instructions in each region of a function, in order."""
    found: dict[Region, list[Operation]] = {}
    for op in operations(function):
        if type(op) in _DOTS:
            encoding = types.encoding(op.operands[0].type)
            if isinstance(encoding, DotOperandEncoding) and is_matrix(encoding.parent):
                assert op.parent is not None
                assert op.parent.parent is not None
                found.setdefault(op.parent.parent, []).append(op)
    return found


def _meets_dot(conversion: Operation, dots: dict[Region, list[Operation]]) -> bool:
    """Tell whether a dot of its region always runs behind a conversion."""
    assert conversion.parent is not None
    assert conversion.parent.parent is not None
    behind = dots.get(conversion.parent.parent, ())
    return any(always_runs_after(dot, conversion) for dot in reversed(behind))


def _moves_data(op: Operation) -> bool:
    """Tell whether an operation may need elements of other threads."""
    within = isinstance(op, _WITHIN_THREADS) or is_view(op)
    return not within and not (is_elementwise(op) and is_memory_effect_free(op))


def _loads(slice_: Slice) -> list[OpResult]:
    """Return the loaded values of a slice.

    Raises: NoSlice: it starts from something else.
    """
    found: list[OpResult] = []
    for value in slice_.values:
        if not isinstance(value, OpResult):
            raise NoSlice("a loop carries it")
        op = value.op
        if isinstance(op, _LOADS):
            found.append(value)
        elif not isinstance(op, arith.ConstantOp) and _moves_data(op):
            raise NoSlice(f"it comes from {op.name}")
    return found
