"""Hoist a conversion after a conditional into the branch that needs it.

    %r = scf.if %c -> #a {                          %r = scf.if %c -> #b {
      %s = tt.load …                                  %s = tt.load …
      scf.yield %s : #a                               %s1 = ttg.convert_layout %s : #a -> #b
    } else {                                  →       scf.yield %s1
      scf.yield %zero : #a                          } else {
    }                                                 scf.yield %zero1 : #b
    %x = ttg.convert_layout %r : #a -> #b           }

This pays off only in a loop, where the branch is not taken in every iteration, and only if the
other branch can be rematerialized in the new layout.
"""

from __future__ import annotations

from weft.ir import scf, ttg, types
from weft.ir.builtin import Operation, OpResult
from weft.ir.rewriting import Builder
from weft.passes.ttgir.remove_layout_conversions.backward_rematerialization import (
    check_rematerializable,
)
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice, SliceError
from weft.passes.ttgir.remove_layout_conversions.decision_records import DecisionRecorder
from weft.passes.ttgir.remove_layout_conversions.layout_anchors import LayoutAnchors
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import (
    Copies,
    duplicate_slice,
    insert_early_conversion,
)

__all__ = ["hoist_into_conditional"]


def hoist_into_conditional(
    conversion: ttg.ConvertLayoutOp,
    anchors: LayoutAnchors,
    rematerialized: RematerializedValues,
    recorder: DecisionRecorder,
) -> bool:
    """Hoist a conversion into branches if possible; return whether it was hoisted."""
    target = types.encoding(conversion.result.type)
    assert target is not None
    slice_ = BackwardSlice()
    try:
        slice_.extend(conversion, 0, target, rematerialized, _is_conditional)
        check_rematerializable(slice_, anchors)
    except SliceError:
        return False
    slice_, terminals, branch_conversions = _extend_into_branches(slice_, anchors, rematerialized)
    if not branch_conversions:
        return False
    copies: Copies = {}
    for value in terminals:
        builder = Builder().after(value.op)
        layout = slice_.layouts[value]
        insert_early_conversion(builder, value, layout, conversion, rematerialized, copies)
    for result, terminator in branch_conversions:
        builder = Builder().before(terminator)
        value, layout = terminator.operands[result.index], slice_.layouts[result]
        insert_early_conversion(builder, value, layout, conversion, rematerialized, copies)
    # Converted values have their copies; only the rest of the slice is duplicated.
    for value in copies:
        slice_.values.pop(value, None)
    duplicate_slice(slice_, conversion, rematerialized, copies)
    reason = "the other branch is computed in this layout, and a loop takes this one less often"
    recorder.record_hoisting(conversion, "into a branch", reason, copies)
    return True


def _is_conditional(op: Operation) -> bool:
    return isinstance(op, scf.IfOp)


def _extend_into_branches(
    slice_: BackwardSlice, anchors: LayoutAnchors, rematerialized: RematerializedValues
) -> tuple[BackwardSlice, list[OpResult], list[tuple[OpResult, Operation]]]:
    """Extend a slice into the branches of the conditionals that it ends at.

    Returns:
        The extended slice; the results of conditionals at which it still ends; and the results to
        convert in a branch, each with the terminator of that branch.
    """
    terminals: list[OpResult] = []
    branch_conversions: list[tuple[OpResult, Operation]] = []
    visited = 0
    while visited < len(slice_.values):  # the slice grows during the loop
        for value in list(slice_.values)[visited:]:
            visited += 1
            if not isinstance(value, OpResult) or not isinstance(value.op, scf.IfOp):
                continue
            layout = slice_.layouts[value]
            extended = slice_
            failed_branches: list[Operation] = []
            for region in value.op.regions:
                terminator = region.block.last_op
                assert terminator is not None
                attempt = extended.copy()
                try:
                    attempt.extend(terminator, value.index, layout, rematerialized, _is_conditional)
                    check_rematerializable(attempt, anchors)
                    extended = attempt
                except SliceError:
                    failed_branches.append(terminator)
            # With no failed branch the slice continues. With one, a conversion in that branch runs
            # less often, but only a loop repeats it.
            if len(failed_branches) == 1 and isinstance(value.op.parent_op(), scf.ForOp):
                branch_conversions.append((value, failed_branches[0]))
            elif failed_branches:
                terminals.append(value)
                continue
            slice_ = extended
    return slice_, terminals, branch_conversions
