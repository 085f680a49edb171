"""Assembly syntax that the operations of scf share.

%acc = %init, %n = %zero          an initialization list
(f32, i32)  or  f32               result types after ->
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue

from weft.ir.scf.yield_op import YieldOp

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer

    Initialization = tuple[Parser.UnresolvedArgument, UnresolvedOperand]

__all__ = [
    "ensure_yield",
    "parse_initialization",
    "parse_result_types",
    "print_initialization_list",
    "print_result_types",
    "resolve_initializations",
]


def parse_initialization(parser: Parser) -> Initialization:
    """Parse `%arg = %init`."""
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def resolve_initializations(
    parser: Parser, initializations: Sequence[Initialization], types: Sequence[Attribute]
) -> tuple[list[Parser.Argument], list[SSAValue]]:
    """Give the block arguments and initial values of an initialization list their types."""
    arguments: list[Parser.Argument] = []
    operands: list[SSAValue] = []
    for (argument, operand), type_ in zip(initializations, types, strict=True):
        arguments.append(argument.resolve(type_))
        operands.append(parser.resolve_operand(operand, type_))
    return arguments, operands


def print_initialization_list(
    printer: Printer,
    keyword: str,
    arguments: Sequence[BlockArgument],
    operands: Sequence[SSAValue],
) -> None:
    """Print `keyword(%arg = %init, …)`."""
    printer.print_string(f"{keyword}(")
    for index, (argument, operand) in enumerate(zip(arguments, operands, strict=True)):
        printer.print_string(", " if index else "")
        printer.print_operand(argument)
        printer.print_string(" = ")
        printer.print_operand(operand)
    printer.print_string(")")


def parse_result_types(parser: Parser) -> list[Attribute]:
    """Parse `(types)` or `type`."""
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list(types)


def print_result_types(printer: Printer, values: Sequence[SSAValue]) -> None:
    """Print `-> (types)`."""
    printer.print_string("-> (")
    printer.print_list([value.type for value in values], printer.print_attribute)
    printer.print_string(")")


def ensure_yield(region: Region) -> Region:
    """Append the `scf.yield` without operands that the text of a region leaves out."""
    if region.blocks.first is None:
        region.add_block(Block())
    block = region.blocks.last
    if block is not None and not isinstance(block.last_op, YieldOp):
        block.add_op(YieldOp.create())
    return region
