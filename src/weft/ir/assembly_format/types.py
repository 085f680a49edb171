"""Elements that parse and print the types of operands and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue

from weft.ir.assembly_format.element import Element, Spacing
from weft.ir.assembly_format.parsed import Parsed
from weft.ir.operation import Op

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["TypeOf", "BareTypeOf", "FunctionalType"]


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
        listed: list[Attribute] = [] if first is None else [first]
        while listed and parser.parse_optional_punctuation(",") is not None:
            listed.append(parser.parse_type())
        parsed.types[self.name] = listed
        return bool(listed)

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
