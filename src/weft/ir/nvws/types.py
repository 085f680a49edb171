"""Types and attributes of nvws."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from weft.ir import types
from weft.ir.keyword_attr import KeywordAttr
from weft.ir.type_constraints import TypeConstraint

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

__all__ = ["AREF", "TOKENS", "ArefType", "AsyncOpAttr", "TokenType"]


@irdl_attr_definition
class ArefType(ParametrizedAttribute, TypeAttribute):
    """An asynchronous reference: multi-buffered memory shared by producers and consumers.

    `!nvws.aref<[!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable>]>`
    """

    name = "nvws.aref"
    buffers: ArrayAttr[Attribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            buffers = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_type)
        return [ArrayAttr(buffers)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<[")
        printer.print_list(self.buffers.data, printer.print_attribute)
        printer.print_string("]>")


AREF = TypeConstraint("Asynchronous Reference", lambda type_: isinstance(type_, ArefType))


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """A token of a channel; a tensor of them has one per buffer: `!nvws.token`."""

    name = "nvws.token"


TOKENS = TypeConstraint(
    "tensor of  values",
    lambda type_: types.is_tensor(type_) and isinstance(type_.element_type, TokenType),
)


@irdl_attr_definition
class AsyncOpAttr(KeywordAttr):
    """The kind of asynchronous operation that accesses a buffer: `#nvws.async_op<tma_load>`."""

    name = "nvws.async_op"
    KEYWORDS: ClassVar[tuple[str, ...]] = (
        "none",
        "tma_load",
        "tc5mma",
        "tmem_copy",
        "cp_async",
        "wgmma",
    )
