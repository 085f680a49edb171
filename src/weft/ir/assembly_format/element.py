"""What an element of an assembly format is, and the blanks between elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.ir.assembly_format.parsed import Parsed
from weft.ir.operation import Op

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["Spacing", "Element", "Literal", "NoBlank"]


class Spacing:
    """MLIR's rule for blanks between the printed elements of an operation."""

    __slots__ = ("after_punctuation", "pending")

    def __init__(self) -> None:
        self.pending = True
        self.after_punctuation = False

    def before_variable(self, printer: Printer) -> None:
        """Print the blank that goes before an operand, attribute, type or region."""
        if self.pending or not self.after_punctuation:
            printer.print_string(" ")
        self.pending = True
        self.after_punctuation = False

    def literal(self, printer: Printer, text: str) -> None:
        """Print a keyword or punctuation with the blank that goes before it."""
        if self.pending and _blank_before(text, self.after_punctuation):
            printer.print_string(" ")
        printer.print_string(text)
        self.pending = len(text) != 1 or text not in "<({["
        self.after_punctuation = text[0] != "_" and not text[0].isalpha()


def _blank_before(text: str, after_punctuation: bool) -> bool:
    if len(text) != 1 and text != "->":
        return True
    return text[0] not in (">)}]," if after_punctuation else "<>(){}[],")


class Element(ABC):
    """One element of a format."""

    @abstractmethod
    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        """Parse the element; tell whether anything was there (for an optional group)."""

    @abstractmethod
    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        """Print the element."""

    def present(self, op: Op) -> bool:
        """Tell whether the element, as an anchor, has something to print."""
        return True

    def bound(self) -> set[str]:
        """Return the properties that this element prints."""
        return set()


@dataclass(frozen=True, slots=True)
class Literal(Element):
    """A keyword or punctuation."""

    text: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        if self.text[0].isalpha() or self.text[0] == "_":
            parser.parse_keyword(self.text)
        else:
            parser.parse_punctuation(self.text)  # pyright: ignore[reportArgumentType]
        return True

    def parse_optional(self, parser: Parser) -> bool:
        """Parse the literal where it stands next; tell whether it did."""
        if self.text[0].isalpha() or self.text[0] == "_":
            return parser.parse_optional_keyword(self.text) is not None
        return parser.parse_optional_punctuation(self.text) is not None  # pyright: ignore

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.literal(printer, self.text)


@dataclass(frozen=True, slots=True)
class NoBlank(Element):
    """An empty literal: what follows comes without a blank."""

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.pending = False
        spacing.after_punctuation = True
