"""Layout encodings as attributes: the dataclasses of `weft.layouts`, wrapped once.

    tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 4], …}>>
                       └────────── EncodingAttr(BlockedEncoding(…)) ──────────┘

One attribute class serves every encoding; the parser asks `weft.layouts.ENCODINGS` for the
mnemonic. Encodings are interned, so comparing two attributes compares two pointers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from xdsl.dialects.builtin import BuiltinAttribute
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from weft.errors import LayoutError, did_you_mean
from weft.layouts import ENCODINGS, Encoding

__all__ = ["EncodingAttr", "attribute", "parse_fields"]


@irdl_attr_definition
class EncodingAttr(Data[Encoding], BuiltinAttribute):
    """A layout encoding, printed as Triton prints it: `#ttg.blocked<{…}>`."""

    name = "ttg.encoding"

    def print_builtin(self, printer: Printer) -> None:
        """Print mnemonic and fields; an encoding inside another one goes through the printer."""
        printer.print_string(f"#ttg.{self.data.mnemonic}<{{")
        for index, (key, value) in enumerate(self.data.fields()):
            printer.print_string(f"{', ' if index else ''}{key} = ")
            _print_value(printer, value)
        printer.print_string("}>")

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Encoding:
        raise LayoutError("an encoding is parsed by its mnemonic")

    def print_parameter(self, printer: Printer) -> None:
        self.print_builtin(printer)


@cache
def attribute(encoding: Encoding) -> EncodingAttr:
    """Return the one attribute that wraps `encoding`."""
    return EncodingAttr(encoding)


def _print_value(printer: Printer, value: Any) -> None:
    if isinstance(value, Encoding):
        printer.print_attribute(attribute(value))
    elif isinstance(value, bool):
        printer.print_string("true" if value else "false")
    elif isinstance(value, tuple):
        printer.print_string("[")
        printer.print_list(value, lambda item: _print_value(printer, item))
        printer.print_string("]")
    elif isinstance(value, dict):
        printer.print_string("{")
        for index, (key, item) in enumerate(value.items()):
            printer.print_string(f"{', ' if index else ''}{key} = ")
            _print_value(printer, item)
        printer.print_string("}")
    else:
        printer.print_string(str(value))


def parse_fields(parser: AttrParser, mnemonic: str) -> EncodingAttr:
    """Parse `<{key = value, …}>` after `#ttg.mnemonic`.

    Raises: LayoutError: unknown mnemonic or key, or values that make no legal encoding.
    """
    kind = ENCODINGS.get(mnemonic)
    if kind is None:
        raise LayoutError(
            f"unknown encoding #ttg.{mnemonic}",
            accepted=ENCODINGS,
            hint=did_you_mean(mnemonic, ENCODINGS),
        )
    with parser.in_angle_brackets():
        fields = _parse_dictionary(parser)
    return attribute(kind.from_fields(fields))


def _parse_dictionary(parser: AttrParser) -> dict[str, Any]:
    def entry() -> tuple[str, Any]:
        key = parser.parse_identifier()
        parser.parse_punctuation("=")
        return key, _parse_value(parser)

    entries = parser.parse_comma_separated_list(parser.Delimiter.BRACES, entry)
    fields = dict(entries)
    if len(fields) != len(entries):
        parser.raise_error("a key of the encoding is given twice")
    return fields


def _parse_value(parser: AttrParser) -> Any:
    if (flag := parser.parse_optional_boolean()) is not None:
        return flag
    if (number := parser.parse_optional_integer(allow_boolean=False)) is not None:
        return number
    square = parser.Delimiter.SQUARE
    items = parser.parse_optional_comma_separated_list(square, lambda: _parse_value(parser))
    if items is not None:
        return tuple(items)
    nested: Attribute | None = parser.parse_optional_attribute()
    if isinstance(nested, EncodingAttr):
        return nested.data
    return parser.raise_error("a number, true, false, a list or an encoding expected")
