"""Rematerialize the operands of conversions in the target layout where that is cheaper.

    %e = tt.expand_dims %r : #a                     %e = tt.expand_dims %r1 : #b
    %x = ttg.convert_layout %e : #a -> #b     →     … %e …
    … %x …

Each conversion of a function is visited once, in order. Values that were rematerialized for one
conversion, and the results of conversions that stay, are available to the next ones. Conversions to
dot operands are skipped: `hoist_dot_operands` moves them to their loads.
"""

from __future__ import annotations

from weft.ir import tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import DotOperandEncoding
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice, SliceError
from weft.passes.ttgir.remove_layout_conversions.cost_model import compare_costs
from weft.passes.ttgir.remove_layout_conversions.decision_records import DecisionRecorder
from weft.passes.ttgir.remove_layout_conversions.dominance import dominates, operations
from weft.passes.ttgir.remove_layout_conversions.layout_anchors import LayoutAnchors
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import duplicate_slice

__all__ = ["check_rematerializable", "conversions_in", "rematerialize"]


def rematerialize(
    function: tt.FuncOp, anchors: LayoutAnchors, recorder: DecisionRecorder
) -> dict[Operation, None] | None:
    """Remove the conversions of a function that cost more than rematerializing their operand.

    Returns:
        The affected operations, for the clean-up. None if no conversion was removed.
    """
    rematerialized = RematerializedValues()
    for conversion in conversions_in(function):
        target = types.encoding(conversion.result.type)
        assert target is not None
        if not _remove(conversion, anchors, rematerialized, recorder):
            rematerialized.add(conversion.src, target, conversion.result)
    return rematerialized.finish() if rematerialized.erased else None


def conversions_in(function: tt.FuncOp) -> list[ttg.ConvertLayoutOp]:
    """List the conversions of a function, in order."""
    return [op for op in operations(function) if type(op) is ttg.ConvertLayoutOp]


def check_rematerializable(slice_: BackwardSlice, anchors: LayoutAnchors) -> None:
    """Check that all operations of a slice may be duplicated.

    Raises:
        SliceError: One may not, or the slice is empty.
    """
    if not slice_.values:
        raise SliceError("nothing would have to be computed")
    for value in slice_.values:
        if isinstance(value.owner, Operation) and not anchors.can_rematerialize(value.owner):
            raise SliceError(f"{value.owner.name} is never duplicated")


def _remove(
    conversion: ttg.ConvertLayoutOp,
    anchors: LayoutAnchors,
    rematerialized: RematerializedValues,
    recorder: DecisionRecorder,
) -> bool:
    """Remove a conversion if that pays off; return whether it is removed."""
    target = types.encoding(conversion.result.type)
    assert target is not None
    if isinstance(target, DotOperandEncoding):
        return False
    # An earlier conversion may have left the operand in the target layout already.
    existing = rematerialized.get(conversion.src, target)
    if existing is not None and dominates(existing, conversion):
        recorder.record_reuse(conversion, existing)
        rematerialized.mark_users_affected(conversion.result)
        conversion.result.replace_all_uses_with(existing)
        rematerialized.erased.append(conversion)
        return True
    slice_ = BackwardSlice()
    try:
        slice_.extend(conversion, 0, target, rematerialized)
        check_rematerializable(slice_, anchors)
    except SliceError as error:
        recorder.record_impossible(conversion, str(error))
        return False
    comparison = compare_costs(conversion, slice_)
    if not comparison.pays_off:
        recorder.record_too_expensive(conversion, comparison)
        return False
    copies: dict[SSAValue, SSAValue] = {}
    duplicate_slice(slice_, conversion, rematerialized, copies)
    recorder.record_rematerialization(conversion, copies, comparison)
    return True
