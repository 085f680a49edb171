"""The cf dialect: branches between the blocks of a function.

cf.cond_br %c, ^bb1, ^bb2(%x : i32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, NoMemoryEffect

from weft.ir import attributes, types
from weft.ir.interfaces import BranchOpInterface
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.type_constraints import I1

if TYPE_CHECKING:
    from xdsl.parser import Parser, UnresolvedOperand
    from xdsl.printer import Printer


def _parse_target(parser: Parser) -> tuple[Block, list[SSAValue]]:
    block = parser.parse_successor()
    values: list[SSAValue] = []
    if parser.parse_optional_punctuation("(") is not None:
        names: list[UnresolvedOperand] = [parser.parse_unresolved_operand()]
        while parser.parse_optional_punctuation(",") is not None:
            names.append(parser.parse_unresolved_operand())
        parser.parse_punctuation(":")
        value_types = [parser.parse_type()]
        while parser.parse_optional_punctuation(",") is not None:
            value_types.append(parser.parse_type())
        parser.parse_punctuation(")")
        values = list(parser.resolve_operands(names, value_types, parser.pos))
    return block, values


def _print_target(printer: Printer, block: Block, values: tuple[SSAValue, ...]) -> None:
    printer.print_block_name(block)
    if values:
        printer.print_string("(")
        printer.print_list(values, printer.print_operand)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)
        printer.print_string(")")


@operation
class BranchOp(Op, BranchOpInterface):
    """Branch to a block.  `cf.br ^bb1(%x : i32)`"""

    name = "cf.br"
    arguments = var_operand_def()
    successor = successor_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())

    def successor_operands(self, index: int) -> tuple[SSAValue, ...]:
        return tuple(self.operands)

    def set_successor_operands(self, index: int, operands: Sequence[SSAValue]) -> None:
        self.operands = operands

    def verify_(self) -> None:
        self.verify_block_edges()

    @classmethod
    def parse(cls, parser: Parser) -> BranchOp:
        block, values = _parse_target(parser)
        attrs = parser.parse_optional_attr_dict()
        return cls.create(operands=values, successors=[block], attributes=attrs)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_target(printer, self.successors[0], tuple(self.operands))
        printer.print_op_attributes(self.attributes)


@operation
class CondBranchOp(Op, BranchOpInterface):
    """Branch to one of two blocks.  `cf.cond_br %c, ^bb1, ^bb2(%x : i32)`"""

    name = "cf.cond_br"
    condition = operand_def(I1)
    then_arguments = var_operand_def()
    else_arguments = var_operand_def()
    then_block = successor_def()
    else_block = successor_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def successor_operands(self, index: int) -> tuple[SSAValue, ...]:
        operands = tuple(self.operands)
        middle = 1 + len(self.then_arguments)
        return operands[1:middle] if index == 0 else operands[middle:]

    def set_successor_operands(self, index: int, operands: Sequence[SSAValue]) -> None:
        targets = [self.successor_operands(0), self.successor_operands(1)]
        targets[index] = tuple(operands)
        self.operands = [self.condition, *targets[0], *targets[1]]
        sizes = (1, len(targets[0]), len(targets[1]))
        self.properties["operandSegmentSizes"] = attributes.array_i32(sizes)

    def successor_for_operands(self, constants: Sequence[Attribute | None]) -> Block | None:
        condition = attributes.number(constants[0])
        if condition is None:
            return None
        return self.successors[0] if condition else self.successors[1]

    def verify_(self) -> None:
        self.verify_block_edges()

    @classmethod
    def of(
        cls,
        condition: SSAValue,
        then_target: tuple[Block, tuple[SSAValue, ...]],
        else_target: tuple[Block, tuple[SSAValue, ...]],
    ) -> CondBranchOp:
        """Build a branch from each target block and the values of its arguments."""
        sizes = (1, len(then_target[1]), len(else_target[1]))
        return cls.create(
            operands=[condition, *then_target[1], *else_target[1]],
            successors=[then_target[0], else_target[0]],
            properties={"operandSegmentSizes": attributes.array_i32(sizes)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> CondBranchOp:
        condition = parser.parse_operand(types.i1)
        parser.parse_punctuation(",")
        then_block, then_values = _parse_target(parser)
        parser.parse_punctuation(",")
        else_block, else_values = _parse_target(parser)
        op = cls.of(condition, (then_block, tuple(then_values)), (else_block, tuple(else_values)))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.condition)
        printer.print_string(", ")
        _print_target(printer, self.successors[0], tuple(self.then_arguments))
        printer.print_string(", ")
        _print_target(printer, self.successors[1], tuple(self.else_arguments))
        printer.print_op_attributes(self.attributes)


@operation
class AssertOp(Op):
    """Abort with a message if a condition is false.  `cf.assert %c, "message"`"""

    name = "cf.assert"
    arg = operand_def(I1)
    msg = prop_def(StringAttr)
    FORMAT: ClassVar[str] = "$arg `,` $msg attr-dict"
    INFER: ClassVar[Infer] = {"arg": fixed(types.i1)}


Cf = Dialect("cf", [BranchOp, CondBranchOp, AssertOp])
