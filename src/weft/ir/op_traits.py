"""Traits that relate the types of the operands and results of an operation.

    traits = traits_def(Pure(), SameOperandsAndResultShape(), SameOperandsAndResultEncoding())

They are verified in their order, after the types themselves. A scalar and a tensor without an
encoding agree with every encoding.

Source: MLIR, OpDefinition.cpp; Triton, lib/Dialect/Triton/IR/Traits.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from weft.ir import types

__all__ = [
    "AllTypesMatch",
    "Elementwise",
    "HasParent",
    "SameLoadStoreOperandsAndResultEncoding",
    "SameLoadStoreOperandsAndResultShape",
    "SameLoadStoreOperandsShape",
    "SameOperandsAndResultElementType",
    "SameOperandsAndResultEncoding",
    "SameOperandsAndResultShape",
    "SameOperandsAndResultType",
    "SameOperandsEncoding",
    "SameOperandsShape",
    "SameTypeOperands",
    "TypesMatchWith",
    "pointee_type",
    "pointer_same_shape",
    "same_shape_i1",
]


def _types(values: Sequence[SSAValue]) -> list[Attribute]:
    return [value.type for value in values]


def _shape(type_: Attribute) -> tuple[int, ...] | None:
    """Get the shape of a tensor or buffer, None for other types."""
    if types.is_tensor(type_):
        return types.shape(type_)
    # A memory descriptor, which is defined above this module, has one as well.
    return cast("tuple[int, ...] | None", getattr(type_, "shape", None))


def _tile_shape(type_: Attribute) -> tuple[int, ...]:
    """Get the shape of a tensor or of the tensor that a block pointer points to, else ()."""
    if types.is_pointer(type_):
        type_ = type_.pointee
    return types.shape(type_)


def _element(type_: Attribute) -> Attribute:
    element = getattr(type_, "element_type", None)
    return element if isinstance(element, Attribute) else type_


def _require_equal_encodings(listed: Sequence[Attribute], what: str) -> None:
    first = types.encoding(listed[0]) if listed else None
    for type_ in listed[1:]:
        encoding = types.encoding(type_)
        if first is not None and encoding is not None and encoding is not first:
            raise VerifyException(f"requires the same encoding for all {what}")


class SameOperandsAndResultType(OpTrait):
    """All operands and results have one type."""

    def verify(self, op: Operation) -> None:
        listed = [*_types(op.operands), *_types(op.results)]
        if any(type_ != listed[0] for type_ in listed):
            raise VerifyException("requires the same type for all operands and results")


class SameTypeOperands(OpTrait):
    """All operands have one type."""

    def verify(self, op: Operation) -> None:
        listed = _types(op.operands)
        if any(type_ != listed[0] for type_ in listed):
            raise VerifyException("requires all operands to have the same type")


class SameOperandsShape(OpTrait):
    """All operands have one shape, or all are scalars."""

    def verify(self, op: Operation) -> None:
        shapes = [_shape(type_) for type_ in _types(op.operands)]
        if any(shape != shapes[0] for shape in shapes):
            raise VerifyException("requires the same shape for all operands")


class SameOperandsAndResultShape(OpTrait):
    """All operands and results have one shape, or all are scalars."""

    def verify(self, op: Operation) -> None:
        shapes = [_shape(type_) for type_ in (*_types(op.operands), *_types(op.results))]
        if any(shape != shapes[0] for shape in shapes):
            raise VerifyException("requires the same shape for all operands and results")


class SameOperandsAndResultElementType(OpTrait):
    """All operands and results have one element type."""

    def verify(self, op: Operation) -> None:
        elements = [_element(type_) for type_ in (*_types(op.operands), *_types(op.results))]
        if any(element != elements[0] for element in elements):
            raise VerifyException("requires the same element type for all operands and results")


class SameOperandsEncoding(OpTrait):
    """All operands have the encoding of the first."""

    def verify(self, op: Operation) -> None:
        _require_equal_encodings(_types(op.operands), "operands")


class SameOperandsAndResultEncoding(OpTrait):
    """All operands and results have the encoding of the first operand."""

    accepts_block_pointers: ClassVar[bool] = False

    def verify(self, op: Operation) -> None:
        operands = _types(op.operands)
        if not self.accepts_block_pointers:
            for type_ in (*operands, *_types(op.results)):
                if types.is_pointer(type_) and types.is_tensor(type_.pointee):
                    raise VerifyException("does not accept pointers to tensors")
        if operands:
            _require_equal_encodings([operands[0], *_types(op.results)], "operands and results")
            _require_equal_encodings(operands, "operands")


class SameLoadStoreOperandsAndResultEncoding(SameOperandsAndResultEncoding):
    """As `SameOperandsAndResultEncoding`; a block pointer agrees with every encoding."""

    accepts_block_pointers: ClassVar[bool] = True


class SameLoadStoreOperandsShape(OpTrait):
    """All operands have one shape; a block pointer has that of its tensor."""

    def verify(self, op: Operation) -> None:
        shape = _tile_shape(op.operands[0].type)
        if any(_tile_shape(type_) != shape for type_ in _types(op.operands)):
            raise VerifyException("requires the same shape for all operands")


class SameLoadStoreOperandsAndResultShape(SameLoadStoreOperandsShape):
    """All operands and results have one shape; a block pointer has that of its tensor."""

    def verify(self, op: Operation) -> None:
        shape = _tile_shape(op.operands[0].type)
        if any(_tile_shape(type_) != shape for type_ in _types(op.results)):
            raise VerifyException("requires the same shape for all operands and results")
        super().verify(op)


class Elementwise(OpTrait):
    """The operation maps elements: with a tensor operand all results are tensors of its shape."""

    def verify(self, op: Operation) -> None:
        operands = [type_ for type_ in _types(op.operands) if types.is_tensor(type_)]
        results = [type_ for type_ in _types(op.results) if types.is_tensor(type_)]
        if not operands and not results:
            return
        if not operands:
            raise VerifyException(
                "if a result is non-scalar, then at least one operand must be non-scalar"
            )
        if not results:
            raise VerifyException(
                "if an operand is non-scalar, then there must be at least one non-scalar result"
            )
        if len(results) != len(op.results):
            raise VerifyException(
                "if an operand is non-scalar, then all results must be non-scalar"
            )
        shape = types.shape(operands[0])
        if any(types.shape(type_) != shape for type_ in (*operands, *results)):
            raise VerifyException(
                "all non-scalar operands/results must have the same shape and base type"
            )


@dataclass(frozen=True)
class HasParent(OpTrait):
    """The operation is in the regions of certain operations.

    Attributes:
        names: The names of the parents.
    """

    names: tuple[str, ...]

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and parent.name not in self.names:
            listed = ", ".join(f"'{name}'" for name in self.names)
            one_of = "to be one of " if len(self.names) > 1 else ""
            raise VerifyException(f"expects parent op {one_of}{listed}")


@dataclass(frozen=True)
class AllTypesMatch(OpTrait):
    """The operands and results of these names have one type.

    Attributes:
        names: The names.
    """

    names: tuple[str, ...]

    def verify(self, op: Operation) -> None:
        listed = [getattr(op, name).type for name in self.names]
        if any(type_ != listed[0] for type_ in listed):
            names = ", ".join(self.names)
            raise VerifyException(f"failed to verify that all of {{{names}}} have same type")


@dataclass(frozen=True)
class TypesMatchWith(OpTrait):
    """A type follows from another one.

    Attributes:
        summary: The rule, as in "result type matches ptr type".
        lhs: The name of the operand or result from whose type the other follows.
        rhs: The name of the other one, which may be absent.
        transform: Compute the other type, None if there is none.
    """

    summary: str
    lhs: str
    rhs: str
    transform: Callable[[Attribute], Attribute | None] = lambda type_: type_

    def verify(self, op: Operation) -> None:
        value = getattr(op, self.rhs)
        if value is not None and value.type != self.transform(getattr(op, self.lhs).type):
            raise VerifyException(f"failed to verify that {self.summary}")


def pointee_type(type_: Attribute) -> Attribute | None:
    """Get the type that a pointer or a tensor of pointers points to, in the same shape."""
    scalar = types.element(type_)
    return types.with_element(type_, scalar.pointee) if types.is_pointer(scalar) else None


def same_shape_i1(type_: Attribute) -> Attribute | None:
    """Get i1 in the shape of a type; in that of its tensor for a block pointer."""
    pointee = pointee_type(type_)
    return types.with_element(type_ if pointee is None else pointee, types.i1)


def pointer_same_shape(type_: Attribute) -> Attribute | None:
    """Get a pointer to the element type, in the same shape."""
    return types.with_element(type_, types.pointer(types.element(type_)))
