"""`scf.for`: a loop that counts.

    %r = scf.for %i = %lb to %ub step %s iter_args(%acc = %init) -> (f32)  : i32 {
      …
      scf.yield %next : f32
    }

The blanks are MLIR's own (two before the type of an induction variable that is no index).
"""

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
from weft.ir.scf.carried import print_initialised
from weft.ir.scf.yields import YieldOp, end_with_yield, parse_result_types, require_yield

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["ForOp"]


@operation
class ForOp(Op, LoopLikeOpInterface):
    """Count from a lower bound to below an upper bound, carrying values along.

    Operands: lower bound, upper bound, step, then the initial values; the body's arguments are
    the induction variable and the carried values, its yield gives their next values.
    """

    name = "scf.for"
    lower_bound = operand_def()
    upper_bound = operand_def()
    step = operand_def()
    initArgs = var_operand_def()
    results_ = var_result_def()
    body = region_def("single_block")
    unsignedCmp = opt_prop_def(UnitAttr)
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def block(self) -> Block:
        """The body's only block."""
        return self.regions[0].block

    @property
    def induction_variable(self) -> BlockArgument:
        return self.block.args[0]

    @property
    def loop_regions(self) -> tuple[Region, ...]:
        return (self.regions[0],)

    @property
    def bounds(self) -> LoopBounds:
        lower, upper, step = self.operands[:3]
        return LoopBounds(lower, upper, step)

    @property
    def init_args(self) -> tuple[SSAValue, ...]:
        return tuple(self.operands[3:])

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
            first, last = lower.value.data, upper.value.data
            if self.unsignedCmp is not None:
                width = types.bit_width(self.lower_bound.type)
                first, last = first % (1 << width), last % (1 << width)
            return (self.regions[0] if first < last else None,)
        return self.successor_regions(None)

    def successor_inputs(self, region: Region | None) -> tuple[SSAValue, ...]:
        return tuple(self.results) if region is None else self.iter_args

    def entry_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        return self.init_args

    @property
    def terminator(self) -> YieldOp:
        last = self.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @classmethod
    def parse(cls, parser: Parser) -> ForOp:
        unsigned = parser.parse_optional_keyword("unsigned") is not None
        variable = parser.parse_argument(expect_type=False)
        bounds = []
        for sign in ("=", "to", "step"):
            if sign == "=":
                parser.parse_punctuation("=")
            else:
                parser.parse_keyword(sign)
            bounds.append(parser.parse_unresolved_operand())
        pairs, carried = [], []
        if parser.parse_optional_keyword("iter_args") is not None:

            def pair():
                argument = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                return argument, parser.parse_unresolved_operand()

            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
            parser.parse_punctuation("->")
            carried = parse_result_types(parser)
            if len(carried) != len(pairs):
                parser.raise_error(f"{len(pairs)} iter_args and {len(carried)} result types")
        counter = types.index
        if parser.parse_optional_punctuation(":") is not None:
            counter = parser.parse_type()
        operands = [parser.resolve_operand(bound, counter) for bound in bounds]
        operands += [
            parser.resolve_operand(value, type_)
            for (_, value), type_ in zip(pairs, carried, strict=True)
        ]
        arguments = [variable.resolve(counter)]
        arguments += [
            argument.resolve(type_) for (argument, _), type_ in zip(pairs, carried, strict=True)
        ]
        body = end_with_yield(parser.parse_region(arguments))
        op = cls.create(
            operands=operands,
            result_types=carried,
            regions=[body],
            properties={"unsignedCmp": UnitAttr()} if unsigned else {},
            attributes=parser.parse_optional_attr_dict(),
        )
        return op

    def print(self, printer: Printer) -> None:
        low, high, step, *inits = self.operands
        variable, *carried = self.block.args
        printer.print_string(" unsigned " if "unsignedCmp" in self.properties else " ")
        printer.print_operand(variable)
        for sign, bound in (("=", low), ("to", high), ("step", step)):
            printer.print_string(f" {sign} ")
            printer.print_operand(bound)
        printer.print_string(" ")
        if carried:
            print_initialised(printer, "iter_args", tuple(carried), tuple(inits))
            printer.print_string(" -> (")
            printer.print_list([arg.type for arg in carried], printer.print_attribute)
            printer.print_string(") ")
        if variable.type != types.index:
            printer.print_string(" : ")
            printer.print_attribute(variable.type)
            printer.print_string(" ")
        printer.print_region(
            self.regions[0], print_entry_block_args=False, print_block_terminators=bool(carried)
        )
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        low, high, step, *inits = self.operands
        carried = [value.type for value in inits]
        if not low.type == high.type == step.type == self.block.args[0].type:
            raise VerifyException("scf.for: bounds, step and induction variable differ in type")
        if [arg.type for arg in self.block.args[1:]] != carried:
            raise VerifyException("scf.for: carried arguments differ in type from initial values")
        if [result.type for result in self.results] != carried:
            raise VerifyException("scf.for: results differ in type from initial values")
        require_yield(self, self.regions[0], carried)
