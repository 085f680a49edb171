"""Build and inspect types.

Each function that builds a type caches it: equal arguments give the same object.

    tensor((64, 32), pointer(f16))  ==  tensor<64x32x!tt.ptr<f16>>
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeGuard

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3B11FNUZType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from weft.ir.encodings import EncodingAttr
from weft.ir.encodings import attribute as encoding_attribute
from weft.layouts import Encoding

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

i1, i4, i8 = IntegerType(1), IntegerType(4), IntegerType(8)
i16, i32, i64 = IntegerType(16), IntegerType(32), IntegerType(64)
f16, bf16, f32, f64 = Float16Type(), BFloat16Type(), Float32Type(), Float64Type()
f8E4M3FN, f8E5M2 = Float8E4M3FNType(), Float8E5M2Type()
f8E4M3FNUZ, f8E5M2FNUZ = Float8E4M3FNUZType(), Float8E5M2FNUZType()
f8E4M3B11FNUZ, f4E2M1FN = Float8E4M3B11FNUZType(), Float4E2M1FNType()
index = IndexType()

GLOBAL_ADDRESS_SPACE = 1


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """A pointer to a scalar or (a block pointer) to a tensor: `!tt.ptr<f16>`, `!tt.ptr<f16, 3>`."""

    name = "tt.ptr"
    pointee: Attribute
    address_space: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            pointee = parser.parse_type()
            comma = parser.parse_optional_punctuation(",")
            space = parser.parse_integer() if comma else GLOBAL_ADDRESS_SPACE
        return [pointee, IntAttr(space)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.pointee)
            if self.address_space.data != GLOBAL_ADDRESS_SPACE:
                printer.print_string(f", {self.address_space.data}")


@irdl_attr_definition
class TensorDescType(ParametrizedAttribute, TypeAttribute):
    """A tensor descriptor for tiles of one type: `!tt.tensordesc<tensor<64x32xf16>>`."""

    name = "tt.tensordesc"
    block_type: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.block_type)


@cache
def pointer(pointee: Attribute, address_space: int = GLOBAL_ADDRESS_SPACE) -> PointerType:
    """Build `!tt.ptr<pointee, address_space>`."""
    return PointerType(pointee, IntAttr(address_space))


@cache
def descriptor(block_type: Attribute) -> TensorDescType:
    """Build `!tt.tensordesc<block_type>`."""
    return TensorDescType(block_type)


@cache
def tensor(
    shape: tuple[int, ...], element: Attribute, encoding: Encoding | None = None
) -> TensorType[Attribute]:
    """Build `tensor<shape x element, encoding>`."""
    dims = ArrayAttr([IntAttr(size) for size in shape])
    layout = NoneAttr() if encoding is None else encoding_attribute(encoding)
    return TensorType.new([dims, element, layout])


# Exact types, as these classes have no subclasses: ten times as fast as xDSL's isinstance.


def is_tensor(type_: Attribute) -> TypeGuard[TensorType[Attribute]]:
    """Check whether a type is a ranked tensor."""
    return type(type_) is TensorType


def is_pointer(type_: Attribute) -> TypeGuard[PointerType]:
    """Check whether a scalar type is a pointer."""
    return type(type_) is PointerType


def is_integer(type_: Attribute) -> TypeGuard[IntegerType]:
    """Check whether a scalar type is an integer (i1 included)."""
    return type(type_) is IntegerType


def is_unsigned(type_: Attribute) -> bool:
    """Check whether a scalar type is an unsigned integer such as `ui32`; `i32` is signless."""
    return type(type_) is IntegerType and type_.signedness.data is Signedness.UNSIGNED


_FLOATS: dict[type[Attribute], int] = {
    Float16Type: 16,
    BFloat16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
    Float8E4M3FNType: 8,
    Float8E5M2Type: 8,
    Float8E4M3FNUZType: 8,
    Float8E5M2FNUZType: 8,
    Float8E4M3B11FNUZType: 8,
    Float4E2M1FNType: 4,
}


def is_float(type_: Attribute) -> bool:
    """Check whether a scalar type is a floating-point type."""
    return type(type_) in _FLOATS


def element(type_: Attribute) -> Attribute:
    """Get the element type of a tensor; a scalar is its own element type."""
    return type_.element_type if type(type_) is TensorType else type_


@cache
def shape(type_: Attribute) -> tuple[int, ...]:
    """Get the shape of a tensor, () for a scalar."""
    return type_.get_shape() if type(type_) is TensorType else ()


def encoding(type_: Attribute) -> Encoding | None:
    """Get the layout encoding of a tensor, None if it has none."""
    if type(type_) is TensorType and type(type_.encoding) is EncodingAttr:
        return type_.encoding.data
    return None


def with_element(type_: Attribute, new_element: Attribute) -> Attribute:
    """Replace the element type of a tensor or scalar type."""
    if isinstance(type_, TensorType):
        return tensor(shape(type_), new_element, encoding(type_))
    return new_element


def with_shape(type_: Attribute, new_shape: tuple[int, ...]) -> Attribute:
    """Build a tensor type with another shape and the same element type and encoding."""
    return tensor(new_shape, element(type_), encoding(type_))


def with_encoding(type_: Attribute, new_encoding: Encoding | None) -> Attribute:
    """Replace the encoding of a tensor type; a scalar type is returned unchanged."""
    if isinstance(type_, TensorType):
        return tensor(shape(type_), type_.element_type, new_encoding)
    return type_


def bit_width(type_: Attribute) -> int:
    """Get the bits of an element; a pointer or an index has 64.

    Raises:
        TypeError: The type has no width, as a descriptor or a token.
    """
    scalar = element(type_)
    if isinstance(scalar, IntegerType):
        return scalar.width.data
    if isinstance(scalar, PointerType | IndexType):
        return 64
    if (width := _FLOATS.get(type(scalar))) is not None:
        return width
    raise TypeError(f"{scalar} has no bit width")


def storage_bytes(type_: Attribute) -> int:
    """Get the size of an element in memory; an i1 takes a byte."""
    return max(1, bit_width(type_) // 8)
