"""Definitions of properties: enums, integers of a fixed type, and arrays.

axis = enum_prop(ProgramDim)                           # `x` in the text, `0 : i32` in storage
cache = enum_prop(CacheModifier, CacheModifier.NONE)   # not printed if it has its default
start = i32_prop()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrConstraint,
    IntConstraint,
    VerificationContext,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, types
from weft.ir.enums import KeywordEnum

__all__ = [
    "EnumConstraint",
    "IntegerArray",
    "TypedArray",
    "TypedInteger",
    "array_prop",
    "bool_prop",
    "enum_prop",
    "i32_prop",
    "int_list_prop",
    "opt_array_prop",
    "opt_enum_prop",
    "opt_i32_prop",
]


@dataclass(frozen=True)
class EnumConstraint(AttrConstraint[IntegerAttr]):
    """Accept the numbers of one enum; the text spells their keywords.

    Attributes:
        enum: The enum.
    """

    enum: type[KeywordEnum]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        members = list(self.enum)
        if not any(attr == member.attr() for member in members):
            width = types.bit_width(members[0].attr().type)
            cases = ", ".join(str(int(member)) for member in members)
            raise VerifyException(
                f"failed to satisfy constraint: allowed {width}-bit signless integer cases: {cases}"
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[IntegerAttr]:
        return self


@dataclass(frozen=True)
class TypedInteger(AttrConstraint[IntegerAttr]):
    """Accept integer attributes of one type; the text omits the type.

    Attributes:
        type: The type.
    """

    type: Attribute

    @property
    def _description(self) -> str:
        if self.type == types.i1:
            return "bool attribute"
        return f"{types.bit_width(self.type)}-bit signless integer attribute"

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (isinstance(attr, IntegerAttr) and attr.type == self.type):
            raise VerifyException(f"failed to satisfy constraint: {self._description}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[IntegerAttr]:
        return self


@dataclass(frozen=True)
class TypedArray(AttrConstraint[DenseArrayBase]):
    """Accept arrays of integers of one type: `array<i32: 0, 64>`.

    Attributes:
        type: The type of the elements.
    """

    type: IntegerType

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (isinstance(attr, DenseArrayBase) and attr.elt_type == self.type):
            raise VerifyException(
                f"failed to satisfy constraint: {self.type} dense array attribute"
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[DenseArrayBase]:
        return self


@dataclass(frozen=True)
class IntegerArray(TypedArray):
    """Accept arrays of integers of one type; the text is the list alone: `[0, 64]`."""


def enum_prop(
    enum: type[KeywordEnum], default: KeywordEnum | None = None, *, prop_name: str | None = None
) -> IntegerAttr:
    """Declare an enum property; the text omits its default."""
    value = None if default is None else default.attr()
    return prop_def(EnumConstraint(enum), default_value=value, prop_name=prop_name)


def opt_enum_prop(enum: type[KeywordEnum]) -> IntegerAttr | None:
    """Declare an enum property that may be absent."""
    return opt_prop_def(EnumConstraint(enum))


def i32_prop(default: int | None = None, *, prop_name: str | None = None) -> IntegerAttr:
    """Declare an i32 property."""
    value = None if default is None else attributes.integer(default, types.i32)
    return prop_def(TypedInteger(types.i32), default_value=value, prop_name=prop_name)


def opt_i32_prop() -> IntegerAttr | None:
    """Declare an i32 property that may be absent."""
    return opt_prop_def(TypedInteger(types.i32))


def bool_prop(default: bool | None = None, *, prop_name: str | None = None) -> IntegerAttr:
    """Declare an i1 property."""
    value = None if default is None else attributes.boolean(default)
    return prop_def(TypedInteger(types.i1), default_value=value, prop_name=prop_name)


def array_prop(default: Sequence[int] | None = None) -> DenseArrayBase:
    """Declare an `array<i32>` property."""
    value = None if default is None else attributes.array_i32(tuple(default))
    return prop_def(TypedArray(types.i32), default_value=value)


def opt_array_prop() -> DenseArrayBase | None:
    """Declare an `array<i32>` property that may be absent."""
    return opt_prop_def(TypedArray(types.i32))


def int_list_prop(element: IntegerType) -> DenseArrayBase:
    """Declare an array property that the text spells as a list of numbers."""
    return prop_def(IntegerArray(element))
