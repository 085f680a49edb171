"""Aggregates as values of a kernel: the members of a `tl.core` aggregate.

    Pair(x, 2)      AggregateValue(Pair, (x, constexpr(2)))
                    type: kernels.Pair<fp32S64S, c2>

The plain Python methods of an aggregate run on an instance of the class, with the members as
attributes.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from xdsl.ir import SSAValue

from weft.frontend.semantics.values import (
    RuntimeValue,
    TensorValue,
    TupleValue,
    Value,
    handles_of,
    type_of,
)
from weft.language.aggregates import Aggregate
from weft.language.constexpr import constexpr, constexpr_type, unwrap
from weft.language.tensor_classes import tensor

__all__ = ["AggregateType", "AggregateValue", "is_instance"]


class AggregateType(Struct, frozen=True):
    """The type of an aggregate.

    Attributes:
        cls: The class.
        members: The type of each field.
    """

    cls: type[Aggregate]
    members: tuple[object, ...]

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        members = ", ".join(map(_mangle, self.members))
        return f"{self.cls.__module__}.{self.cls.__qualname__}<{members}>"

    def __str__(self) -> str:
        return self.mangle()


def _mangle(type_: object) -> str:
    if not isinstance(type_, constexpr_type):
        return type_.mangle()  # type: ignore[attr-defined]
    value = unwrap(type_.value)
    name = getattr(value, "qualified_name", None)
    return f"c{name if isinstance(name, str) else repr(value)}"


class AggregateValue(RuntimeValue, frozen=True):
    """An aggregate.

    Attributes:
        cls: The class.
        members: The value of each field.
    """

    cls: type[Aggregate]
    members: tuple[Value, ...]

    @property
    def type(self) -> AggregateType:
        """The type of the aggregate."""
        return AggregateType(self.cls, tuple(type_of(each) for each in self.members))

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values of the members; constants have none."""
        return tuple(handle for each in self.members for handle in handles_of(each))

    def rebuild(self, handles: Iterator[SSAValue]) -> AggregateValue:
        """Create an aggregate of the same type from the next of `handles`."""
        members = tuple(
            each.rebuild(handles) if isinstance(each, RuntimeValue) else each
            for each in self.members
        )
        return AggregateValue(self.cls, members)

    def member(self, name: str) -> Value | None:
        """Return the value of a field; None if there is no such field."""
        names = list(self.cls.fields)
        return self.members[names.index(name)] if name in names else None

    def __str__(self) -> str:
        members = zip(self.cls.fields, self.members, strict=True)
        texts = [f"{name}={_describe(value)}" for name, value in members]
        return f"{self.cls.__name__}({', '.join(texts)})"


def _describe(value: Value) -> str:
    return repr(value.value) if isinstance(value, constexpr) else str(value)


def is_instance(value: Value, cls: type) -> bool:
    """Check whether a value is one of a class of the language, or an instance of an aggregate."""
    if cls is tensor:
        return isinstance(value, TensorValue)
    if issubclass(cls, Aggregate):
        return isinstance(value, AggregateValue) and issubclass(value.cls, cls)
    if cls is constexpr:
        return isinstance(value, constexpr)
    if issubclass(cls, tuple | list):
        return isinstance(value, TupleValue)
    language_class = getattr(value, "language_class", None)
    if language_class is not None:
        return issubclass(language_class, cls)
    return isinstance(unwrap(value), cls)
