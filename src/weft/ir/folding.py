"""The interface of folds, and folding of dense constants element by element.

A fold computes what an operation is equal to without making new operations. It returns the value
or constant attribute of each result, `IN_PLACE` if it simplified the operation itself, or None.

    arith.addi %x, 0                        →   %x
    arith.addi dense<[1, 2, 3]>, dense<4>   →   dense<[5, 6, 7]>

Most folds read constants and splats, which hold one number. `fold_elementwise` extends such a fold
to dense constants: it applies the fold to a scalar operation per element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from weft.ir import attributes, types
from weft.ir.arith import ConstantOp
from weft.ir.attributes import SplatAttr
from weft.ir.builtin import (
    Attribute,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    Operation,
    SSAValue,
)
from weft.ir.constants import constant_attribute
from weft.ir.operation import operand_at

__all__ = ["IN_PLACE", "Fold", "Folded", "fold_elementwise"]


class _InPlace:
    """The type of `IN_PLACE`: a fold simplified its operation without replacing it."""


IN_PLACE = _InPlace()

Folded = SSAValue | Attribute | Sequence[SSAValue | Attribute] | _InPlace | None
Fold = Callable[[Operation], Folded]

Row = tuple[Attribute, ...]


def fold_elementwise(
    folds: Mapping[type[Operation], Fold], exclude: tuple[type[Operation], ...] = ()
) -> dict[type[Operation], Fold]:
    """Extend folds to operands that are dense constants.

    Args:
        folds: The folds, by class of elementwise operations.
        exclude: Classes whose folds stay as they are.
    """
    return {
        cls: fold if cls in exclude else _extend_to_elements(fold) for cls, fold in folds.items()
    }


def _extend_to_elements(fold: Fold) -> Fold:
    def extended(op: Operation) -> Folded:
        folded = fold(op)
        # Canonical form has constants on the right: if any operand is constant, the last one is.
        if folded is None and constant_attribute(operand_at(op, -1)) is not None:
            return _fold_elements(op, fold)
        return folded

    return extended


def _fold_elements(op: Operation, fold: Fold) -> Attribute | None:
    """Fold an operation element by element, None if any element does not fold."""
    operands = [constant_attribute(operand) for operand in op.operands]
    if not any(type(operand) is DenseIntOrFPElementsAttr for operand in operands):
        return None
    type_ = op.results[0].type
    columns = [_elements(operand, prod(types.shape(type_))) for operand in operands]
    if not all(columns):
        return None
    folded: dict[Row, IntegerAttr | FloatAttr] = {}  # equal rows fold once
    elements: list[IntegerAttr | FloatAttr] = []
    for row in zip(*columns, strict=True):
        element = folded.get(row) or _fold_row(op, fold, row)
        if element is None:
            return None
        folded[row] = element
        elements.append(element)
    return attributes.dense(elements, type_)


def _elements(value: Attribute | None, count: int) -> list[Attribute]:
    """List the elements of a constant tensor, [] if the value is not constant."""
    if type(value) is SplatAttr:
        return [value.value] * count
    if type(value) is DenseIntOrFPElementsAttr:
        return list(value.iter_attrs())
    return []


def _fold_row(op: Operation, fold: Fold, row: Row) -> IntegerAttr | FloatAttr | None:
    """Fold the scalar operation on one element of each operand."""
    constants = [
        ConstantOp.create(result_types=[types.element(operand.type)], properties={"value": value})
        for operand, value in zip(op.operands, row, strict=True)
    ]
    scalar = type(op).create(
        operands=[constant.results[0] for constant in constants],
        result_types=[types.element(op.results[0].type)],
        properties=dict(op.properties),
    )
    folded = fold(scalar)
    # A fold may return an operand instead of an attribute: read the constant that defines it.
    if not isinstance(folded, Attribute):
        owner = next((c for c in constants if c.results[0] is folded), None)
        folded = None if owner is None else owner.properties["value"]
    scalar.erase(safe_erase=False)
    for constant in constants:
        constant.erase(safe_erase=False)
    return folded if isinstance(folded, IntegerAttr | FloatAttr) else None
