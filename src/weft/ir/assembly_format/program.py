"""Run the directives of a format to parse or print one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments

from weft.errors import LayoutError
from weft.ir import attributes
from weft.ir.assembly_format.directive import FormatDirective
from weft.ir.assembly_format.format_parser import FormatParser
from weft.ir.assembly_format.spec import FormatSpec
from weft.ir.assembly_format.state import ParsedTypes, ParsingState, PrintingState

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["FormatProgram"]


class FormatProgram(Struct, frozen=True):
    """The compiled assembly format of one operation class.

    Attributes:
        spec: The operation class.
        directives: The directives of the format.
    """

    spec: FormatSpec
    directives: tuple[FormatDirective, ...]

    @staticmethod
    def compile(spec: FormatSpec) -> FormatProgram:
        """Compile the format of an operation class."""
        return FormatProgram(spec, FormatParser(spec).parse())

    def parse(self, parser: Parser) -> Operation:
        """Parse what follows the name of an operation, and create it.

        Raises:
            xdsl.utils.exceptions.ParseError: `weft.ir.text` turns it into a
                `weft.errors.ParseError`.
        """
        spec, options = self.spec, self.spec.definition.options
        # Types come after the operands in the text, so operands are resolved when all is parsed.
        state = ParsingState(ParsedTypes(spec.infer))
        start = parser.pos
        for directive in self.directives:
            directive.parse(parser, state)
        # The dictionary holds properties too, if no other directive spells them.
        for name in [name for name in state.attributes if name in spec.definition.properties]:
            state.properties[name] = state.attributes.pop(name)
        try:
            operands = self._resolve_operands(parser, state, start)
            result_types = self._result_types(state.types)
        except (TypeError, LayoutError) as error:
            parser.raise_error(str(error), start)
        if any(isinstance(option, AttrSizedOperandSegments) for option in options):
            sizes = [len(state.operands.get(name, ())) for name, _ in spec.operands]
            state.properties["operandSegmentSizes"] = attributes.array_i32(tuple(sizes))
        if any(isinstance(option, AttrSizedResultSegments) for option in options):
            sizes = [len(types) for types in result_types]
            state.properties["resultSegmentSizes"] = attributes.array_i32(tuple(sizes))
        return spec.cls.create(
            operands=operands,
            result_types=[type_ for types in result_types for type_ in types],
            properties=state.properties,
            attributes=state.attributes,
            regions=[state.regions.get(name) or Region() for name, _ in spec.definition.regions],
        )

    def _resolve_operands(self, parser: Parser, state: ParsingState, start: int) -> list[SSAValue]:
        if "operands" in state.types:  # from functional-type(operands, results)
            operands = [o for name, _ in self.spec.operands for o in state.operands.get(name, ())]
            types = _as_list(state.types.get("operands"))
            return list(parser.resolve_operands(operands, types, start))
        values: list[SSAValue] = []
        for name, _ in self.spec.operands:
            operands = state.operands.get(name)
            if not operands:
                continue
            type_ = state.types.get(name)
            # One inferred type holds for all operands of a variadic group.
            types = type_ if isinstance(type_, list) else [type_] * len(operands)
            values += parser.resolve_operands(operands, types, start)
        return values

    def _result_types(self, types: ParsedTypes) -> list[list[Attribute]]:
        """List the types of the results, one list per result name."""
        if "results" in types:
            return [_as_list(types.get("results"))]
        return [
            [] if arity == "optional" and name not in types else _as_list(types.get(name))
            for name, arity in self.spec.results
        ]

    def print(self, printer: Printer, op: Operation) -> None:
        """Print what follows the name of an operation."""
        state = PrintingState()
        for directive in self.directives:
            directive.print(printer, op, state)


def _as_list(type_: Attribute | list[Attribute]) -> list[Attribute]:
    return type_ if isinstance(type_, list) else [type_]
