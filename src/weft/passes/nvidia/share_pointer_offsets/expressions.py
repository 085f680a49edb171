"""Expressions of the scalars and tensors that share-pointer-offsets computes.

They are built before it is known which of them are needed, and where: before the loop or in it.

    product(Advance(%k), Number(128))       128 times the growth of %k since the first iteration
    create(builder, …, {…})                 the operations of an expression
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from xdsl.ir import Attribute

from weft.ir import arith, tt, types
from weft.ir.builtin import SSAValue
from weft.ir.operation import Op
from weft.ir.rewriting import Builder, constant_value, defining_op

__all__ = [
    "SHAPES",
    "Advance",
    "Apply",
    "Expression",
    "Number",
    "add",
    "advances_in",
    "create",
    "extend",
    "product",
    "scalar_of",
    "wide",
]

SHAPES = (tt.BroadcastOp, tt.ExpandDimsOp)  # they repeat elements, and keep their values


class Number(Struct, frozen=True):
    """An integer of 64 bits."""

    value: int


class Advance(Struct, frozen=True):
    """What a value advanced by since the first iteration, times a factor; a scalar of 64 bits.

    Attributes:
        value: An iter_arg, or a scalar that grows linearly with the induction variable.
        factor: The factor, which the loop does not change.
    """

    value: SSAValue
    factor: Expression = Number(1)


class Apply(Struct, frozen=True):
    """An operation that does not exist yet.

    Attributes:
        cls: Its class.
        operands: Its operands.
        type: The type of its result.
        like: An operation with its properties, if it has any.
    """

    cls: type[Op]
    operands: tuple[Expression, ...]
    type: Attribute
    like: Op | None = None


Expression = SSAValue | Number | Advance | Apply


def wide(scalar: SSAValue) -> Expression:
    """Extend a scalar to 64 bits."""
    number = constant_value(scalar)
    if isinstance(number, int):
        return Number(number)
    return scalar if scalar.type == types.i64 else extend(scalar, types.i64)


def extend(value: SSAValue, type_: Attribute) -> Apply:
    """Extend an integer, or a tensor of integers, to a wider type."""
    return Apply(arith.ExtSIOp, (value,), type_)


def scalar_of(value: SSAValue) -> Expression | None:
    """Extend the scalar that all elements of a tensor are to 64 bits; None if they may differ."""
    number, op = constant_value(value), defining_op(value)
    if isinstance(number, int):
        return Number(number)
    if isinstance(op, (arith.ExtSIOp, *SHAPES)):
        return scalar_of(op.operands[0])
    return wide(op.src) if isinstance(op, tt.SplatOp) else None


def add(a: Expression | None, b: Expression | None, type_: Attribute) -> Expression | None:
    """Add two expressions; None is zero."""
    if a is None or b is None:
        return b if a is None else a
    return Apply(arith.AddIOp, (a, b), type_)


def product(a: Expression, factor: Expression) -> Expression:
    """Multiply a scalar by a factor that the loop does not change, where possible before it."""
    if isinstance(a, Number) and isinstance(factor, Number):
        return Number(a.value * factor.value)
    if Number(1) in (a, factor):
        return factor if a == Number(1) else a
    if isinstance(a, Advance):
        return Advance(a.value, product(a.factor, factor))
    if isinstance(a, Apply) and a.cls is arith.AddIOp:
        x, y = a.operands
        return Apply(arith.AddIOp, (product(x, factor), product(y, factor)), a.type)
    return Apply(arith.MulIOp, (a, factor), types.i64)


def advances_in(expression: Expression | None) -> Iterator[Advance]:
    """Yield the advances that an expression reads."""
    if isinstance(expression, Advance):
        yield expression
    elif isinstance(expression, Apply):
        for operand in expression.operands:
            yield from advances_in(operand)


def create(
    builder: Builder, expression: Expression, advances: Mapping[Advance, SSAValue]
) -> SSAValue:
    """Create the operations of an expression."""
    if isinstance(expression, Number):
        return builder.constant(expression.value, types.i64)
    if isinstance(expression, Advance):
        return advances[expression]
    if not isinstance(expression, Apply):
        return expression
    operands = [create(builder, operand, advances) for operand in expression.operands]
    like = expression.like
    properties = None if like is None else like.properties
    return builder.create(expression.cls, operands, [expression.type], properties).results[0]
