"""The base class of directives, and those that need no operand or attribute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.ir import Operation

from weft.ir.assembly_format.state import ParsingState, PrintingState

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer
    from xdsl.utils.mlir_lexer import PunctuationSpelling

__all__ = [
    "FormatDirective",
    "LiteralDirective",
    "OIListDirective",
    "OptionalGroup",
    "WhitespaceDirective",
]


class FormatDirective(ABC):
    """One element of an assembly format."""

    @abstractmethod
    def parse(self, parser: Parser, state: ParsingState) -> bool:
        """Parse the directive.

        Returns:
            Whether it consumed text, which decides whether an optional group is present.
        """

    def parse_optional(self, parser: Parser, state: ParsingState) -> bool:
        """Parse the directive as the first of an optional group: absent text is no error."""
        return self.parse(parser, state)

    @abstractmethod
    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        """Print the directive."""

    def is_present(self, op: Operation) -> bool:
        """Check whether the directive, as the anchor of an optional group, prints anything."""
        return True

    def bound_properties(self) -> set[str]:
        """List the properties that this directive prints, which `attr-dict` omits."""
        return set()


@dataclass(frozen=True, slots=True)
class LiteralDirective(FormatDirective):
    """A keyword or punctuation.

    Attributes:
        text: The literal.
    """

    text: str

    @property
    def is_keyword(self) -> bool:
        return self.text[0].isalpha() or self.text[0] == "_"

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        if not self.parse_optional(parser, state):
            parser.raise_error(f"expected '{self.text}'")
        return True

    def parse_optional(self, parser: Parser, state: ParsingState) -> bool:
        if self.is_keyword:
            return parser.parse_optional_keyword(self.text) is not None
        return parser.parse_optional_punctuation(cast("PunctuationSpelling", self.text)) is not None

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.print_literal(printer, self.text)


@dataclass(frozen=True, slots=True)
class WhitespaceDirective(FormatDirective):
    """The empty literal: no blank before the next directive."""

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.suppress_blank()


@dataclass(frozen=True, slots=True)
class OptionalGroup(FormatDirective):
    """`( … $x^ … )?`: printed if the anchor is present, parsed if its first directive is.

    Attributes:
        directives: The directives of the group.
        anchor: The one marked by `^`.
    """

    directives: tuple[FormatDirective, ...]
    anchor: FormatDirective

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        first, *rest = self.directives
        present = first.parse_optional(parser, state)
        if present:
            for directive in rest:
                directive.parse(parser, state)
        return present

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        if self.anchor.is_present(op):
            for directive in self.directives:
                directive.print(printer, op, state)

    def bound_properties(self) -> set[str]:
        return set[str]().union(*(directive.bound_properties() for directive in self.directives))


@dataclass(frozen=True, slots=True)
class OIListDirective(FormatDirective):
    """`oilist(`keyword` … | …)`: clauses in any order, each at most once.

    Attributes:
        clauses: The directives of each clause; the first is the keyword.
    """

    clauses: tuple[tuple[FormatDirective, ...], ...]

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        remaining = list(self.clauses)
        while True:
            for clause in remaining:
                if clause[0].parse_optional(parser, state):
                    remaining.remove(clause)
                    for directive in clause[1:]:
                        directive.parse(parser, state)
                    break
            else:
                return len(remaining) < len(self.clauses)

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        for clause in self.clauses:
            variables = [d for d in clause if not isinstance(d, LiteralDirective)]
            if all(variable.is_present(op) for variable in variables):
                for directive in clause:
                    directive.print(printer, op, state)

    def bound_properties(self) -> set[str]:
        return set[str]().union(*(d.bound_properties() for clause in self.clauses for d in clause))
