"""Directives for the types of operands and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue

from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.spec import Arity
from weft.ir.assembly_format.state import ParsingState, PrintingState
from weft.ir.assembly_format.variables import values_of

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["BareTypeDirective", "FunctionalTypeDirective", "TypeDirective"]


@dataclass(frozen=True, slots=True)
class TypeDirective(FormatDirective):
    """`type($name)`: the type of an operand or result, or the types of a variadic one.

    Attributes:
        name: The operand or result; `operands` and `results` list all types.
        arity: The number of its values.
        needs_tensor: Whether only tensors are accepted, so that the parser refuses other types.
    """

    name: str
    arity: Arity
    needs_tensor: bool = False

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        if self.arity == "one":
            start = parser.pos
            type_ = state.types[self.name] = parser.parse_type()
            if self.needs_tensor and not isinstance(type_, TensorType | UnrankedTensorType):
                parser.raise_error(
                    f"invalid kind of type specified: expected builtin.tensor, but found '{type_}'",
                    start,
                    parser.pos,
                )
            return True
        first = parser.parse_optional_type()
        if self.arity == "optional":
            if first is not None:
                state.types[self.name] = first
            return first is not None
        types: list[Attribute] = [] if first is None else [first]
        while types and parser.parse_optional_punctuation(",") is not None:
            types.append(parser.parse_type())
        state.types[self.name] = types
        return bool(types)

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        types = [value.type for value in values_of(op, self.name)]
        printer.print_list(types, printer.print_attribute)

    def is_present(self, op: Operation) -> bool:
        return bool(values_of(op, self.name))


@dataclass(frozen=True, slots=True)
class BareTypeDirective(FormatDirective):
    """`bare-type($name)`: a type without its dialect and mnemonic, `<tensor<64xf32>>`.

    MLIR omits them where the operation accepts one class of type only.

    Attributes:
        name: The operand or result.
        type_class: The class of type.
    """

    name: str
    type_class: type[ParametrizedAttribute]

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        type_ = parser.parse_optional_type()  # the full spelling is accepted too
        if type_ is None:
            type_ = self.type_class.new(self.type_class.parse_parameters(parser))
        state.types[self.name] = type_
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        (value,) = values_of(op, self.name)
        if isinstance(value.type, self.type_class):
            value.type.print_parameters(printer)
        else:
            printer.print_attribute(value.type)


@dataclass(frozen=True, slots=True)
class FunctionalTypeDirective(FormatDirective):
    """`functional-type($inputs, results)`: `(inputs) -> results`.

    Attributes:
        inputs: The name of a variadic operand, or `operands` for all.
    """

    inputs: str

    def parse(self, parser: Parser, state: ParsingState) -> bool:
        function_type = parser.parse_function_type()
        state.types[self.inputs] = list(function_type.inputs.data)
        state.types["results"] = list(function_type.outputs.data)
        return True

    def print(self, printer: Printer, op: Operation, state: PrintingState) -> None:
        state.start_variable(printer)
        inputs: Sequence[SSAValue] = values_of(op, self.inputs)
        printer.print_function_type([v.type for v in inputs], [r.type for r in op.results])
