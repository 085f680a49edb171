"""`scf.while`, a loop that ends when its condition fails, and `scf.condition`, which says so.

%r = scf.while (%a = %init) : (i32) -> i32 {
  …
  scf.condition(%c) %x : i32
} do {
^bb0(%b: i32):
  …
  scf.yield %next : i32
}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Attribute, Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.irdl import operand_def, region_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import IsTerminator, NoMemoryEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import number
from weft.ir.interfaces import LoopLikeOpInterface, RegionBranchTerminatorOpInterface
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.scf.carried import print_initialised
from weft.ir.scf.yields import YieldOp, end_with_yield, require_yield

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["ConditionOp", "WhileOp"]


@operation
class ConditionOp(Op, RegionBranchTerminatorOpInterface):
    """End the before-region of a while: go on, with these values, where the condition holds.

    `scf.condition(%c) %x : i32`
    """

    name = "scf.condition"
    condition = operand_def()
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "`(` $condition `)` attr-dict ($arguments^ `:` type($arguments))?"
    INFER: ClassVar[Infer] = {"condition": fixed(types.i1)}

    def successor_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        return tuple(self.operands[1:])

    def successor_regions(
        self, constants: Sequence[Attribute | None] | None = None
    ) -> tuple[Region | None, ...]:
        regions = super().successor_regions(constants)
        condition = None if constants is None else number(constants[0])
        if condition is None or not regions:
            return regions
        after, end = regions
        return (after if condition else end,)


@operation
class WhileOp(Op, LoopLikeOpInterface):
    """Loop while a condition, computed by the before-region, holds.

    `%r = scf.while (%a = %init) : (i32) -> i32 { … scf.condition(%c) %x : i32 } do {
    ^bb0(%b: i32): … scf.yield %next : i32 }`
    """

    name = "scf.while"
    inits = var_operand_def()
    results_ = var_result_def()
    before = region_def()
    after = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def before_block(self) -> Block:
        return self.regions[0].block

    @property
    def after_block(self) -> Block:
        return self.regions[1].block

    @property
    def condition_op(self) -> ConditionOp:
        """The terminator of the before region."""
        last = self.before_block.last_op
        assert isinstance(last, ConditionOp)
        return last

    @property
    def yield_op(self) -> YieldOp:
        """The terminator of the after region."""
        last = self.after_block.last_op
        assert isinstance(last, YieldOp)
        return last

    @property
    def loop_regions(self) -> tuple[Region, ...]:
        return tuple(self.regions)

    @property
    def init_args(self) -> tuple[SSAValue, ...]:
        return tuple(self.operands)

    @property
    def iter_args(self) -> tuple[BlockArgument, ...]:
        return self.before_block.args

    @property
    def yielded_values(self) -> tuple[SSAValue, ...]:
        return tuple(self.yield_op.operands)

    @property
    def loop_results(self) -> tuple[OpResult, ...]:
        return ()

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        before, after = self.regions
        return (after, None) if source is before else (before,)

    def entry_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        return tuple(self.operands)

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        pairs = []
        if parser.parse_optional_punctuation("(") is not None:
            while parser.parse_optional_punctuation(")") is None:
                if pairs:
                    parser.parse_punctuation(",")
                argument = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                pairs.append((argument, parser.parse_unresolved_operand()))
        parser.parse_punctuation(":")
        function_type = parser.parse_function_type()
        carried = list(function_type.inputs.data)
        if len(carried) != len(pairs):
            parser.raise_error(f"{len(pairs)} initial values and {len(carried)} types")
        operands = [
            parser.resolve_operand(value, type_)
            for (_, value), type_ in zip(pairs, carried, strict=True)
        ]
        arguments = [
            argument.resolve(type_) for (argument, _), type_ in zip(pairs, carried, strict=True)
        ]
        before = parser.parse_region(arguments)
        parser.parse_keyword("do")
        after = end_with_yield(parser.parse_region())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            operands=operands,
            result_types=list(function_type.outputs.data),
            regions=[before, after],
            attributes=dict(attributes.data) if attributes else {},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.operands:
            args = tuple(self.before_block.args)
            print_initialised(printer, "", args, tuple(self.operands))
            printer.print_string(" ")
        printer.print_string(": ")
        printer.print_function_type(
            [value.type for value in self.operands], [result.type for result in self.results]
        )
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.regions[1])
        printer.print_op_attributes(self.attributes, print_keyword=True)

    def verify_(self) -> None:
        last = self.before_block.last_op
        if not isinstance(last, ConditionOp):
            raise VerifyException("scf.while: the before region must end in scf.condition")
        passed = [value.type for value in last.arguments]
        if passed != [result.type for result in self.results]:
            raise VerifyException("scf.while: scf.condition's values differ from the results")
        if passed != [arg.type for arg in self.after_block.args]:
            raise VerifyException("scf.while: scf.condition's values differ from the after region")
        require_yield(self, self.regions[1], [value.type for value in self.operands])
