"""Convert before elements get wider or more, not behind.

    %w = arith.extf %x : f16 to f32                 %c = ttg.convert_layout %x : f16, #a -> #b
    %y = arith.mulf %w, %k : #a               →     %w = arith.extf %c : f16 to f32
    %z = ttg.convert_layout %y : f32, #a -> #b      %z = arith.mulf %w, %k1 : #b

What lies between is computed in the new layout. Only one such operation may be on the way: two
would need two conversions.
"""

from __future__ import annotations

from weft.analysis.encoding_inference import operand_encoding
from weft.ir import arith, tt, ttg, types
from weft.ir.builtin import Operation, OpResult
from weft.ir.rewriting import Builder, clone, set_type
from weft.layouts import DotOperandEncoding, Encoding
from weft.passes.ttgir.remove_layout_conversions import costs
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

__all__ = ["hoist_over_extension"]

_EXTENSIONS = frozenset(
    {arith.ExtSIOp, arith.ExtUIOp, arith.ExtFOp, tt.BroadcastOp, tt.ExpandDimsOp}
)


def hoist_over_extension(
    conversion: ttg.ConvertLayoutOp, anchors: Anchors, known: Known, notes: Notes
) -> bool:
    """Move one conversion before an extension if that pays; tell whether it was moved."""
    target = types.encoding(conversion.result.type)
    assert target is not None
    if isinstance(target, DotOperandEncoding):
        return False
    slice_ = Slice()
    try:
        slice_.grow(conversion, 0, target, known, _extends)
        repeatable(slice_, anchors)
        extension, slice_ = _only_extension(slice_, anchors, known)
    except NoSlice:
        return False
    given = extension.results[0]
    encoding = slice_.layouts[given]
    narrow = operand_encoding(extension, encoding)
    if narrow is None:
        return False
    extra = costs.conversion_cost(extension.operands[0].type)
    comparison = costs.compare(conversion, slice_, extra)
    if not comparison.pays:
        notes.too_dear(conversion, comparison, f"hoist over {extension.name}")
        return False
    twin = _convert_before(extension, narrow, encoding, conversion, known)
    copies: Copies = {given: twin.results[0]}
    del slice_.values[given]
    copy_slice(slice_, conversion, known, copies)
    why = "what is extended has fewer bytes to convert"
    notes.hoisted(conversion, f"over {extension.name}", why, copies, comparison)
    return True


def _extends(op: Operation) -> bool:
    """Tell whether an operation gives more bytes than it reads."""
    if type(op) in _EXTENSIONS:
        return True
    if isinstance(op, tt.FpToFpOp):
        return types.bit_width(op.operands[0].type) < types.bit_width(op.results[0].type)
    return False


def _only_extension(slice_: Slice, anchors: Anchors, known: Known) -> tuple[Operation, Slice]:
    """Return the one extension whose operand cannot be computed in its layout, and the slice.

    Raises: NoSlice: there is none, or another one.
    """
    found: Operation | None = None
    for value in tuple(slice_.values):
        if not isinstance(value, OpResult) or not _extends(value.op):
            continue
        narrow = operand_encoding(value.op, slice_.layouts[value])
        if narrow is None:
            raise NoSlice("no layout follows for what is extended")
        further = slice_.copy()
        try:
            further.grow(value.op, 0, narrow, known)
            slice_ = repeatable(further, anchors)
            continue
        except NoSlice:
            pass
        if found is not None:
            raise NoSlice("two extensions would need a conversion each")
        found = value.op
    if found is None:
        raise NoSlice("nothing is extended")
    return found, slice_


def _convert_before(
    extension: Operation,
    narrow: Encoding,
    encoding: Encoding,
    conversion: Operation,
    known: Known,
) -> Operation:
    """Convert what is extended, and extend that."""
    copies: Copies = {}
    builder = Builder().before(extension)
    convert_early(builder, extension.operands[0], narrow, conversion, known, copies)
    twin = clone(extension, copies)
    builder.insert(twin)
    set_type(twin.results[0], types.with_encoding(twin.results[0].type, encoding))
    known.touched[twin] = None
    return twin
