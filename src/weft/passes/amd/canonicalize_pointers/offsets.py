"""Create arithmetic on offsets, scalars or tensors of 32 or 64 bits, before an operation.

Zeros are not added, widths are converted as needed, and operations are folded at once, so that the
rewritten offset is about as long as the original computation.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import Attribute, Operation, OpResult, SSAValue
from weft.ir.folding import IN_PLACE
from weft.ir.folds import FOLDS
from weft.ir.rewriting import Builder, constant_value, defining_op

__all__ = ["Offsets", "is_scalar_constant", "is_zero", "splat_source"]


def _is_zero_constant(value: SSAValue) -> bool:
    return constant_value(value) == 0 and not types.is_float(types.element(value.type))


def is_zero(value: SSAValue) -> bool:
    """Check whether an integer, or every element of a tensor, is the constant 0."""
    op = defining_op(value)
    return _is_zero_constant(op.operands[0] if isinstance(op, tt.SplatOp) else value)


def is_scalar_constant(value: SSAValue) -> bool:
    """Check whether a value is a scalar integer constant."""
    return not types.is_tensor(value.type) and constant_value(value) is not None


def splat_source(value: SSAValue) -> SSAValue | None:
    """Return the operand of the tt.splat that defines a value, else None."""
    op = defining_op(value)
    return op.operands[0] if isinstance(op, tt.SplatOp) else None


class Offsets:
    """Creates offset arithmetic before an operation."""

    def __init__(self, before: Operation) -> None:
        self.builder = Builder().before(before)

    def constant(self, number: int, type_: Attribute) -> SSAValue:
        """Create an integer constant; a splat for a tensor type."""
        return self.builder.constant(number, type_)

    def create_or_fold(
        self, cls: type[arith.AddIOp | arith.ExtSIOp | arith.TruncIOp],
        operands: Sequence[SSAValue], type_: Attribute,
    ) -> SSAValue:  # fmt: skip
        """Create an operation and fold it if possible; return its result."""
        op = self.builder.create(cls, operands, [type_])
        result = FOLDS[cls](op)
        if result is None or result is IN_PLACE:
            return op.results[0]
        if isinstance(result, Attribute):
            new_op = Builder().before(op).create(arith.ConstantOp, (), (type_,), {"value": result})
            result = new_op.results[0]
        assert isinstance(result, SSAValue)
        op.detach()
        op.erase()
        return result

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Sign-extend or truncate an offset to another integer type."""
        width, target_width = types.bit_width(value.type), types.bit_width(element)
        if width == target_width:
            return value
        cls = arith.ExtSIOp if width < target_width else arith.TruncIOp
        return self.create_or_fold(cls, [value], types.with_element(value.type, element))

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Add two scalars or two tensors, in the wider of their integer types."""
        element = self._wider(a, b)
        if is_zero(a):
            return self.cast(b, element)
        if is_zero(b):
            return self.cast(a, element)
        a, b = self.cast(a, element), self.cast(b, element)
        return self.create_or_fold(arith.AddIOp, [a, b], a.type)

    def add_uniform(self, scalar: SSAValue, tensor: SSAValue) -> SSAValue:
        """Add a scalar to each element of a tensor."""
        element = self._wider(scalar, tensor)
        if _is_zero_constant(scalar):
            return self.cast(tensor, element)
        scalar, tensor = self.cast(scalar, element), self.cast(tensor, element)
        splat = self.splat(scalar, tensor.type)
        return splat if is_zero(tensor) else self.create_or_fold(
            arith.AddIOp, [splat, tensor], tensor.type
        )  # fmt: skip

    def splat(self, scalar: SSAValue, like: Attribute) -> OpResult:
        """Splat a scalar to the shape and layout of a tensor type."""
        type_ = types.with_element(like, scalar.type)
        return self.builder.value(tt.SplatOp, [scalar], type_)

    def scalar_of(self, value: SSAValue) -> SSAValue | None:
        """Return the scalar of a splat or constant tensor; None for other tensors."""
        scalar = splat_source(value)
        if scalar is not None:
            return scalar
        number = constant_value(value)
        if number is not None and types.is_tensor(value.type):
            attribute = attributes.integer(int(number), types.element(value.type))
            new_op = self.builder.create(
                arith.ConstantOp, (), (types.element(value.type),), {"value": attribute}
            )
            return new_op.results[0]
        return None

    @staticmethod
    def _wider(a: SSAValue, b: SSAValue) -> Attribute:
        wider = a if types.bit_width(a.type) > types.bit_width(b.type) else b
        return types.element(wider.type)
