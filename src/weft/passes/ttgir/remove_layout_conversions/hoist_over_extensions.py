"""Hoist a conversion over an operation that makes elements wider or more.

    %w = arith.extf %x : f16 to f32                 %c = ttg.convert_layout %x : f16, #a -> #b
    %y = arith.mulf %w, %k : #a               →     %w = arith.extf %c : f16 to f32
    %z = ttg.convert_layout %y : f32, #a -> #b      %z = arith.mulf %w, %k1 : #b

The slice between the extension and the conversion is computed in the new layout. It may end at only
one extension, because a second one would need a second conversion.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import operand_encoding
from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Operation, OpResult
from weft.ir.rewriting import Builder, clone, set_type
from weft.layouts import DotOperandEncoding, Encoding
from weft.passes.ttgir.remove_layout_conversions.backward_rematerialization import (
    check_rematerializable,
)
from weft.passes.ttgir.remove_layout_conversions.backward_slice import BackwardSlice, SliceError
from weft.passes.ttgir.remove_layout_conversions.cost_model import compare_costs, conversion_cost
from weft.passes.ttgir.remove_layout_conversions.decision_records import DecisionRecorder
from weft.passes.ttgir.remove_layout_conversions.layout_anchors import LayoutAnchors
from weft.passes.ttgir.remove_layout_conversions.rematerialized_values import RematerializedValues
from weft.passes.ttgir.remove_layout_conversions.slice_rewriting import (
    Copies,
    duplicate_slice,
    insert_early_conversion,
)

__all__ = ["hoist_over_extension"]

_EXTENSIONS = frozenset(
    {arith.ExtSIOp, arith.ExtUIOp, arith.ExtFOp, tt.BroadcastOp, tt.ExpandDimsOp}
)


def hoist_over_extension(
    conversion: ttg.ConvertLayoutOp,
    anchors: LayoutAnchors,
    rematerialized: RematerializedValues,
    recorder: DecisionRecorder,
) -> bool:
    """Hoist a conversion over an extension if that pays off; return whether it was hoisted."""
    target = types.encoding(conversion.result.type)
    assert target is not None
    if isinstance(target, DotOperandEncoding):
        return False
    slice_ = BackwardSlice()
    try:
        slice_.extend(conversion, 0, target, rematerialized, _is_extension)
        check_rematerializable(slice_, anchors)
        extension, slice_ = _find_extension(slice_, anchors, rematerialized)
    except SliceError:
        return False
    result = extension.results[0]
    layout = slice_.layouts[result]
    operand_layout = operand_encoding(extension, layout)
    if operand_layout is None:
        return False
    # The slice costs what it duplicates, and the conversion of the narrower operand.
    new_conversion_cost = conversion_cost(extension.operands[0].type)
    comparison = compare_costs(conversion, slice_, new_conversion_cost)
    if not comparison.pays_off:
        recorder.record_too_expensive(conversion, comparison, f"hoisting over {extension.name}")
        return False
    copy = _convert_and_extend(extension, operand_layout, layout, conversion, rematerialized)
    copies: Copies = {result: copy.results[0]}
    del slice_.values[result]
    duplicate_slice(slice_, conversion, rematerialized, copies)
    reason = f"the operand of {extension.name} has fewer bytes to convert"
    recorder.record_hoisting(conversion, f"over {extension.name}", reason, copies, comparison)
    return True


def _is_extension(op: Operation) -> bool:
    """Check whether the result of an operation has more bytes than its operand."""
    if type(op) in _EXTENSIONS:
        return True
    if isinstance(op, tt.FpToFpOp):
        return types.bit_width(op.operands[0].type) < types.bit_width(op.results[0].type)
    return False


def _find_extension(
    slice_: BackwardSlice, anchors: LayoutAnchors, rematerialized: RematerializedValues
) -> tuple[Operation, BackwardSlice]:
    """Find the extension to hoist over, and continue the slice through all others.

    Returns:
        The only extension whose operand cannot be rematerialized, and the extended slice.

    Raises:
        SliceError: There is no such extension, or more than one.
    """
    extension: Operation | None = None
    for value in tuple(slice_.values):
        if not isinstance(value, OpResult) or not _is_extension(value.op):
            continue
        operand_layout = operand_encoding(value.op, slice_.layouts[value])
        if operand_layout is None:
            raise SliceError("no operand layout follows for an extension")
        # Try on a copy: a failed attempt leaves an incomplete slice.
        extended = slice_.copy()
        try:
            extended.extend(value.op, 0, operand_layout, rematerialized)
            check_rematerializable(extended, anchors)
            slice_ = extended
            continue
        except SliceError:
            pass
        if extension is not None:
            raise SliceError("two extensions would need a conversion each")
        extension = value.op
    if extension is None:
        raise SliceError("there is no extension")
    return extension, slice_


def _convert_and_extend(
    extension: Operation,
    operand_layout: Encoding,
    layout: Encoding,
    conversion: Operation,
    rematerialized: RematerializedValues,
) -> Operation:
    """Convert the operand of an extension, and copy the extension on the converted operand."""
    copies: Copies = {}
    builder = Builder().before(extension)
    operand = extension.operands[0]
    insert_early_conversion(builder, operand, operand_layout, conversion, rematerialized, copies)
    copy = clone(extension, copies)
    builder.insert(copy)
    set_type(copy.results[0], types.with_encoding(copy.results[0].type, layout))
    rematerialized.affected[copy] = None
    return copy
