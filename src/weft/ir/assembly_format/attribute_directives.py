"""Variables for properties, `$name`, and the attribute dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrConstraint

from weft.errors import VerifyError
from weft.ir import attributes
from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.state import ParsingState, PrintingState
from weft.ir.bit_enums import FlagsAttr, parse_flags
from weft.ir.constraints import EnumConstraint, IntegerArray, TypedInteger

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["AttrDictDirective", "AttributeVariable", "FlagsVariable", "UnitAttributeVariable"]


@dataclass(frozen=True, slots=True)
class AttributeVariable(FormatDirective):
    """`$name` of a property: the keyword of an enum, a number without its type, or any attribute.

    Attributes:
        name: The property.
        constraint: What the property accepts, which decides its spelling.
        default: Its default value, None without one.
    """

    name: str
    constraint: AttrConstraint
    default: Attribute | None

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        constraint = self.constraint
        if isinstance(constraint, EnumConstraint):
            value: Attribute = _parse_enum(parser, constraint)
        elif isinstance(constraint, TypedInteger):
            value = attributes.integer(parser.parse_integer(), constraint.type)
        elif isinstance(constraint, IntegerArray):
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
            value = DenseArrayBase.from_list(constraint.type, numbers)
        else:
            value = parser.parse_attribute()
        state.properties[self.name] = value
        return True

    def parse_optional(self, parser: Parser, state: ParsingState) -> bool:
        if isinstance(self.constraint, EnumConstraint):
            for member in self.constraint.enum:
                if parser.parse_optional_keyword(member.keyword) is not None:
                    state.properties[self.name] = member.attr()
                    return True
        return False

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        value = op.properties[self.name]
        if isinstance(self.constraint, EnumConstraint):
            printer.print_string(self.constraint.enum.of(value).keyword)
        elif isinstance(self.constraint, TypedInteger) and isinstance(value, IntegerAttr):
            printer.print_int(value.value.data, value.type)
        elif isinstance(self.constraint, IntegerArray):
            printer.print_string(str(list(attributes.array_values(value))))
        else:
            printer.print_attribute(value)

    def is_present(self, op: Operation) -> bool:
        value = op.properties.get(self.name)
        return value is not None and value != self.default

    def bound_properties(self) -> set[str]:
        return {self.name}


def _parse_enum(parser: Parser, constraint: EnumConstraint) -> IntegerAttr:
    enum = constraint.enum
    keyword = parser.parse_optional_identifier() or parser.parse_optional_str_literal()
    if keyword is None:
        accepted = ", ".join(member.keyword for member in enum)
        parser.raise_error(f"expected {enum.__name__} to be one of: {accepted}")
    try:
        return enum.from_keyword(keyword).attr()
    except VerifyError as error:
        hint = f" ({error.hint})" if error.hint else ""
        parser.raise_error(f"{error.message}; found {keyword}{hint}")


@dataclass(frozen=True, slots=True)
class FlagsVariable(FormatDirective):
    """`$name` of a flags property: `<nsw, nuw>`, directly after its keyword.

    Attributes:
        name: The property.
        enum: "overflow" or "fastmath".
        optional: Whether the property may be absent, so that `none` is printed.
    """

    name: str
    enum: str
    optional: bool

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        state.properties[self.name] = parse_flags(parser, self.enum)
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        value = op.properties[self.name]
        if isinstance(value, FlagsAttr):
            value.print_flags(printer)

    def is_present(self, op: Operation) -> bool:
        value = op.properties.get(self.name)
        return isinstance(value, FlagsAttr) and (self.optional or len(value.data) > 1)

    def bound_properties(self) -> set[str]:
        return {self.name}


@dataclass(frozen=True, slots=True)
class UnitAttributeVariable(FormatDirective):
    """`$name` of a unit property: the keyword of its optional group says that it is present.

    Attributes:
        name: The property.
    """

    name: str

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        state.properties[self.name] = UnitAttr()
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        pass

    def is_present(self, op: Operation) -> bool:
        return self.name in op.properties

    def bound_properties(self) -> set[str]:
        return {self.name}


@dataclass(frozen=True, slots=True)
class AttrDictDirective(FormatDirective):
    """`attr-dict`: attributes, and the properties that no other directive prints.

    Attributes:
        with_keyword: Whether the keyword `attributes` precedes the dictionary.
        elided: The properties that are not printed here.
        defaults: The default values of properties, which are not printed either.
    """

    with_keyword: bool
    elided: frozenset[str]
    defaults: Mapping[str, Attribute]

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        if self.with_keyword and parser.parse_optional_keyword("attributes") is None:
            return False
        state.attributes.update(parser.parse_optional_attr_dict())
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        entries = dict(op.attributes)
        for name, value in op.properties.items():
            if name not in self.elided and value != self.defaults.get(name):
                entries[name] = value
        ordered = {name: entries[name] for name in sorted(entries)}
        printer.print_op_attributes(ordered, print_keyword=self.with_keyword)
