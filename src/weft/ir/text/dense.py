"""Parse `dense<…>`: one value for all elements, a nested list, or hexadecimal data.

    dense<0.000000e+00> : tensor<64xf32>           a splat, stored as one value
    dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>      every element; a splat if all are equal
    dense<"0x0000803F00000040"> : tensor<2xf32>    the bytes of the elements, little-endian

xDSL's parser reads `0xFF800000` as the number 4278190080, where MLIR means the bits of -inf, and
stores a splat element by element.
"""

from __future__ import annotations

from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    PackableType,
    Signedness,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from weft.ir import attributes, types

_INDEX_BITS = 64  # as MLIR stores an index


class DenseParser(Parser):
    """The part of `TextParser` that parses tensor constants."""

    def _parse_builtin_dense_attr(self) -> Any:  # xDSL declares its own class of constants
        """Parse what follows `dense`."""
        self.parse_punctuation("<")
        start = self.pos
        items: list[tuple[bool | int | float, Span]] = []
        raw: bytes | None = None
        shape: tuple[int, ...] = ()
        listed = self._current_token.kind is MLIRTokenKind.L_SQUARE
        if listed:
            shape = self._dense_items(items)
        elif self._current_token.kind is MLIRTokenKind.STRING_LIT:
            raw = self._raw_bytes()
        elif self._current_token.kind is not MLIRTokenKind.GREATER:
            items.append(self._parse_bool_int_or_float())
        is_empty = not listed and raw is None and not items
        self.parse_punctuation(">")
        self.parse_punctuation(":")
        type_ = self.parse_type()
        if not isinstance(type_, TensorType | VectorType):
            self.raise_error("elements literal must be a shaped type", start)
        if listed and shape != type_.get_shape():
            self.raise_error(
                f"inferred shape of elements literal ({list(shape)}) does not match type "
                f"({list(type_.get_shape())})",
                start,
            )
        if is_empty and prod(type_.get_shape()):
            message = f"parsed zero elements, but type ('{type_}') expected at least 1"
            self.raise_error(message, start)
        element = type_.element_type
        if raw is not None:
            values = self._decode(raw, type_, start)
        else:
            values = [self._number(value, span, element) for value, span in items]
        return attributes.dense(values, type_)

    def _dense_items(self, items: list[tuple[bool | int | float, Span]]) -> tuple[int, ...]:
        """Parse a nested list, append its elements to `items`, and return its shape."""
        shapes: list[tuple[int, ...]] = []

        def parse_item() -> None:
            if self._current_token.kind is MLIRTokenKind.L_SQUARE:
                shapes.append(self._dense_items(items))
            else:
                items.append(self._parse_bool_int_or_float())
                shapes.append(())

        start = self.pos
        self.parse_comma_separated_list(self.Delimiter.SQUARE, parse_item)
        if any(shape != shapes[0] for shape in shapes):
            self.raise_error(
                "tensor literal is invalid; ranks are not consistent between elements", start
            )
        return (len(shapes), *(shapes[0] if shapes else ()))

    def _raw_bytes(self) -> bytes:
        text = self.parse_str_literal()
        try:
            return bytes.fromhex(text.removeprefix("0x").removeprefix("0X"))
        except ValueError:
            return self.raise_error("expected string containing hex digits starting with `0x`")

    def _decode(
        self, raw: bytes, type_: TensorType[Attribute] | VectorType, start: int
    ) -> list[IntegerAttr | FloatAttr]:
        element = type_.element_type
        packing = self._packing(element, str(type_), start)
        size = packing.compile_time_size
        count = prod(type_.get_shape())
        if len(raw) not in (size, size * count):
            self.raise_error(
                f"elements hex data size is invalid for provided type: '{type_}'", start
            )
        return [attributes.scalar(number, element) for number in packing.iter_unpack(raw)]

    def _number(
        self, value: bool | int | float, span: Span, type_: Attribute
    ) -> IntegerAttr | FloatAttr:
        if isinstance(type_, IntegerType | IndexType):
            return self._integer(value, span, type_)
        return self._float(value, span, type_)

    def _integer(
        self, value: bool | int | float, span: Span, type_: IntegerType | IndexType
    ) -> IntegerAttr | FloatAttr:
        if isinstance(value, float):
            self.raise_error("expected integer elements, but parsed floating-point", span)
        if isinstance(value, bool):
            if type_ != types.i1:
                self.raise_error("expected i1 type for 'true' or 'false' values", span)
            return attributes.scalar(value, type_)
        if isinstance(type_, IndexType):
            width, sign = _INDEX_BITS, Signedness.SIGNED
        else:
            width, sign = type_.width.data, type_.signedness.data
        if sign is Signedness.UNSIGNED and value < 0:
            message = "expected unsigned integer elements, but parsed negative value"
            self.raise_error(message, span)
        # A signless integer may be written as a signed or as an unsigned number.
        limit = 1 << (width - 1 if sign is Signedness.SIGNED else width)
        if not -(1 << width - 1) <= value < limit:
            self.raise_error("integer constant out of range for type", span)
        return attributes.scalar(value, type_)

    def _float(
        self, value: bool | int | float, span: Span, type_: Attribute
    ) -> IntegerAttr | FloatAttr:
        if isinstance(value, bool):
            self.raise_error("expected floating point literal", span)
        if isinstance(value, float):
            return attributes.float_(value, type_)
        text = span.text.lower()
        if not text.lstrip("-").lstrip().startswith("0x"):
            message = "unexpected decimal integer literal for a floating point value"
            self.raise_error(message, span)
        if text.startswith("-"):
            self.raise_error("hexadecimal float literal should not have a leading minus", span)
        packing = self._packing(type_, str(type_), span)
        size = packing.compile_time_size
        if value >> 8 * size:
            self.raise_error("hexadecimal float constant out of range for type", span)
        number = next(packing.iter_unpack(value.to_bytes(size, "little")))
        return attributes.float_(number, type_)

    def _packing(self, element: Attribute, name: str, at: int | Span) -> PackableType[float]:
        """Get an element type as one whose numbers have bytes."""
        if not isinstance(element, PackableType):
            self.raise_error(f"elements hex data is not supported for type: '{name}'", at)
        return cast("PackableType[float]", element)
