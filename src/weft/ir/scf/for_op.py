"""`scf.for`, a counted loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerAttr, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.interfaces import LoopBounds, LoopLikeOpInterface
from weft.ir.operation import Op, operation
from weft.ir.scf.assembly import (
    ensure_yield,
    parse_initialization,
    parse_result_types,
    print_initialization_list,
    print_result_types,
    resolve_initializations,
)
from weft.ir.scf.yield_op import YieldOp
from weft.ir.type_constraints import ANY_INTEGER_OR_INDEX

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["ForOp"]

_NUM_BOUNDS = 3  # the operands before the init args: lower bound, upper bound and step


@operation
class ForOp(Op, LoopLikeOpInterface):
    """Run the body for lower, lower + step, … as long as the value is below upper.

    The bounds and the step have one integer or index type, which the induction variable has too.
    The comparison is signed unless the loop is `unsigned`. Loop-carried values start as the
    operands of `iter_args`; the body yields their values for the next iteration.

    Example:
        %r = scf.for %i = %lb to %ub step %s iter_args(%acc = %init) -> (f32)  : i32 {
          %next = arith.addf %acc, %x : f32
          scf.yield %next : f32
        }
    """

    name = "scf.for"
    lower_bound = operand_def(ANY_INTEGER_OR_INDEX)
    upper_bound = operand_def(ANY_INTEGER_OR_INDEX)
    step = operand_def(ANY_INTEGER_OR_INDEX)
    initArgs = var_operand_def()
    results_ = var_result_def()
    body = region_def("single_block")
    unsignedCmp = opt_prop_def(UnitAttr)
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def block(self) -> Block:
        """The only block of the body."""
        return self.regions[0].block

    @property
    def terminator(self) -> YieldOp:
        """The yield of the body."""
        last = self.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @property
    def loop_regions(self) -> tuple[Region, ...]:
        return (self.regions[0],)

    @property
    def bounds(self) -> LoopBounds:
        return LoopBounds(self.lower_bound, self.upper_bound, self.step)

    @property
    def induction_variable(self) -> BlockArgument:
        return self.block.args[0]

    @property
    def init_args(self) -> tuple[SSAValue, ...]:
        return tuple(self.operands[_NUM_BOUNDS:])

    def init_arg_index(self, operand: int) -> int | None:
        """Find which init arg an operand is, None for a bound or the step.

        Args:
            operand: The index of the operand.
        """
        return operand - _NUM_BOUNDS if operand >= _NUM_BOUNDS else None

    def set_init_arg(self, index: int, value: SSAValue) -> None:
        """Replace an init arg."""
        self.operands[_NUM_BOUNDS + index] = value

    @property
    def iter_args(self) -> tuple[BlockArgument, ...]:
        return self.block.args[1:]

    @property
    def yielded_values(self) -> tuple[SSAValue, ...]:
        return tuple(self.terminator.operands)

    @property
    def loop_results(self) -> tuple[OpResult, ...]:
        return tuple(self.results)

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        return (self.regions[0], None)

    def entry_successor_regions(
        self, constants: Sequence[Attribute | None]
    ) -> tuple[Region | None, ...]:
        lower, upper = constants[:2]
        if isinstance(lower, IntegerAttr) and isinstance(upper, IntegerAttr):
            first, end = lower.value.data, upper.value.data
            if self.unsignedCmp is not None:
                modulus = 1 << types.bit_width(self.lower_bound.type)
                first, end = first % modulus, end % modulus
            return (self.regions[0] if first < end else None,)
        return self.successor_regions(None)

    def successor_inputs(self, region: Region | None) -> tuple[SSAValue, ...]:
        return tuple(self.results) if region is None else self.iter_args

    def entry_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        return self.init_args

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        unsigned = parser.parse_optional_keyword("unsigned") is not None
        variable = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        bounds = [parser.parse_unresolved_operand()]
        for keyword in ("to", "step"):
            parser.parse_keyword(keyword)
            bounds.append(parser.parse_unresolved_operand())
        inits, carried_types = [], []
        if parser.parse_optional_keyword("iter_args") is not None:
            inits = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_initialization(parser)
            )
            parser.parse_punctuation("->")
            carried_types = parse_result_types(parser)
            if len(carried_types) != len(inits):
                parser.raise_error("mismatch in number of loop-carried values and defined values")
        type_ = types.index
        if parser.parse_optional_punctuation(":") is not None:
            type_ = parser.parse_type()
        operands = [parser.resolve_operand(bound, type_) for bound in bounds]
        iter_args, init_args = resolve_initializations(parser, inits, carried_types)
        body = parser.parse_region([variable.resolve(type_), *iter_args])
        return cls.create(
            operands=[*operands, *init_args],
            result_types=carried_types,
            regions=[ensure_yield(body)],
            properties={"unsignedCmp": UnitAttr()} if unsigned else {},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" unsigned " if self.unsignedCmp is not None else " ")
        printer.print_operand(self.induction_variable)
        for sign, bound in zip(("=", "to", "step"), self.bounds, strict=True):
            printer.print_string(f" {sign} ")
            printer.print_operand(bound)
        printer.print_string(" ")
        if self.iter_args:
            print_initialization_list(printer, "iter_args", self.iter_args, self.init_args)
            printer.print_string(" ")
            print_result_types(printer, self.iter_args)
            printer.print_string(" ")
        if self.induction_variable.type != types.index:
            printer.print_string(" : ")  # after a blank: MLIR prints two here
            printer.print_attribute(self.induction_variable.type)
            printer.print_string(" ")
        printer.print_region(
            self.regions[0],
            print_entry_block_args=False,
            print_block_terminators=bool(self.iter_args),
        )
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        lower, upper, step = self.bounds
        if not lower.type == upper.type == step.type:
            raise VerifyException(
                "failed to verify that all of {lowerBound, upperBound, step} have same type"
            )
        if not self.block.args or self.induction_variable.type != lower.type:
            raise VerifyException("expected induction variable to be same type as bounds and step")
        if not isinstance(self.block.last_op, YieldOp):
            raise VerifyException("expects regions to end with 'scf.yield'")
        self.verify_loop_carried_values()
