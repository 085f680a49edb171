"""Directives of the assembly format that operations on tensor memory share.

%t = ttng.tmem_store %x, %m[%dep], %p …      the brackets say that the operation returns a token;
%t = ttng.tmem_store %x, %m[], %p …          it may wait for one
ttng.tc_gen5_mma %a, %b, %d, %u, %p, %bar0[%p0], %bar1[%p1] …     barriers and predicates
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.state import ParsingState, PrintingState
from weft.ir.assembly_format.variables import values_of
from weft.ir.ttg.types import async_token

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer

__all__ = ["BarriersDirective", "TokenDirective"]


@dataclass(frozen=True, slots=True)
class TokenDirective(FormatDirective):
    """`[%dep]`, directly after the buffer, if the operation returns a token.

    Attributes:
        dependency: The optional operand, a token to wait for.
        token: The optional result.
    """

    dependency: str
    token: str

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        if parser.parse_optional_punctuation("[") is None:
            return False
        state.types[self.token] = async_token
        dependency = parser.parse_optional_unresolved_operand()
        if dependency is not None:
            state.operands[self.dependency] = [dependency]
            state.types[self.dependency] = async_token
        parser.parse_punctuation("]")
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        if values_of(op, self.token):
            printer.print_string("[")
            printer.print_list(values_of(op, self.dependency), printer.print_operand)
            printer.print_string("]")


@dataclass(frozen=True, slots=True)
class BarriersDirective(FormatDirective):
    """`, %barrier[%predicate]`, any number of times.

    Attributes:
        barriers: The variadic operand of mbarriers.
        predicates: The variadic operand of their predicates.
    """

    barriers: str
    predicates: str

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        barriers: list[UnresolvedOperand] = []
        predicates: list[UnresolvedOperand] = []
        while parser.parse_optional_punctuation(",") is not None:
            barriers.append(parser.parse_unresolved_operand())
            parser.parse_punctuation("[")
            predicates.append(parser.parse_unresolved_operand())
            parser.parse_punctuation("]")
        state.operands[self.barriers] = barriers
        state.operands[self.predicates] = predicates
        return bool(barriers)

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        barriers, predicates = values_of(op, self.barriers), values_of(op, self.predicates)
        for barrier, predicate in zip(barriers, predicates, strict=True):
            printer.print_string(", ")
            printer.print_operand(barrier)
            printer.print_string("[")
            printer.print_operand(predicate)
            printer.print_string("]")
