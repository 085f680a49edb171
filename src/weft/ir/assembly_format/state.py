"""What parsing an operation has collected, and the spacing while printing one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from xdsl.ir import Attribute, Region

if TYPE_CHECKING:
    from xdsl.parser import UnresolvedOperand
    from xdsl.printer import Printer

__all__ = ["InferType", "ParsedTypes", "ParsingState", "PrintingState"]


class ParsedTypes:
    """The types that the text spells; the others are inferred on demand.

    Args:
        infer: How to compute the types that the format omits, by operand or result.
    """

    def __init__(self, infer: Mapping[str, InferType]) -> None:
        self._infer = infer
        self._types: dict[str, Attribute | list[Attribute]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._types

    def __setitem__(self, name: str, type_: Attribute | list[Attribute]) -> None:
        self._types[name] = type_

    def get(self, name: str) -> Attribute | list[Attribute]:
        """Get the type of an operand or result, or the types of a variadic one.

        Raises:
            TypeError: The text does not spell it and the operation does not infer it.
        """
        if name not in self._types:
            infer = self._infer.get(name)
            if infer is None:
                raise TypeError(f"type of '{name}' is neither given nor inferred")
            self._types[name] = infer(self)
        return self._types[name]

    def __getitem__(self, name: str) -> Attribute:
        """Get the type of an operand or result that is not variadic."""
        type_ = self.get(name)
        assert isinstance(type_, Attribute)
        return type_


InferType = Callable[[ParsedTypes], Attribute | list[Attribute]]
"""Computes the type (for a variadic operand: the types) that the text omits."""


class ParsingState(Struct):
    """What the text of one operation has defined so far.

    Attributes:
        types: Types by the name of the operand or result.
        operands: Operands by name; the list of an absent optional operand is empty.
        properties: Properties by name.
        attributes: Attributes by name.
        regions: Regions by name.
    """

    types: ParsedTypes
    operands: dict[str, list[UnresolvedOperand]] = field(default_factory=dict)
    properties: dict[str, Attribute] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)


class PrintingState:
    """MLIR's spacing rule: where a blank separates two printed directives.

    There is none after an opening bracket, and none before `,`, `)`, `]`, `>` and `<`.
    """

    __slots__ = ("after_punctuation", "pending")

    def __init__(self) -> None:
        self.pending = True
        self.after_punctuation = False

    def start_variable(self, printer: Printer) -> None:
        """Print the blank that precedes an operand, attribute, type or region."""
        if self.pending or not self.after_punctuation:
            printer.print_string(" ")
        self.pending = True
        self.after_punctuation = False

    def print_literal(self, printer: Printer, text: str) -> None:
        """Print a keyword or punctuation with the blank that precedes it."""
        if self.pending and _separated(text, self.after_punctuation):
            printer.print_string(" ")
        printer.print_string(text)
        self.pending = len(text) != 1 or text not in "<({["
        self.after_punctuation = text[0] != "_" and not text[0].isalpha()

    def suppress_blank(self) -> None:
        """Print no blank before the next directive."""
        self.pending = False
        self.after_punctuation = True


def _separated(text: str, after_punctuation: bool) -> bool:
    if len(text) != 1 and text != "->":
        return True
    return text[0] not in (">)}]," if after_punctuation else "<>(){}[],")
