"""Build attributes, and `SplatAttr`, which xDSL lacks.

xDSL's dense attribute stores every element, 64 KiB for a 128x128 tensor of f32. Most constants of
kernels are splats, which `SplatAttr` stores as one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
)
from xdsl.ir import Attribute, BuiltinAttribute, TypedAttribute
from xdsl.irdl import irdl_attr_definition

from weft.ir import types

if TYPE_CHECKING:
    from xdsl.printer import Printer

__all__ = [
    "SplatAttr",
    "array_i32",
    "array_values",
    "boolean",
    "dense",
    "float_",
    "integer",
    "number",
    "scalar",
    "splat",
    "string",
    "symbol",
    "unit",
]

unit = UnitAttr()


@irdl_attr_definition
class SplatAttr(BuiltinAttribute, TypedAttribute):
    """A tensor constant whose elements are equal: `dense<0.000000e+00> : tensor<64xf32>`."""

    name = "builtin.splat"
    value: IntegerAttr | FloatAttr
    type: Attribute

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string("dense<")
        print_scalar(printer, self.value)
        printer.print_string("> : ")
        printer.print_attribute(self.type)

    def print_without_type(self, printer: Printer) -> None:
        self.print_builtin(printer)


def print_scalar(printer: Printer, value: Attribute) -> None:
    """Print a number without its type, as MLIR does (`0xFF800000` for -inf)."""
    if isinstance(value, IntegerAttr):
        printer.print_int(value.value.data, value.type)
    elif isinstance(value, FloatAttr):
        printer.print_float(value.value.data, value.type)


@lru_cache(maxsize=65536)
def _integer(value: int, type_: Attribute) -> IntegerAttr:
    # `types.element` and xDSL's operands type a scalar type as Attribute; IntegerAttr checks it.
    scalar = cast("IntegerType | IndexType", type_)
    return IntegerAttr(value, scalar, truncate_bits=True)


def integer(value: int, type_: Attribute) -> IntegerAttr:
    """Build `value : type`, wrapped to the width of the type as two's complement (i1: 0 or -1)."""
    return _integer(int(value), type_)


def boolean(value: bool) -> IntegerAttr:
    """Build `true` or `false`."""
    return _integer(-1 if value else 0, types.i1)


def float_(value: float, type_: Attribute) -> FloatAttr:
    """Build `value : type`, rounded to the type."""
    return FloatAttr(float(value), cast("AnyFloat", type_))  # as in `_integer`


def scalar(value: float | bool, type_: Attribute) -> IntegerAttr | FloatAttr:
    """Build an integer or floating-point attribute of a scalar type."""
    if types.is_float(type_):
        return float_(value, type_)
    return boolean(bool(value)) if type_ == types.i1 else integer(int(value), type_)


@lru_cache(maxsize=65536)
def splat(value: IntegerAttr | FloatAttr, type_: Attribute) -> SplatAttr:
    """Build `dense<value> : type`."""
    return SplatAttr(value, type_)


def dense(elements: Sequence[IntegerAttr | FloatAttr], type_: Attribute) -> Attribute:
    """Build `dense<[…]> : type`, a splat if all elements are equal."""
    if elements and all(element == elements[0] for element in elements):
        return splat(elements[0], type_)
    numbers = [raw_number(element) for element in elements]
    # xDSL types the numbers of integers and floats apart; `elements` match the type.
    return DenseIntOrFPElementsAttr.from_list(cast("TensorType[AnyFloat]", type_), numbers)


def number(attribute: Attribute | None) -> int | float | None:
    """Read the number of an integer, float or splat attribute, None for other attributes.

    A boolean is 0 or 1; integers are signed.
    """
    if attribute is None:
        return None
    if isinstance(attribute, SplatAttr):
        return number(attribute.value)
    if isinstance(attribute, IntegerAttr):
        data, type_ = attribute.value.data, attribute.type
        return abs(data) if types.is_integer(type_) and type_.width.data == 1 else data
    if isinstance(attribute, FloatAttr):
        return attribute.value.data
    return None


def raw_number(attribute: IntegerAttr | FloatAttr) -> int | float:
    """Read the number that a scalar attribute stores; `true` is -1, the signed value of an i1."""
    return attribute.value.data


@cache
def array_i32(values: tuple[int, ...]) -> DenseArrayBase:
    """Build `array<i32: …>`."""
    return DenseArrayBase.from_list(types.i32, values)


def array_values(attribute: Attribute | None) -> tuple[int, ...]:
    """List the numbers of `array<i32: …>`, () for other attributes."""
    if isinstance(attribute, DenseArrayBase):
        return cast("DenseArrayBase[IntegerType]", attribute).get_values()
    return ()


def string(text: str) -> StringAttr:
    """Build `"text"`."""
    return StringAttr(text)


def symbol(name: str) -> SymbolRefAttr:
    """Build `@name`."""
    return SymbolRefAttr(name)
