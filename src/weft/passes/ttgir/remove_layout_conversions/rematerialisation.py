"""Drop conversions whose operand can as well be computed in the layout that is asked for.

    %e = tt.expand_dims %r : #a                     %e = tt.expand_dims %r1 : #b
    %x = ttg.convert_layout %e : #a -> #b     →     … %e …
    … %x …

Each conversion of a function is looked at once, in order. What was computed again for one is
there for the next ones, and so is each conversion that stays. Operands of dots are left alone:
they are hoisted to their loads (`hoist_operands`).
"""

from __future__ import annotations

from weft.ir import tt, ttg, types
from weft.ir.builtin import Operation, SSAValue
from weft.layouts import DotOperandEncoding
from weft.passes.ttgir.remove_layout_conversions import costs
from weft.passes.ttgir.remove_layout_conversions.anchors import Anchors
from weft.passes.ttgir.remove_layout_conversions.backward_slice import NoSlice, Slice
from weft.passes.ttgir.remove_layout_conversions.known import Known
from weft.passes.ttgir.remove_layout_conversions.notes import Notes
from weft.passes.ttgir.remove_layout_conversions.order import dominates, operations
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import copy_slice

__all__ = ["conversions_of", "rematerialise", "repeatable"]


def rematerialise(
    function: tt.FuncOp, anchors: Anchors, notes: Notes
) -> dict[Operation, None] | None:
    """Drop the conversions of a function that are dearer than what they spare.

    Returns: what there is to clean up, None where no conversion went.
    """
    known = Known()
    for conversion in conversions_of(function):
        source, target = conversion.src, types.encoding(conversion.result.type)
        assert target is not None
        if not _drop(conversion, anchors, known, notes):
            known.add(source, target, conversion.result)
    return known.end() if known.gone else None


def conversions_of(function: tt.FuncOp) -> list[ttg.ConvertLayoutOp]:
    """Return the conversions of a function, in order."""
    return [op for op in operations(function) if type(op) is ttg.ConvertLayoutOp]


def repeatable(slice_: Slice, anchors: Anchors) -> Slice:
    """Return a slice if all of it may be done a second time.

    Raises: NoSlice: it may not, or there is nothing to do.
    """
    if not slice_.values:
        raise NoSlice("nothing would have to be computed")
    for value in slice_.values:
        if isinstance(value.owner, Operation) and not anchors.can_be_repeated(value.owner):
            raise NoSlice(f"{value.owner.name} is done once only")
    return slice_


def _drop(conversion: ttg.ConvertLayoutOp, anchors: Anchors, known: Known, notes: Notes) -> bool:
    """Drop one conversion if that pays; tell whether it is gone."""
    target = types.encoding(conversion.result.type)
    assert target is not None
    if isinstance(target, DotOperandEncoding):
        return False
    other = known.get(conversion.src, target)
    if other is not None and dominates(other, conversion):
        notes.reused(conversion, other)
        known.touch_readers(conversion.result)
        conversion.result.replace_all_uses_with(other)
        known.gone.append(conversion)
        return True
    slice_ = Slice()
    try:
        slice_.grow(conversion, 0, target, known)
        repeatable(slice_, anchors)
    except NoSlice as reason:
        notes.kept(conversion, str(reason))
        return False
    comparison = costs.compare(conversion, slice_)
    if not comparison.pays:
        notes.too_dear(conversion, comparison)
        return False
    copies: dict[SSAValue, SSAValue] = {}
    copy_slice(slice_, conversion, known, copies)
    notes.rematerialised(conversion, copies, comparison)
    return True
