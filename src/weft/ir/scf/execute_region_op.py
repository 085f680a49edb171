"""`scf.execute_region`, a region of several blocks in the place of one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Region
from xdsl.irdl import opt_prop_def, region_def, traits_def, var_result_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir.interfaces import RegionBranchOpInterface
from weft.ir.operation import Op, operation
from weft.ir.scf.assembly import parse_result_types, print_result_types

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = ["ExecuteRegionOp"]


@operation
class ExecuteRegionOp(Op, RegionBranchOpInterface):
    """Run a region once; its blocks may branch to each other.

    The results are what the `scf.yield` that ends the region yields.

    Example:
        %r = scf.execute_region -> i32 {
          cf.cond_br %c, ^bb1, ^bb2
        ^bb1:
          scf.yield %x : i32
        ^bb2:
          scf.yield %y : i32
        }
    """

    name = "scf.execute_region"
    results_ = var_result_def()
    region = region_def()
    no_inline = opt_prop_def(UnitAttr)
    traits = traits_def(RecursiveMemoryEffect())

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        return (self.regions[0],) if source is None else (None,)

    def verify_(self) -> None:
        entry = self.region.blocks.first
        if entry is None:
            raise VerifyException("region needs to have at least one block")
        if entry.args:
            raise VerifyException("region cannot have any arguments")
        self.verify_region_edges()

    @classmethod
    def parse(cls, parser: Parser) -> ExecuteRegionOp:
        has_results = parser.parse_optional_punctuation("->") is not None
        result_types = parse_result_types(parser) if has_results else []
        no_inline = parser.parse_optional_keyword("no_inline") is not None
        return cls.create(
            result_types=result_types,
            regions=[parser.parse_region()],
            properties={"no_inline": UnitAttr()} if no_inline else {},
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if len(self.results) == 1:
            printer.print_string("-> ")
            printer.print_attribute(self.results[0].type)
            printer.print_string(" ")
        elif self.results:
            print_result_types(printer, self.results)
            printer.print_string(" ")
        if self.no_inline is not None:
            printer.print_string("no_inline ")
        printer.print_region(self.regions[0])
        printer.print_op_attributes(self.attributes)
