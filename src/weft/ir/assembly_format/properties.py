"""Elements that parse and print what an operation says of itself: properties and attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr
from xdsl.ir import Attribute

from weft.errors import VerifyError
from weft.ir import attributes
from weft.ir.assembly_format.element import Element, Spacing
from weft.ir.assembly_format.parsed import Parsed
from weft.ir.constraints import EnumConstraint, IntegerList, TypedInteger
from weft.ir.flags import FlagsAttr, parse_flags
from weft.ir.operation import Op

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["Property", "Flags", "UnitProperty", "AttrDict"]


@dataclass(frozen=True, slots=True)
class Property(Element):
    """`$name` of a property: an enumeration's keyword, a bare number or any attribute."""

    name: str
    constraint: object
    default: Attribute | None

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        constraint = self.constraint
        if isinstance(constraint, EnumConstraint):
            keyword = parser.parse_optional_identifier()
            if keyword is None:
                parser.raise_error(f"a {constraint.enum.__name__} expected")
            try:
                value: Attribute = constraint.enum.from_keyword(keyword).attr()
            except VerifyError as error:
                parser.raise_error(f"{error.message} {keyword}; accepted: {error.accepted}")
        elif isinstance(constraint, TypedInteger):
            value = attributes.integer(parser.parse_integer(), constraint.type)
        elif isinstance(constraint, IntegerList):
            listed = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
            value = DenseArrayBase.from_list(constraint.type, listed)
        else:
            value = parser.parse_attribute()
        parsed.properties[self.name] = value
        return True

    def parse_optional(self, parser: Parser, parsed: Parsed) -> bool:
        """Parse an enumeration's keyword where one stands next; tell whether it did."""
        if isinstance(self.constraint, EnumConstraint):
            for member in self.constraint.enum:
                if parser.parse_optional_keyword(member.keyword) is not None:
                    parsed.properties[self.name] = member.attr()
                    return True
        return False

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        value = op.properties[self.name]
        if isinstance(self.constraint, EnumConstraint):
            printer.print_string(self.constraint.enum.of(value).keyword)
        elif isinstance(self.constraint, TypedInteger) and isinstance(value, IntegerAttr):
            printer.print_int(value.value.data, value.type)
        elif isinstance(self.constraint, IntegerList):
            printer.print_string(str(list(attributes.array_values(value))))
        else:
            printer.print_attribute(value)

    def present(self, op: Op) -> bool:
        value = op.properties.get(self.name)
        return value is not None and value != self.default

    def bound(self) -> set[str]:
        return {self.name}


@dataclass(frozen=True, slots=True)
class Flags(Element):
    """`$name` of a flags property: `<nsw, nuw>`, right behind its keyword."""

    name: str
    kind: str
    optional: bool

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        parsed.properties[self.name] = parse_flags(parser, self.kind)
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        value = op.properties[self.name]
        if isinstance(value, FlagsAttr):
            value.print_flags(printer)

    def present(self, op: Op) -> bool:
        value = op.properties.get(self.name)
        return isinstance(value, FlagsAttr) and (self.optional or len(value.data) > 1)

    def bound(self) -> set[str]:
        return {self.name}


@dataclass(frozen=True, slots=True)
class UnitProperty(Element):
    """`$name` of a unit property: in an optional group, its keyword alone says it is there."""

    name: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        parsed.properties[self.name] = UnitAttr()
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        pass

    def present(self, op: Op) -> bool:
        return self.name in op.properties

    def bound(self) -> set[str]:
        return {self.name}


@dataclass(frozen=True, slots=True)
class AttrDict(Element):
    """`attr-dict`: attributes, and the properties that no other element prints."""

    elided: frozenset[str]
    keyword: bool

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        if self.keyword and parser.parse_optional_keyword("attributes") is None:
            return False
        parsed.attributes.update(parser.parse_optional_attr_dict())
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        shown = dict(op.attributes)
        for name, value in op.properties.items():
            if name not in self.elided and value != op.DEFAULTS.get(name):
                shown[name] = value
        ordered = {name: shown[name] for name in sorted(shown)}
        printer.print_op_attributes(ordered, print_keyword=self.keyword)
