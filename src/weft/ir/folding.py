"""The interface of folds, and folding of dense constants element by element.

A fold computes what an operation is equal to without making new operations. It returns the value
or constant attribute of each result, `IN_PLACE` if it simplified the operation itself, or None.

    arith.addi %x, 0                        →   %x
    arith.addi dense<[1, 2, 3]>, dense<4>   →   dense<[5, 6, 7]>

The folds of `arith` and `math` see one number per constant, be it a scalar or a splat. Where they
find none because an operand is a list of numbers, the same fold is asked for each element, as a
scalar operation that reads scalar constants. If it answers for all of them, the answers are the
result: a splat where they are equal.
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

__all__ = ["IN_PLACE", "Fold", "Folded", "by_element"]


class _InPlace:
    """The type of `IN_PLACE`: a fold simplified its operation without replacing it."""


IN_PLACE = _InPlace()

Folded = SSAValue | Attribute | Sequence[SSAValue | Attribute] | _InPlace | None
Fold = Callable[[Operation], Folded]

Row = tuple[Attribute, ...]


def by_element(
    folds: Mapping[type[Operation], Fold], but: tuple[type[Operation], ...] = ()
) -> dict[type[Operation], Fold]:
    """Return the folds, asked element by element where an operand is a list of constants.

    but: classes whose folds stay as they are.
    """
    return {cls: fold if cls in but else _extended(fold) for cls, fold in folds.items()}


def _extended(fold: Fold) -> Fold:
    def extended(op: Operation) -> Folded:
        folded = fold(op)
        # A constant operand stands last, if there is one at all.
        if folded is None and constant_attribute(operand_at(op, -1)) is not None:
            return _each(op, fold)
        return folded

    return extended


def _each(op: Operation, fold: Fold) -> Attribute | None:
    values = [constant_attribute(operand) for operand in op.operands]
    if not any(type(value) is DenseIntOrFPElementsAttr for value in values):
        return None
    type_ = op.results[0].type
    columns = [_elements(value, prod(types.shape(type_))) for value in values]
    known: dict[Row, IntegerAttr | FloatAttr] = {}
    answers: list[IntegerAttr | FloatAttr] = []
    for row in zip(*columns, strict=True) if all(columns) else ():
        answer = known.get(row) or _one(op, fold, row)
        if answer is None:
            return None
        known[row] = answer
        answers.append(answer)
    if not answers:
        return None
    if all(answer == answers[0] for answer in answers):
        return attributes.splat(answers[0], type_)
    numbers = [answer.value.data for answer in answers]
    return DenseIntOrFPElementsAttr.from_list(type_, numbers)  # pyright: ignore


def _elements(value: Attribute | None, count: int) -> list[Attribute]:
    """Return the elements of a constant tensor, [] where it is not known."""
    if type(value) is SplatAttr:
        return [value.value] * count
    if type(value) is DenseIntOrFPElementsAttr:
        return list(value.iter_attrs())
    return []


def _one(op: Operation, fold: Fold, row: Row) -> IntegerAttr | FloatAttr | None:
    """Return what the fold makes of the scalar operation on one element of each operand."""
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
    if not isinstance(folded, Attribute):  # one of the operands, or nothing
        owner = next((c for c in constants if c.results[0] is folded), None)
        folded = None if owner is None else owner.properties["value"]
    scalar.erase(safe_erase=False)
    for constant in constants:
        constant.erase(safe_erase=False)
    return folded if isinstance(folded, IntegerAttr | FloatAttr) else None
