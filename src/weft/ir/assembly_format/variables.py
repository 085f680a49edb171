"""Variables for operands and regions: `$name`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.spec import Arity
from weft.ir.assembly_format.state import ParsingState, PrintingState

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer

__all__ = ["OperandVariable", "RegionVariable", "values_of"]


def values_of(op: Operation, name: str) -> list[SSAValue]:
    """List the operands or results of a name: any number of them."""
    value = getattr(op, name)
    if value is None:
        return []
    return [value] if isinstance(value, SSAValue) else list(value)


@dataclass(frozen=True, slots=True)
class OperandVariable(FormatDirective):
    """`$name` of an operand: one, optional, or a comma-separated list.

    Attributes:
        name: The operand.
        arity: The number of its values.
    """

    name: str
    arity: Arity

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        if self.arity == "one":
            state.operands[self.name] = [parser.parse_unresolved_operand()]
            return True
        operands: list[UnresolvedOperand] = []
        if (operand := parser.parse_optional_unresolved_operand()) is not None:
            operands.append(operand)
            while self.arity == "many" and parser.parse_optional_punctuation(",") is not None:
                operands.append(parser.parse_unresolved_operand())
        state.operands[self.name] = operands
        return bool(operands)

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)  # MLIR prints the blank even if no operand follows
        printer.print_list(values_of(op, self.name), printer.print_operand)

    def is_present(self, op: Operation) -> bool:
        return bool(values_of(op, self.name))


@dataclass(frozen=True, slots=True)
class RegionVariable(FormatDirective):
    """`$name` of a region.

    Attributes:
        name: The region.
    """

    name: str

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        state.regions[self.name] = parser.parse_region()
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        printer.print_region(getattr(op, self.name))
