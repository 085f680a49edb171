"""What a property may hold: an enumeration, or a number of a fixed type.

axis = enum_prop(ProgramDim)                       # `x` in text, `0 : i32` in storage
cache = enum_prop(CacheModifier, CacheModifier.NONE)   # left out of the text at its default
start = i32_prop()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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

from weft.errors import VerifyError
from weft.ir import attributes, types
from weft.ir.enums import KeywordEnum


@dataclass(frozen=True)
class EnumConstraint(AttrConstraint[IntegerAttr]):
    """Accept the numbers of one enumeration."""

    enum: type[KeywordEnum]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        try:
            self.enum.of(attr)
        except VerifyError as error:
            raise VerifyException(str(error)) from error

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[IntegerAttr]:
        return self


@dataclass(frozen=True)
class TypedInteger(AttrConstraint[IntegerAttr]):
    """Accept integer attributes of one type; their text leaves the type out."""

    type: Attribute

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (isinstance(attr, IntegerAttr) and attr.type == self.type):
            raise VerifyException(
                f"an integer attribute of type {self.type} expected, found {attr}"
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[IntegerAttr]:
        return self


def enum_prop(
    enum: type[KeywordEnum], default: KeywordEnum | None = None, *, prop_name: str | None = None
) -> Any:
    """Declare an enumeration property, with a default that the text leaves out."""
    value = None if default is None else default.attr()
    return prop_def(EnumConstraint(enum), default_value=value, prop_name=prop_name)


def opt_enum_prop(enum: type[KeywordEnum]) -> Any:
    """Declare an enumeration property that may be absent."""
    return opt_prop_def(EnumConstraint(enum))


def i32_prop(default: int | None = None, *, prop_name: str | None = None) -> Any:
    """Declare an i32 property."""
    value = None if default is None else attributes.integer(default, types.i32)
    return prop_def(TypedInteger(types.i32), default_value=value, prop_name=prop_name)


def bool_prop(default: bool | None = None, *, prop_name: str | None = None) -> Any:
    """Declare an i1 property."""
    value = None if default is None else attributes.boolean(default)
    return prop_def(TypedInteger(types.i1), default_value=value, prop_name=prop_name)


def array_prop(default: Sequence[int] | None = None) -> Any:
    """Declare an `array<i32>` property."""
    value = None if default is None else attributes.array_i32(tuple(default))
    return prop_def(DenseArrayBase, default_value=value)


@dataclass(frozen=True)
class IntegerList(AttrConstraint[DenseArrayBase]):
    """Accept an array of integers of one type; its text is the bare list `[0, 64]`."""

    type: IntegerType

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not (isinstance(attr, DenseArrayBase) and attr.elt_type == self.type):
            raise VerifyException(f"an array<{self.type}: …> expected, found {attr}")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> AttrConstraint[DenseArrayBase]:
        return self


def int_list_prop(element: IntegerType) -> Any:
    """Declare an array property whose text is the bare list."""
    return prop_def(IntegerList(element))


def opt_i32_prop() -> Any:
    """Declare an i32 property that may be absent."""
    return opt_prop_def(TypedInteger(types.i32))


def opt_array_prop() -> Any:
    """Declare an `array<i32>` property that may be absent."""
    return opt_prop_def(DenseArrayBase)
