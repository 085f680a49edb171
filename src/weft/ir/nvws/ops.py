"""Operations of nvws: tokens of a channel, loads into buffers, groups of warps.

%t = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32} : tensor<3x!nvws.token>
producer:  nvws.producer_acquire %t, %i, %phase …   nvws.producer_commit %t, %i …
consumer:  nvws.consumer_wait %t, %i, %phase …      nvws.consumer_release %t, %i …
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.traits import (
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes
from weft.ir.attributes import array_values
from weft.ir.constraints import array_prop, enum_prop, i32_prop
from weft.ir.enums import CacheModifier, EvictionPolicy, TokenLoadType
from weft.ir.interfaces import RegionBranchOpInterface, RegionBranchTerminatorOpInterface
from weft.ir.nvws.types import TOKENS
from weft.ir.op_traits import HasParent
from weft.ir.operation import Op, operation
from weft.ir.ttg.types import MEMDESC
from weft.ir.type_constraints import I1, I32, I32_TENSOR, TENSOR_DESCRIPTOR

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

__all__ = [
    "OPERATIONS",
    "ConsumerReleaseOp",
    "ConsumerWaitOp",
    "CreateTokenOp",
    "DescriptorGatherOp",
    "DescriptorLoadOp",
    "ProducerAcquireOp",
    "ProducerCommitOp",
    "WarpGroupOp",
    "WarpGroupReturnOp",
    "WarpGroupYieldOp",
]


@operation
class CreateTokenOp(Op):
    """Create the tokens of a channel, one per buffer.

    `%t = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32} : tensor<3x!nvws.token>`
    """

    name = "nvws.create_token"
    numBuffers = i32_prop()
    loadType = enum_prop(TokenLoadType)
    result = result_def(TOKENS)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "attr-dict `:` type($result)"


@operation
class ProducerAcquireOp(Op):
    """Wait until buffer `idx` can be written.

    `nvws.producer_acquire %t, %i, %phase : tensor<3x!nvws.token>, i32, i1`
    """

    name = "nvws.producer_acquire"
    token = operand_def(TOKENS)
    idx = operand_def(I32)
    phase = operand_def(I1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$token `,` $idx `,` $phase attr-dict `:` type(operands)"


@operation
class ProducerCommitOp(Op):
    """Signal that buffer `idx` holds data.

    `nvws.producer_commit %t, %i : tensor<3x!nvws.token>, i32`
    """

    name = "nvws.producer_commit"
    token = operand_def(TOKENS)
    idx = operand_def(I32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$token `,` $idx attr-dict `:` type(operands)"


@operation
class ConsumerWaitOp(Op):
    """Wait until buffer `idx` holds data.

    `nvws.consumer_wait %t, %i, %phase : tensor<3x!nvws.token>, i32, i1`
    """

    name = "nvws.consumer_wait"
    token = operand_def(TOKENS)
    idx = operand_def(I32)
    phase = operand_def(I1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$token `,` $idx `,` $phase attr-dict `:` type(operands)"


@operation
class ConsumerReleaseOp(Op):
    """Signal that buffer `idx` can be written again.

    `nvws.consumer_release %t, %i : tensor<3x!nvws.token>, i32`
    """

    name = "nvws.consumer_release"
    token = operand_def(TOKENS)
    idx = operand_def(I32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$token `,` $idx attr-dict `:` type(operands)"


@operation
class DescriptorLoadOp(Op):
    """Load a tile by descriptor into a buffer; `txCount` is its size in bytes.

    `nvws.descriptor_load %d[%i, %j] 16384 %b : !tt.tensordesc<…>, i32, i32, !ttg.memdesc<…>`
    """

    name = "nvws.descriptor_load"
    desc = operand_def(TENSOR_DESCRIPTOR)
    indices = var_operand_def(I32)
    result = operand_def(MEMDESC)
    txCount = i32_prop()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` $txCount $result oilist(`cacheModifier` `=` $cache | "
        "`evictionPolicy` `=` $evict) attr-dict `:` type(operands)"
    )


@operation
class DescriptorGatherOp(Op):
    """Load the rows `x_offsets` by descriptor into a buffer; `txCount` is its size in bytes.

    `nvws.descriptor_gather %d[%x, %y] 16384 %b : …` (the types of all operands)
    """

    name = "nvws.descriptor_gather"
    desc = operand_def(TENSOR_DESCRIPTOR)
    x_offsets = operand_def(I32_TENSOR)
    y_offset = operand_def(I32)
    result = operand_def(MEMDESC)
    txCount = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` $txCount $result attr-dict `:` type(operands)"
    )


@operation
class WarpGroupYieldOp(Op, RegionBranchTerminatorOpInterface):
    """End the first region of `nvws.warp_group` and return its results."""

    name = "nvws.warp_group.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("nvws.warp_group",)))
    FORMAT: ClassVar[str] = "($values^)? attr-dict (`:` type($values)^)?"


@operation
class WarpGroupReturnOp(Op, RegionBranchTerminatorOpInterface):
    """End a region of `nvws.warp_group` without results."""

    name = "nvws.warp_group.return"
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("nvws.warp_group",)))
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class WarpGroupOp(Op, RegionBranchOpInterface):
    """Run regions concurrently, each by its own warps; lowered to `ttg.warp_specialize`.

    The results are what the first region yields; the text omits their types.

    Example:
        %r = nvws.warp_group
        partition0 num_warps(4) {
          nvws.warp_group.yield %x : i32
        }
        partition1 num_warps(2) {
          nvws.warp_group.return
        }
    """

    name = "nvws.warp_group"
    numWarps = array_prop()
    results_ = var_result_def()
    partitionRegions = var_region_def()
    traits = traits_def(RecursiveMemoryEffect())

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        if source is None:
            return tuple(self.regions)
        return (None,) if source is self.regions[0] else ()

    def verify_(self) -> None:
        for index, region in enumerate(self.regions):
            if not region.blocks:
                raise VerifyException(
                    f"region #{index} ('partitionRegions') failed to verify constraint: region "
                    "with at least 1 blocks"
                )
            if region.blocks[0].args:
                raise VerifyException(f"region #{index} must have no arguments")
        if len(array_values(self.numWarps)) != len(self.regions):
            raise VerifyException("Must supply numWarps for each Warp Group.")
        if self.results:
            self._verify_yield()
        yielded = _yielded_types(self.regions[0]) if self.regions else []
        if yielded != [result.type for result in self.results]:
            raise VerifyException("types of the results must match those of the first yield")

    def _verify_yield(self) -> None:
        """Require a yield at the end of the first region."""
        if not self.regions:
            raise VerifyException("Must have at least one region when there are results.")
        last = self.regions[0].blocks[0].last_op
        if not isinstance(last, WarpGroupYieldOp):
            raise VerifyException(
                "When nvws.warp_group op has results, the first region should be terminated by "
                "nvws.warp_group.yield op."
            )
        if len(last.operands) != len(self.results):
            raise VerifyException(
                "Mismatch in the number of results returned by nvws.warp_group op and the number "
                "of the operands of the corresponding nvws.warp_group.yield op in the first "
                "region."
            )

    @classmethod
    def parse(cls, parser: Parser) -> WarpGroupOp:
        dictionary = parser.parse_optional_attr_dict_with_keyword()
        warps: list[int] = []
        regions: list[Region] = []
        while parser.parse_optional_keyword(f"partition{len(regions)}") is not None:
            parser.parse_keyword("num_warps")
            with parser.in_parens():
                warps.append(parser.parse_integer())
            regions.append(parser.parse_region())
        return cls.create(
            result_types=_yielded_types(regions[0]) if regions else [],
            properties={"numWarps": attributes.array_i32(tuple(warps))},
            attributes=dict(dictionary.data) if dictionary else {},
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes, print_keyword=True)
        for index, (warps, region) in enumerate(
            zip(array_values(self.numWarps), self.regions, strict=True)
        ):
            printer.print_string(f"\npartition{index} num_warps({warps}) ")
            printer.print_region(region, print_entry_block_args=False)


def _yielded_types(region: Region) -> list[Attribute]:
    last = region.blocks.last.last_op if region.blocks.last is not None else None
    if isinstance(last, WarpGroupYieldOp):
        return [value.type for value in last.operands]
    return []


OPERATIONS = (
    CreateTokenOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ConsumerWaitOp,
    ConsumerReleaseOp,
    DescriptorLoadOp,
    DescriptorGatherOp,
    WarpGroupOp,
    WarpGroupYieldOp,
    WarpGroupReturnOp,
)
