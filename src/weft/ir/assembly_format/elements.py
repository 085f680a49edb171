"""Elements that parse and print operands and regions, and elements made of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from weft.ir.assembly_format.element import Element, Literal, Spacing
from weft.ir.assembly_format.parsed import Parsed
from weft.ir.assembly_format.properties import Property
from weft.ir.operation import Op

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer

__all__ = ["Operand", "RegionElement", "Group", "AnyOrder"]


@dataclass(frozen=True, slots=True)
class Operand(Element):
    """`$name` of an operand: one, optional, or a comma-separated list."""

    name: str
    kind: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        if self.kind == "one":
            parsed.operands[self.name] = [parser.parse_unresolved_operand()]
            return True
        found: list[UnresolvedOperand] = []
        if (operand := parser.parse_optional_unresolved_operand()) is not None:
            found.append(operand)
            while self.kind == "many" and parser.parse_optional_punctuation(",") is not None:
                found.append(parser.parse_unresolved_operand())
        parsed.operands[self.name] = found
        return bool(found)

    def values(self, op: Op) -> list[SSAValue]:
        """Return the operands that this name stands for."""
        value = getattr(op, self.name)
        if value is None:
            return []
        return [value] if isinstance(value, SSAValue) else list(value)

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)  # MLIR prints the blank even where nothing follows
        printer.print_list(self.values(op), printer.print_operand)

    def present(self, op: Op) -> bool:
        return bool(self.values(op))


@dataclass(frozen=True, slots=True)
class RegionElement(Element):
    """`$name` of a region."""

    name: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        parsed.regions[self.name] = parser.parse_region()
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        printer.print_region(getattr(op, self.name))


@dataclass(frozen=True, slots=True)
class Group(Element):
    """`( … $x^ … )?`: printed only where the anchor is present."""

    elements: tuple[Element, ...]
    anchor: Element

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        first = self.elements[0]
        if isinstance(first, Literal):
            found = first.parse_optional(parser)
        elif isinstance(first, Property):
            found = first.parse_optional(parser, parsed)
        else:
            found = first.parse(parser, parsed)
        if found:
            for element in self.elements[1:]:
                element.parse(parser, parsed)
        return found

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        if self.anchor.present(op):
            for element in self.elements:
                element.print(printer, op, spacing)

    def bound(self) -> set[str]:
        return set().union(*(element.bound() for element in self.elements))


@dataclass(frozen=True, slots=True)
class AnyOrder(Element):
    """`oilist(`key` … | …)`: clauses in any order, each at most once."""

    clauses: tuple[tuple[Element, ...], ...]

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        seen: set[int] = set()
        while True:
            for index, clause in enumerate(self.clauses):
                head = clause[0]
                if index not in seen and isinstance(head, Literal) and head.parse_optional(parser):
                    seen.add(index)
                    for element in clause[1:]:
                        element.parse(parser, parsed)
                    break
            else:
                return bool(seen)

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        for clause in self.clauses:
            variables = [e for e in clause if not isinstance(e, Literal)]
            if all(variable.present(op) for variable in variables):
                for element in clause:
                    element.print(printer, op, spacing)

    def bound(self) -> set[str]:
        return set().union(*(e.bound() for clause in self.clauses for e in clause))
