"""Arithmetic on offsets, scalar or tensor, of 32 or 64 bits, made before one operation.

What is zero is not added, what has another width is cast, and what folds is folded at once: an
offset that a kernel builds in ten steps stays about as long as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue
from weft.ir.folding import IN_PLACE
from weft.ir.folds import FOLDS
from weft.ir.rewriting import Builder, constant_value, defining_op

__all__ = ["Offsets", "is_scalar_constant", "is_zero", "scalar_behind"]


def _is_zero_constant(value: SSAValue) -> bool:
    return constant_value(value) == 0 and not types.is_float(types.element(value.type))


def is_zero(value: SSAValue) -> bool:
    """Tell whether an integer, or every element of a tensor, is the constant 0."""
    op = defining_op(value)
    return _is_zero_constant(op.operands[0] if isinstance(op, tt.SplatOp) else value)


def is_scalar_constant(value: SSAValue) -> bool:
    """Tell whether a value is an integer constant, not a tensor."""
    return not types.is_tensor(value.type) and constant_value(value) is not None


def scalar_behind(value: SSAValue) -> SSAValue | None:
    """Return the scalar that a tensor repeats, None if it is no splat."""
    op = defining_op(value)
    return op.operands[0] if isinstance(op, tt.SplatOp) else None


class Offsets:
    """Make offsets before an operation."""

    def __init__(self, before: Operation) -> None:
        self.builder = Builder().before(before)

    def constant(self, number: int, type_: Attribute) -> SSAValue:
        """Return a constant, a splat where the type is a tensor."""
        return self.builder.constant(number, type_)

    def folded(
        self, cls: type[arith.AddIOp | arith.ExtSIOp | arith.TruncIOp],
        operands: Sequence[SSAValue], type_: Attribute,
    ) -> SSAValue:  # fmt: skip
        """Return an operation's result, or what it folds to."""
        op = self.builder.create(cls, operands, [type_])
        found = FOLDS[cls](op)
        if found is None or found is IN_PLACE:
            return op.results[0]
        if isinstance(found, Attribute):
            made = Builder().before(op).create(arith.ConstantOp, (), (type_,), {"value": found})
            found = made.results[0]
        assert isinstance(found, SSAValue)
        op.detach()
        op.erase()
        return found

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Return an offset with integers of another width, its sign kept."""
        width, wanted = types.bit_width(value.type), types.bit_width(element)
        if width == wanted:
            return value
        cls = arith.ExtSIOp if width < wanted else arith.TruncIOp
        return self.folded(cls, [value], types.with_element(value.type, element))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return the sum of two scalars or two tensors, in the wider of their integers."""
        element = self._wider(a, b)
        if is_zero(a):
            return self.cast(b, element)
        if is_zero(b):
            return self.cast(a, element)
        a, b = self.cast(a, element), self.cast(b, element)
        return self.folded(arith.AddIOp, [a, b], a.type)

    def add_uniform(self, scalar: SSAValue, tensor: SSAValue) -> SSAValue:
        """Return a tensor with a scalar added to each element."""
        element = self._wider(scalar, tensor)
        if _is_zero_constant(scalar):
            return self.cast(tensor, element)
        scalar, tensor = self.cast(scalar, element), self.cast(tensor, element)
        spread = self.splat(scalar, tensor.type)
        return spread if is_zero(tensor) else self.folded(
            arith.AddIOp, [spread, tensor], tensor.type
        )  # fmt: skip

    def splat(self, scalar: SSAValue, like: Attribute) -> OpResult:
        """Return a tensor of a type's shape and layout that repeats a scalar."""
        type_ = types.with_element(like, scalar.type)
        return self.builder.value(tt.SplatOp, [scalar], type_)

    def scalar_of(self, value: SSAValue) -> SSAValue | None:
        """Return the scalar that a splat or a constant tensor repeats, None for other tensors."""
        scalar = scalar_behind(value)
        if scalar is not None:
            return scalar
        number = constant_value(value)
        if number is not None and types.is_tensor(value.type):
            attribute = attributes.integer(int(number), types.element(value.type))
            made = self.builder.create(
                arith.ConstantOp, (), (types.element(value.type),), {"value": attribute}
            )
            return made.results[0]
        return None

    @staticmethod
    def _wider(a: SSAValue, b: SSAValue) -> Attribute:
        wider = a if types.bit_width(a.type) > types.bit_width(b.type) else b
        return types.element(wider.type)
