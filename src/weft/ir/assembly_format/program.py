"""Run the elements of a format to parse or print one operation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments

from weft.errors import LayoutError
from weft.ir import attributes
from weft.ir.assembly_format.element import Element, Spacing
from weft.ir.assembly_format.parsed import KnownTypes, Parsed
from weft.ir.assembly_format.properties import AttrDict
from weft.ir.assembly_format.reader import Reader
from weft.ir.operation import Op, operand_names, result_names

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer


@dataclass(frozen=True, slots=True)
class Program:
    """The compiled format of one operation class.

    operands, results: (name, "one" | "optional" | "many") in order.  segmented,
    result_segmented: the sizes of the groups of operands and results are kept as a property.
    """

    cls: type[Op]
    elements: tuple[Element, ...]
    operands: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    regions: tuple[str, ...]
    properties: frozenset[str]
    segmented: bool
    result_segmented: bool

    def parse(self, parser: Parser) -> Any:
        """Parse what follows the operation's name.

        Raises: xDSL's ParseError, which the text room turns into a `weft.errors.ParseError`.
        """
        parsed = Parsed(KnownTypes(self.cls))
        start = parser.pos
        for element in self.elements:
            element.parse(parser, parsed)
        for name in [name for name in parsed.attributes if name in self.properties]:
            parsed.properties[name] = parsed.attributes.pop(name)
        try:
            operands = self._operands(parser, parsed, start)
            groups = self._results(parsed)
        except (TypeError, LayoutError) as error:
            parser.raise_error(str(error), start)
        if self.segmented:
            sizes = [len(parsed.operands.get(name, ())) for name, _ in self.operands]
            parsed.properties["operandSegmentSizes"] = attributes.array_i32(tuple(sizes))
        if self.result_segmented:
            sizes = [len(group) for group in groups]
            parsed.properties["resultSegmentSizes"] = attributes.array_i32(tuple(sizes))
        return self.cls.create(
            operands=operands,
            result_types=[type_ for group in groups for type_ in group],
            properties=parsed.properties,
            attributes=parsed.attributes,
            regions=[parsed.regions.get(name) or Region() for name in self.regions],
        )

    def _operands(self, parser: Parser, parsed: Parsed, start: int) -> list[SSAValue]:
        known = parsed.types
        if "operands" in known:
            flat = [o for name, _ in self.operands for o in parsed.operands.get(name, ())]
            return list(parser.resolve_operands(flat, _listed(known.get("operands")), start))
        values: list[SSAValue] = []
        for name, _ in self.operands:
            unresolved = parsed.operands.get(name)
            if not unresolved:
                continue
            type_ = known.get(name)
            # One inferred type holds for all operands of a variadic group.
            listed = type_ if isinstance(type_, list) else [type_] * len(unresolved)
            values += parser.resolve_operands(unresolved, listed, start)
        return values

    def _results(self, parsed: Parsed) -> list[list[Attribute]]:
        """List the types of the results, one list per group."""
        known = parsed.types
        if "results" in known:
            return [_listed(known.get("results"))]
        return [
            [] if kind == "optional" and name not in known else _listed(known.get(name))
            for name, kind in self.results
        ]

    def print(self, printer: Printer, op: Op) -> None:
        """Print what follows the operation's name."""
        spacing = Spacing()
        for element in self.elements:
            element.print(printer, op, spacing)


def _listed(type_: Attribute | list[Attribute]) -> list[Attribute]:
    return type_ if isinstance(type_, list) else [type_]


@cache
def program(cls: type[Op]) -> Program:
    """Return the compiled format of an operation class."""
    elements, _ = Reader(cls).elements()
    bound = frozenset(set().union(*(element.bound() for element in elements)))
    definition = cls.get_irdl_definition()
    return Program(
        cls=cls,
        elements=tuple(
            AttrDict(bound | {"operandSegmentSizes", "resultSegmentSizes"}, e.keyword)
            if isinstance(e, AttrDict)
            else e
            for e in elements
        ),
        operands=tuple(operand_names(cls)),
        results=tuple(result_names(cls)),
        regions=tuple(name for name, _ in definition.regions),
        properties=frozenset(definition.properties),
        segmented=any(isinstance(o, AttrSizedOperandSegments) for o in definition.options),
        result_segmented=any(isinstance(o, AttrSizedResultSegments) for o in definition.options),
    )
