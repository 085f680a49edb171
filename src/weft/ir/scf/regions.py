"""Regions that run at most once: `scf.if` and `scf.execute_region`.

%r = scf.if %c -> (f32) {
  scf.yield %x : f32
} else {
  scf.yield %y : f32
}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import operand_def, opt_prop_def, region_def, traits_def, var_result_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.attributes import number
from weft.ir.interfaces import RegionBranchOpInterface
from weft.ir.operation import Op, operation
from weft.ir.scf.yields import end_with_yield, parse_result_types, require_yield

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["ExecuteRegionOp", "IfOp"]


@operation
class IfOp(Op, RegionBranchOpInterface):
    """Run one of two regions.  `%r = scf.if %c -> (f32) { … } else { … }`"""

    name = "scf.if"
    condition = operand_def()
    results_ = var_result_def()
    then_region = region_def("single_block")
    else_region = region_def()
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def then_block(self) -> Block:
        return self.regions[0].block

    @property
    def else_block(self) -> Block | None:
        """The else-region's block, None where there is no else."""
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
        arrow = parser.parse_optional_punctuation("->") is not None
        found = parse_result_types(parser) if arrow else []
        then_region = end_with_yield(parser.parse_region())
        otherwise = parser.parse_optional_keyword("else") is not None
        else_region = end_with_yield(parser.parse_region()) if otherwise else Region()
        return cls.create(
            operands=[condition],
            result_types=found,
            regions=[then_region, else_region],
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        shown = bool(self.results)
        printer.print_string(" ")
        printer.print_operand(self.condition)
        if shown:
            printer.print_string(" -> (")
            printer.print_list([result.type for result in self.results], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.regions[0], print_block_terminators=shown)
        if self.regions[1].blocks.first is not None:
            printer.print_string(" else ")
            printer.print_region(self.regions[1], print_block_terminators=shown)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        wanted = [result.type for result in self.results]
        if self.condition.type != types.i1:
            raise VerifyException(f"scf.if: an i1 condition expected, found {self.condition.type}")
        if wanted and self.regions[1].blocks.first is None:
            raise VerifyException("scf.if: with results there must be an else region")
        for region in self.regions:
            if region.blocks.first is not None:
                require_yield(self, region, wanted)


@operation
class ExecuteRegionOp(Op, RegionBranchOpInterface):
    """Run a region of several blocks in place.  `%r = scf.execute_region -> i32 { … }`"""

    name = "scf.execute_region"
    results_ = var_result_def()
    region = region_def()
    no_inline = opt_prop_def(UnitAttr)
    traits = traits_def(RecursiveMemoryEffect())

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        return (self.regions[0],) if source is None else (None,)

    @classmethod
    def parse(cls, parser: Parser) -> ExecuteRegionOp:
        found = parse_result_types(parser) if parser.parse_optional_punctuation("->") else []
        keep = parser.parse_optional_keyword("no_inline") is not None
        region = parser.parse_region()
        return cls.create(
            result_types=found,
            regions=[region],
            properties={"no_inline": UnitAttr()} if keep else {},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.results:
            printer.print_string("-> ")
            if len(self.results) == 1:
                printer.print_attribute(self.results[0].type)
            else:
                printer.print_string("(")
                printer.print_list([r.type for r in self.results], printer.print_attribute)
                printer.print_string(")")
            printer.print_string(" ")
        if "no_inline" in self.properties:
            printer.print_string("no_inline ")
        printer.print_region(self.regions[0])
        printer.print_op_attributes(self.attributes)
