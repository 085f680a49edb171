"""Pieces of format that operations on tensor memory share.

%t = ttng.tmem_store %x, %m[%dep], %p …      `[%dep]` says that there is a token as result,
%t = ttng.tmem_store %x, %m[], %p …          with or without one as operand
ttng.tc_gen5_mma %a, %b, %d, %u, %p, %bar0[%p0], %bar1[%p1] …     barriers and predicates
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from weft.ir.assembly_format.element import Element, Spacing
from weft.ir.assembly_format.parsed import Parsed
from weft.ir.operation import Op
from weft.ir.ttg.types import async_token

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer

__all__ = ["BarriersAndPredicates", "Token"]


@dataclass(frozen=True, slots=True)
class Token(Element):
    """`[%dep]`, right behind the buffer, where the operation gives a token."""

    dependency: str
    token: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        if parser.parse_optional_punctuation("[") is None:
            return False
        parsed.types[self.token] = async_token
        found = parser.parse_optional_unresolved_operand()
        if found is not None:
            parsed.operands[self.dependency] = [found]
            parsed.types[self.dependency] = async_token
        parser.parse_punctuation("]")
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        if getattr(op, self.token) is None:
            return
        printer.print_string("[")
        value = getattr(op, self.dependency)
        if isinstance(value, SSAValue):
            printer.print_operand(value)
        printer.print_string("]")


@dataclass(frozen=True, slots=True)
class BarriersAndPredicates(Element):
    """`, %barrier[%predicate]`, any number of times."""

    barriers: str
    predicates: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        barriers: list[UnresolvedOperand] = []
        predicates: list[UnresolvedOperand] = []
        while parser.parse_optional_punctuation(",") is not None:
            barriers.append(parser.parse_unresolved_operand())
            parser.parse_punctuation("[")
            predicates.append(parser.parse_unresolved_operand())
            parser.parse_punctuation("]")
        parsed.operands[self.barriers] = barriers
        parsed.operands[self.predicates] = predicates
        return bool(barriers)

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        for barrier, predicate in zip(
            getattr(op, self.barriers), getattr(op, self.predicates), strict=True
        ):
            printer.print_string(", ")
            printer.print_operand(barrier)
            printer.print_string("[")
            printer.print_operand(predicate)
            printer.print_string("]")
