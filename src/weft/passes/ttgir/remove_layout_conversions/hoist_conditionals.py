"""Convert in that branch of a conditional that needs it, not behind the conditional.

    %r = scf.if %c -> #a {                          %r = scf.if %c -> #b {
      %s = tt.load …                                  %s = tt.load …
      scf.yield %s : #a                               %s1 = ttg.convert_layout %s : #a -> #b
    } else {                                  →       scf.yield %s1
      scf.yield %zero : #a                          } else {
    }                                                 scf.yield %zero1 : #b
    %x = ttg.convert_layout %r : #a -> #b           }

Only in a loop: there a branch is taken less often than the conditional is met, so that less is
converted. And only where the other branch can be computed in the new layout.
"""

from __future__ import annotations

from weft.ir import scf, ttg, types
from weft.ir.builtin import Operation, OpResult
from weft.ir.rewriting import Builder
from weft.passes.ttgir.remove_layout_conversions.anchors import Anchors
from weft.passes.ttgir.remove_layout_conversions.backward_slice import NoSlice, Slice
from weft.passes.ttgir.remove_layout_conversions.known import Known
from weft.passes.ttgir.remove_layout_conversions.notes import Notes
from weft.passes.ttgir.remove_layout_conversions.rematerialisation import repeatable
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import (
    Copies,
    convert_early,
    copy_slice,
)

__all__ = ["hoist_into_conditional"]


def hoist_into_conditional(
    conversion: ttg.ConvertLayoutOp, anchors: Anchors, known: Known, notes: Notes
) -> bool:
    """Move one conversion into branches if that works; tell whether it was moved."""
    target = types.encoding(conversion.result.type)
    assert target is not None
    slice_ = Slice()
    try:
        slice_.grow(conversion, 0, target, known, _is_conditional)
        repeatable(slice_, anchors)
    except NoSlice:
        return False
    slice_, ends, edges = _branches(slice_, anchors, known)
    if not edges:
        return False
    copies: Copies = {}
    for value in ends:
        place = Builder().after(value.op)
        convert_early(place, value, slice_.layouts[value], conversion, known, copies)
    for result, last in edges:
        value, wanted = last.operands[result.index], slice_.layouts[result]
        convert_early(Builder().before(last), value, wanted, conversion, known, copies)
    for value in copies:
        slice_.values.pop(value, None)
    copy_slice(slice_, conversion, known, copies)
    why = "the other branch is computed in this layout, and a loop takes this one less often"
    notes.hoisted(conversion, "into a branch", why, copies)
    return True


def _is_conditional(op: Operation) -> bool:
    return isinstance(op, scf.IfOp)


def _branches(
    slice_: Slice, anchors: Anchors, known: Known
) -> tuple[Slice, list[OpResult], list[tuple[OpResult, Operation]]]:
    """Take the slice into the branches of its conditionals.

    Returns: the slice; results of conditionals that it ends at; results with the yield of the
    branch in which they have to be converted.
    """
    ends: list[OpResult] = []
    edges: list[tuple[OpResult, Operation]] = []
    done = 0
    while done < len(slice_.values):
        for value in list(slice_.values)[done:]:
            done += 1
            if not isinstance(value, OpResult) or not isinstance(value.op, scf.IfOp):
                continue
            wanted = slice_.layouts[value]
            lasts = [region.block.last_op for region in value.op.regions]
            further, fails = slice_, []
            for last in lasts:
                assert last is not None
                attempt = further.copy()
                try:
                    attempt.grow(last, value.index, wanted, known, _is_conditional)
                    further = repeatable(attempt, anchors)
                except NoSlice:
                    fails.append(last)
            if len(fails) == 1 and isinstance(value.op.parent_op(), scf.ForOp):
                edges.append((value, fails[0]))
            elif fails:
                ends.append(value)
                continue
            slice_ = further
    return slice_, ends, edges
