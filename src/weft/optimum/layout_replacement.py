"""Replace a layout by another one in a whole function, with the layouts that derive from it.

    #blocked → #blocked1        and slices of #blocked → slices of #blocked1

The values of a layout are connected by operations whose operands and results have one layout, by
slices, and by conversions. An operation that relates layouts in another way, such as a transpose,
keeps the layout from being replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from weft.errors import LayoutError
from weft.ir import scf, tt, ttg, types
from weft.ir.builtin import Attribute, Operation, SSAValue
from weft.ir.rewriting import set_type, walk
from weft.layouts import Encoding, SliceEncoding
from weft.optimum.alternatives import layouts_of_member
from weft.optimum.constants import retype_constant
from weft.optimum.costs import OperationCosts
from weft.optimum.legality import is_legal
from weft.optimum.operation_kinds import Kind, kind_of

__all__ = ["replace_layout"]

_CONTROL_FLOW = (scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, scf.ConditionOp)
_WITH_SLICES = (tt.ExpandDimsOp, tt.ReduceOp, tt.ScanOp)
_KINDS = (Kind.SAME, Kind.SOURCE, Kind.SINK)


def replace_layout(
    function: tt.FuncOp, before: Encoding, after: Encoding, costs: OperationCosts
) -> Callable[[], None] | None:
    """Replace a layout in place.

    Args:
        function: The function.
        before: The layout.
        after: The one in its place.
        costs: The costs of the module.

    Returns:
        A function that undoes it; None if an operation cannot have the other layout, and nothing
        was replaced.
    """
    table: dict[SSAValue, Attribute] = {}
    for op in walk(function):
        values = [value for value in (*op.operands, *op.results, *_arguments(op))]
        changed = {value: _replaced(value.type, before, after) for value in values}
        changed = {value: type_ for value, type_ in changed.items() if type_ is not None}
        if changed and not _may_change(op, before, after, costs):
            return None
        table.update(changed)
    types_before = {value: value.type for value in table}
    _retype(table)
    return lambda: _retype(types_before)


def _arguments(op: Operation) -> Iterator[SSAValue]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _retype(table: dict[SSAValue, Attribute]) -> None:
    for value, type_ in table.items():
        set_type(value, type_)
        if isinstance(value.owner, Operation):
            retype_constant(value.owner)


def _replaced(type_: Attribute, before: Encoding, after: Encoding) -> Attribute | None:
    """Get the type with the other layout, None if the type does not have the layout."""
    encoding = types.encoding(type_) if types.is_tensor(type_) else None
    if encoding is None:
        return None
    other = _replaced_encoding(encoding, before, after)
    return None if other is encoding else types.with_encoding(type_, other)


def _replaced_encoding(encoding: Encoding, before: Encoding, after: Encoding) -> Encoding:
    if encoding is before:
        return after
    if isinstance(encoding, SliceEncoding):
        parent = _replaced_encoding(encoding.parent, before, after)
        return encoding if parent is encoding.parent else replace(encoding, parent=parent)
    return encoding


def _may_change(op: Operation, before: Encoding, after: Encoding, costs: OperationCosts) -> bool:
    """Check whether an operation can have the other layout."""
    if isinstance(op, _CONTROL_FLOW):
        return True
    operands, results = (
        tuple(_replaced_encoding(each, before, after) for each in layouts)
        for layouts in layouts_of_member(op)
    )
    if isinstance(op, ttg.ConvertLayoutOp):
        shape, element = types.shape(op.result.type), types.element(op.result.type)
        return costs.fits(shape, element, operands[0], results[0])
    if not isinstance(op, _WITH_SLICES) and kind_of(op) not in _KINDS:
        return False
    try:
        if not is_legal(op, operands or results, costs):
            return False
        return costs.operation(op, operands, results) is not None
    except LayoutError:
        return False
