"""Read `dense<…>`: one value for all elements, a nested list, or raw bytes.

    dense<0.000000e+00> : tensor<64xf32>      a splat, which keeps the one value
    dense<[[1, 2], [3, 4]]> : tensor<2x2xi32> every element; a splat where all are equal
    dense<"0x0000803F00000040"> : tensor<2xf32>   the elements' bytes, little end first

xDSL's own reader takes `0xFF800000` for the number 4278190080 where MLIR means the bits of
-inf, and writes a splat out element by element.
"""

from __future__ import annotations

from math import prod
from typing import Any

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from weft.ir import attributes


class DenseParser(Parser):
    """The part of the text's parser that reads constants of tensors."""

    def _parse_builtin_dense_attr(self) -> Any:
        """Parse what follows `dense`: one value for all elements, a nested list, or raw bytes."""
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
        self.parse_punctuation(">")
        self.parse_punctuation(":")
        type_ = self.parse_type()
        if not isinstance(type_, TensorType):
            self.raise_error(f"a tensor type expected for dense<…>, found {type_}", start)
        if listed and shape != type_.get_shape():
            self.raise_error(f"a list of shape {shape} for {type_}", start)
        element = type_.element_type
        if raw is not None:
            values = self._decode(raw, type_, start)
        else:
            values = [self._number(value, span, element) for value, span in items]
        if values and all(value == values[0] for value in values):
            return attributes.splat(values[0], type_)
        numbers = [attributes.raw_number(value) for value in values]
        return DenseIntOrFPElementsAttr.from_list(type_, numbers)  # pyright: ignore

    def _dense_items(self, items: list[tuple[bool | int | float, Span]]) -> tuple[int, ...]:
        """Parse a nested list into `items`; return its shape."""
        inner: list[tuple[int, ...]] = []

        def item() -> None:
            if self._current_token.kind is MLIRTokenKind.L_SQUARE:
                inner.append(self._dense_items(items))
            else:
                items.append(self._parse_bool_int_or_float())
                inner.append(())

        start = self.pos
        self.parse_comma_separated_list(self.Delimiter.SQUARE, item)
        if any(shape != inner[0] for shape in inner):
            self.raise_error("the rows of a dense list differ in shape", start)
        return (len(inner), *(inner[0] if inner else ()))

    def _raw_bytes(self) -> bytes:
        text = self.parse_str_literal()
        try:
            return bytes.fromhex(text.removeprefix("0x").removeprefix("0X"))
        except ValueError:
            return self.raise_error("a string of hexadecimal digits expected")

    def _decode(
        self, raw: bytes, type_: TensorType[Any], start: int
    ) -> list[IntegerAttr | FloatAttr]:
        element = type_.element_type
        size = element.compile_time_size
        count = prod(type_.get_shape())
        if len(raw) not in (size, size * count):
            self.raise_error(f"{len(raw)} bytes for {type_}", start)
        return [attributes.scalar(value, element) for value in element.iter_unpack(raw)]

    def _number(
        self, value: bool | int | float, span: Span, type_: Attribute
    ) -> IntegerAttr | FloatAttr:
        if isinstance(type_, IntegerType):
            if isinstance(value, float):
                self.raise_error(f"an integer expected for {type_}", span)
            return attributes.scalar(value, type_)
        if span.text.lower().lstrip("-").startswith("0x"):
            size = type_.compile_time_size  # pyright: ignore[reportAttributeAccessIssue]
            bits = int(value).to_bytes(size, "little")
            value = next(type_.iter_unpack(bits))  # pyright: ignore[reportAttributeAccessIssue]
        return attributes.float_(value, type_)
