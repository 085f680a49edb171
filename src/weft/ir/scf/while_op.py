"""`scf.while`, a loop with a condition, and `scf.condition`, which decides it."""

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
from weft.ir.op_traits import HasParent
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.scf.assembly import (
    ensure_yield,
    parse_initialization,
    print_initialization_list,
    resolve_initializations,
)
from weft.ir.scf.yield_op import YieldOp
from weft.ir.type_constraints import I1

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["ConditionOp", "WhileOp"]


@operation
class ConditionOp(Op, RegionBranchTerminatorOpInterface):
    """End the before region of `scf.while`: enter the after region if the condition is true.

    The arguments are forwarded to the after region, or else to the results of the loop.

    Example:
        scf.condition(%c) %x : i32
    """

    name = "scf.condition"
    condition = operand_def(I1)
    arguments = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("scf.while",)))
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
    """Run the before region, and as long as its condition is true the after region, then it again.

    The before region computes the condition from the loop-carried values and forwards values to
    the after region, or to the results when the loop ends. Their number and types may differ from
    those of the loop-carried values.

    Example:
        %r = scf.while (%a = %init) : (i32) -> i64 {
          …
          scf.condition(%c) %x : i64
        } do {
        ^bb0(%b: i64):
          …
          scf.yield %next : i32
        }
    """

    name = "scf.while"
    inits = var_operand_def()
    results_ = var_result_def()
    before = region_def("single_block")
    after = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def before_block(self) -> Block:
        """The only block of the before region."""
        return self.regions[0].block

    @property
    def after_block(self) -> Block:
        """The only block of the after region."""
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
        inits = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_initialization(parser)
        )
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        input_types = signature.inputs.data
        count = len(inits or ())
        if len(input_types) != count:
            parser.raise_error(
                "expected as many input types as operands "
                f"(expected {count} got {len(input_types)})"
            )
        arguments, operands = resolve_initializations(parser, inits or (), input_types)
        before = parser.parse_region(arguments)
        parser.parse_keyword("do")
        after = ensure_yield(parser.parse_region())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            operands=operands,
            result_types=signature.outputs.data,
            regions=[before, after],
            attributes=dict(attributes.data) if attributes else {},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.operands:
            print_initialization_list(printer, "", self.iter_args, self.init_args)
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
        if not isinstance(self.before_block.last_op, ConditionOp):
            raise VerifyException("expects the 'before' region to terminate with 'scf.condition'")
        if not isinstance(self.after_block.last_op, YieldOp):
            raise VerifyException("expects the 'after' region to terminate with 'scf.yield'")
        self.verify_region_edges()
