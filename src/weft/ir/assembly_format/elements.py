"""The elements of an assembly format: each parses and prints its part of an operation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from weft.errors import VerifyError
from weft.ir import attributes
from weft.ir.assembly_format.parsed import Parsed
from weft.ir.constraints import EnumConstraint, IntegerList, TypedInteger
from weft.ir.flags import FlagsAttr, parse_flags
from weft.ir.operation import Op


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
class TypeOf(Element):
    """`type($name)`: the type of an operand or result, or the types of a variadic one.

    kind: "one", "optional" or "many". `type(operands)` and `type(results)` list all types.
    """

    name: str
    kind: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        if self.kind == "one":
            parsed.types[self.name] = parser.parse_type()
            return True
        first = parser.parse_optional_type()
        if self.kind == "optional":
            if first is not None:
                parsed.types[self.name] = first
            return first is not None
        found = [] if first is None else [first]
        while found and parser.parse_optional_punctuation(",") is not None:
            found.append(parser.parse_type())
        parsed.types[self.name] = found
        return bool(found)

    def values(self, op: Op) -> Sequence[SSAValue]:
        """Return the values whose types are listed."""
        value = getattr(op, self.name)
        if value is None:
            return ()
        return (value,) if isinstance(value, SSAValue) else value

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        printer.print_list([value.type for value in self.values(op)], printer.print_attribute)

    def present(self, op: Op) -> bool:
        return bool(self.values(op))


@dataclass(frozen=True, slots=True)
class BareTypeOf(Element):
    """`bare-type($name)`: the type of an operand or result without its dialect and mnemonic.

    MLIR leaves them out where only one class of type can stand there: `<tensor<64xf32>>`.
    """

    name: str
    kind: type[ParametrizedAttribute]

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        type_ = parser.parse_optional_type()  # the full spelling is accepted too
        if type_ is None:
            type_ = self.kind.new(self.kind.parse_parameters(parser))
        parsed.types[self.name] = type_
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        type_ = getattr(op, self.name).type
        if isinstance(type_, self.kind):
            type_.print_parameters(printer)
        else:
            printer.print_attribute(type_)


@dataclass(frozen=True, slots=True)
class FunctionalType(Element):
    """`functional-type($inputs, results)`: `(inputs) -> results`, all of them for `operands`."""

    inputs: str

    def parse(self, parser: Parser, parsed: Parsed) -> bool:
        function_type = parser.parse_function_type()
        parsed.types[self.inputs] = list(function_type.inputs.data)
        parsed.types["results"] = list(function_type.outputs.data)
        return True

    def print(self, printer: Printer, op: Op, spacing: Spacing) -> None:
        spacing.before_variable(printer)
        values = op.operands if self.inputs == "operands" else getattr(op, self.inputs)
        printer.print_function_type([v.type for v in values], [r.type for r in op.results])


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
