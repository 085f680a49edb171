"""Warp specialization: groups of warps of one CTA run different regions concurrently.

    %r = ttg.warp_specialize(%x)
    default {                            run by the warps of the function
      ttg.warp_yield %y : i32
    }
    partition0(%a: i32) num_warps(2) {   run by two more warps; %a is the captured %x
      ttg.warp_return
    } : (i32) -> i32

Partitions see no other value of the function than the captures. An operation that the text hides,
`ttg.warp_specialize.partitions`, is the only one of the second region; it has the captures as its
operands and the partitions as its regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoMemoryEffect,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, locations
from weft.ir.attributes import array_values
from weft.ir.constraints import array_prop, opt_array_prop
from weft.ir.interfaces import RegionBranchOpInterface, RegionBranchTerminatorOpInterface
from weft.ir.op_traits import HasParent
from weft.ir.operation import Op, operation

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

_WARP_GROUP = 4


@operation
class WarpYieldOp(Op, RegionBranchTerminatorOpInterface):
    """End the default region and return the results.  `ttg.warp_yield %x : i32`"""

    name = "ttg.warp_yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("ttg.warp_specialize",)))
    FORMAT: ClassVar[str] = "($values^)? attr-dict (`:` type($values)^)?"

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is None:
            return
        if len(self.operands) != len(parent.results):
            raise VerifyException(
                f"has {len(self.operands)} operands but parent op expected {len(parent.results)}"
            )
        for index, (value, result) in enumerate(zip(self.operands, parent.results, strict=True)):
            if value.type != result.type:
                raise VerifyException(
                    f"operand #{index} has type '{value.type}' but parent op expected "
                    f"'{result.type}'"
                )


@operation
class WarpReturnOp(Op, RegionBranchTerminatorOpInterface):
    """End a partition.  `ttg.warp_return`"""

    name = "ttg.warp_return"
    traits = traits_def(
        IsTerminator(), NoMemoryEffect(), HasParent(("ttg.warp_specialize.partitions",))
    )
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class WarpSpecializePartitionsOp(Op, RegionBranchOpInterface):
    """Hold the partitions of a `ttg.warp_specialize` and the values that they capture."""

    name = "ttg.warp_specialize.partitions"
    explicitCaptures = var_operand_def()
    partitionRegions = var_region_def()
    traits = traits_def(
        IsolatedFromAbove(),
        IsTerminator(),
        RecursiveMemoryEffect(),
        HasParent(("ttg.warp_specialize",)),
    )

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        return tuple(self.regions) if source is None else (None,)

    def entry_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        return tuple(self.operands)

    def verify_(self) -> None:
        captures = self.operands
        for index, region in enumerate(self.regions):
            if all(block.first_op is None for block in region.blocks):
                raise VerifyException(
                    f"region #{index} ('partitionRegions') failed to verify constraint: region "
                    "with at least 1 blocks"
                )
            block = region.blocks.first
            arguments = () if block is None else block.args
            if len(arguments) != len(captures):
                raise VerifyException(
                    f"partition region #{index} has {len(arguments)} arguments but expected "
                    f"{len(captures)}"
                )
            for number, (argument, capture) in enumerate(zip(arguments, captures, strict=True)):
                if argument.type != capture.type:
                    raise VerifyException(
                        f"partition region #{index} argument #{number} has type '{argument.type}' "
                        f"but corresponding capture has type '{capture.type}'"
                    )


@operation
class WarpSpecializeOp(Op, RegionBranchOpInterface):
    """Run the default region and the partitions concurrently, each by its own warps.

    The properties hold one number per partition: its warps, the id of its first warp, and the
    registers that its threads request and get.
    """

    name = "ttg.warp_specialize"
    partitionNumWarps = array_prop()
    warpGroupStartIds = opt_array_prop()
    requestedRegisters = opt_array_prop()
    actualRegisters = opt_array_prop()
    defaultPassthrough = var_result_def()
    defaultRegion = region_def()
    partitionOpHolder = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    @property
    def holder(self) -> WarpSpecializePartitionsOp:
        """The operation that holds the captures and the partitions."""
        last = self.regions[1].block.last_op
        assert isinstance(last, WarpSpecializePartitionsOp)
        return last

    @property
    def partitions(self) -> tuple[Region, ...]:
        """The regions of the partitions."""
        return tuple(self.holder.regions)

    @property
    def num_warps(self) -> tuple[int, ...]:
        """The number of warps of each partition."""
        return array_values(self.partitionNumWarps)

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        default, holder = self.regions
        if source is None:
            return (default, holder)
        return (None,) if source is default else ()

    def verify_(self) -> None:
        if not self.regions[0].blocks:
            raise VerifyException(
                "region #0 ('defaultRegion') failed to verify constraint: region with at least 1 "
                "blocks"
            )
        holder = self.regions[1].block.first_op
        if not isinstance(holder, WarpSpecializePartitionsOp):
            raise VerifyException(
                "expected to find only a `ttg.warp_specialize.partitions` op inside its second "
                "region"
            )
        if len(holder.regions) != len(self.num_warps):
            raise VerifyException(
                f"has {len(holder.regions)} partitions but `partitionNumWarps` has "
                f"{len(self.num_warps)} elements"
            )
        for index, warps in enumerate(self.num_warps):
            if warps < 1 or warps & (warps - 1):
                raise VerifyException(
                    f"partition #{index} number of warps ({warps}) must be a power of 2"
                )
        start_ids = self.warpGroupStartIds
        if start_ids is not None and len(array_values(start_ids)) != len(self.num_warps):
            raise VerifyException(
                f"has {len(array_values(start_ids))} warp group start IDs but expected "
                f"{len(self.num_warps)}"
            )
        registers = self.requestedRegisters
        if registers is not None and len(array_values(registers)) != len(self.num_warps):
            raise VerifyException(
                f"has {len(self.num_warps)} partitions but `requestedRegisters` has "
                f"{len(array_values(registers))} elements"
            )
        for name, region in zip(("default", "partition holder"), self.regions, strict=True):
            entry = region.blocks.first
            if entry is not None and entry.args:
                raise VerifyException(f"{name} region must have no arguments")
        self._verify_context()

    def _verify_context(self) -> None:
        """Require whole warp groups, and no `ttg.warp_specialize` around this one."""
        outer: Operation | None = self.parent_op()
        warps: int | float | None = None
        while outer is not None:
            if isinstance(outer, WarpSpecializeOp):
                raise VerifyException("cannot be nested inside another `ttg.warp_specialize` op")
            if warps is None:
                warps = attributes.number(outer.attributes.get("ttg.num-warps"))
            outer = outer.parent_op()
        if warps is not None and warps % _WARP_GROUP:
            raise VerifyException(
                "warp-specialized kernels requires num_warps to be a multiple of 4"
            )

    @classmethod
    def parse(cls, parser: Parser) -> WarpSpecializeOp:
        start = parser.pos
        captures = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        dictionary = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_keyword("default")
        default = parser.parse_region()
        warps: list[int] = []
        regions: list[Region] = []
        first = parser.pos
        while parser.parse_optional_keyword(f"partition{len(regions)}") is not None:
            arguments = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: _parse_located_argument(parser)
            )
            parser.parse_keyword("num_warps")
            with parser.in_parens():
                warps.append(parser.parse_integer())
            regions.append(parser.parse_region(arguments))
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        operands = parser.resolve_operands(captures, signature.inputs.data, start)
        holder = WarpSpecializePartitionsOp.create(operands=operands, regions=regions)
        holder.location = locations.in_text(parser.lexer.input, first)
        entries = dict(dictionary.data) if dictionary else {}
        known = cls.get_irdl_definition().properties
        properties = {name: entries.pop(name) for name in list(entries) if name in known}
        properties["partitionNumWarps"] = attributes.array_i32(tuple(warps))
        return cls.create(
            result_types=list(signature.outputs.data),
            properties=properties,
            attributes=entries,
            regions=[default, Region(Block([holder]))],
        )

    def print(self, printer: Printer) -> None:
        holder = self.holder
        printer.print_string("(")
        printer.print_list(holder.operands, printer.print_operand)
        printer.print_string(")")
        entries = {**self.attributes, **self.properties}
        entries.pop("partitionNumWarps")  # printed as num_warps
        ordered = {key: entries[key] for key in sorted(entries)}
        printer.print_op_attributes(ordered, print_keyword=True)
        printer.print_string("\ndefault ")
        printer.print_region(self.regions[0], print_entry_block_args=False)
        for index, (warps, region) in enumerate(zip(self.num_warps, holder.regions, strict=True)):
            printer.print_string(f"\npartition{index}(")
            printer.print_list(region.blocks[0].args, printer.print_block_argument)
            printer.print_string(f") num_warps({warps}) ")
            printer.print_region(region, print_entry_block_args=False)
        printer.print_string(" : ")
        printer.print_function_type(
            [value.type for value in holder.operands], [result.type for result in self.results]
        )


def _parse_located_argument(parser: Parser) -> Parser.Argument:
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument


OPERATIONS = (WarpSpecializeOp, WarpSpecializePartitionsOp, WarpYieldOp, WarpReturnOp)

__all__ = [
    "OPERATIONS",
    "WarpReturnOp",
    "WarpSpecializeOp",
    "WarpSpecializePartitionsOp",
    "WarpYieldOp",
]
