"""Layout encodings as attributes, which wrap the dataclasses of `weft.layouts`.

    tensor<128x32xf16, #ttg.blocked<{sizePerThread = [1, 4], …}>>
                       └────────── EncodingAttr(BlockedEncoding(…)) ──────────┘

One attribute class wraps every encoding; `weft.layouts` parses and prints them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.ir import BuiltinAttribute, Data
from xdsl.irdl import irdl_attr_definition

from weft.layouts import DotOperandEncoding, Encoding, LinearEncoding, SliceEncoding

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

__all__ = ["EncodingAttr", "attribute", "verify_attribute"]


@irdl_attr_definition
class EncodingAttr(Data[Encoding], BuiltinAttribute):
    """A layout encoding, printed as Triton prints it: `#ttg.blocked<{…}>`."""

    name = "ttg.encoding"

    def print_builtin(self, printer: Printer) -> None:
        """Print the encoding; a printer with aliases abbreviates the encodings nested in it."""
        names = getattr(printer, "encoding_name", None)
        printer.print_string(self.data.text(names))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Encoding:
        return parser.raise_error("an encoding is read by its mnemonic")

    def print_parameter(self, printer: Printer) -> None:
        self.print_builtin(printer)


@cache
def attribute(encoding: Encoding) -> EncodingAttr:
    """Get the attribute that wraps an encoding; equal encodings share one."""
    return EncodingAttr(encoding)


def verify_attribute(encoding: Encoding) -> None:
    """Verify an encoding that was parsed, and the ones nested in it.

    Raises:
        LayoutError: A linear encoding in it is no layout of registers.
    """
    while isinstance(encoding, SliceEncoding | DotOperandEncoding):
        encoding = encoding.parent
    if isinstance(encoding, LinearEncoding):
        encoding.require_distributed()
