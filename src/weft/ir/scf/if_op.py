"""`scf.if`, a conditional."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import operand_def, region_def, traits_def, var_result_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import number
from weft.ir.interfaces import RegionBranchOpInterface
from weft.ir.operation import Op, operation
from weft.ir.scf.assembly import ensure_yield, parse_result_types, print_result_types
from weft.ir.scf.yield_op import YieldOp
from weft.ir.type_constraints import I1

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["IfOp"]


@operation
class IfOp(Op, RegionBranchOpInterface):
    """Run the then region if an i1 is true, else the else region, which may be absent.

    The results are what the region that runs yields; with results there are both regions.

    Example:
        %r = scf.if %c -> (f32) {
          scf.yield %x : f32
        } else {
          scf.yield %y : f32
        }
    """

    name = "scf.if"
    condition = operand_def(I1)
    results_ = var_result_def()
    then_region = region_def("single_block")
    else_region = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def then_block(self) -> Block:
        """The only block of the then region."""
        return self.regions[0].block

    @property
    def else_block(self) -> Block | None:
        """The only block of the else region, None if it is absent."""
        return self.regions[1].blocks.first

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        if source is not None:
            return (None,)
        then_region, else_region = self.regions
        return (then_region, else_region if else_region.blocks else None)

    def entry_successor_regions(
        self, constants: Sequence[Attribute | None]
    ) -> tuple[Region | None, ...]:
        then_region, else_region = self.successor_regions(None)
        condition = number(constants[0])
        if condition is None:
            return then_region, else_region
        return (then_region if condition else else_region,)

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        condition = parser.resolve_operand(parser.parse_unresolved_operand(), types.i1)
        has_results = parser.parse_optional_punctuation("->") is not None
        result_types = parse_result_types(parser) if has_results else []
        then_region = ensure_yield(parser.parse_region())
        has_else = parser.parse_optional_keyword("else") is not None
        else_region = ensure_yield(parser.parse_region()) if has_else else Region()
        return cls.create(
            operands=[condition],
            result_types=result_types,
            regions=[then_region, else_region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        has_results = bool(self.results)
        printer.print_string(" ")
        printer.print_operand(self.condition)
        if has_results:
            printer.print_string(" ")
            print_result_types(printer, self.results)
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_block_terminators=has_results)
        if self.else_block is not None:
            printer.print_string(" else ")
            printer.print_region(self.regions[1], print_block_terminators=has_results)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if self.results and self.else_block is None:
            raise VerifyException("must have an else block if defining values")
        for region in self.regions:
            last = None if region.blocks.last is None else region.blocks.last.last_op
            if region.blocks and not isinstance(last, YieldOp):
                raise VerifyException("expects regions to end with 'scf.yield'")
        self.verify_region_edges()
