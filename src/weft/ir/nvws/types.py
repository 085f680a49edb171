"""Types and attributes of nvws."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from weft.ir.keywords import KeywordAttr

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

__all__ = ["ArefType", "AsyncOpAttr", "TokenType"]


@irdl_attr_definition
class ArefType(ParametrizedAttribute, TypeAttribute):
    """Rings of buffers that producers and consumers hand to each other.

    `!nvws.aref<[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]>`
    """

    name = "nvws.aref"
    buffers: ArrayAttr[Attribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_type)
        return [ArrayAttr(found)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<[")
        printer.print_list(self.buffers.data, printer.print_attribute)
        printer.print_string("]>")


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """What producer and consumer synchronise on: `!nvws.token`, in a tensor, one per buffer."""

    name = "nvws.token"


@irdl_attr_definition
class AsyncOpAttr(KeywordAttr):
    """The kind of asynchronous work that a buffer waits for: `#nvws.async_op<tma_load>`."""

    name = "nvws.async_op"
    KEYWORDS: ClassVar[tuple[str, ...]] = (
        "none",
        "tma_load",
        "tc5mma",
        "tmem_copy",
        "cp_async",
        "wgmma",
    )
