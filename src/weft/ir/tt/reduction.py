"""Operations of tt that combine elements: reduce, scan, gather, histogram."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import bool_prop, i32_prop
from weft.ir.interfaces import RegionBranchOpInterface, RegionBranchTerminatorOpInterface
from weft.ir.operation import Infer, Op, operation, same_shape


def check_combine(op: Op, region: Region, terminator: type[Op]) -> None:
    """Require a region of two arguments per source that ends in its return.

    Raises: VerifyException: it does not.
    """
    block = region.blocks.first
    elements = [types.element(source.type) for source in op.operands]
    if block is None or [arg.type for arg in block.args] != [*elements, *elements]:
        raise VerifyException(f"{op.name}: the region's arguments must be {elements} twice")
    if region.blocks.last is None or not isinstance(region.blocks.last.last_op, terminator):
        raise VerifyException(f"{op.name}: the region must end in {terminator.name}")


class _ElementRegionOp(RegionBranchOpInterface):
    """An operation that runs its region on the elements of its operands, any number of times.

    The operation sets the block arguments to elements and assembles its results from what the
    terminator returns, so no edge forwards an SSA value.
    """

    def successor_regions(self, source: Region | None) -> tuple[Region | None, ...]:
        return (self.regions[0], None)

    def successor_inputs(self, region: Region | None) -> tuple[SSAValue, ...]:
        return ()


class _ElementRegionTerminator(RegionBranchTerminatorOpInterface):
    """The terminator of such a region."""

    def successor_operands(self, region: Region | None) -> tuple[SSAValue, ...]:
        return ()


@operation
class ReduceReturnOp(Op, _ElementRegionTerminator):
    """End the region of `tt.reduce`.  `tt.reduce.return %x : f32`"""

    name = "tt.reduce.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"


@operation
class ScanReturnOp(Op, _ElementRegionTerminator):
    """End the region of `tt.scan`.  `tt.scan.return %x : f32`"""

    name = "tt.scan.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"


@operation
class MapElementwiseReturnOp(Op, _ElementRegionTerminator):
    """End the region of `tt.map_elementwise`.  `tt.map_elementwise.return %x : f32`"""

    name = "tt.map_elementwise.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "attr-dict ($result^ `:` type($result))?"


@operation
class ReduceOp(Op, _ElementRegionOp):
    """Combine the elements along an axis with the operation of the region.

    `%r = "tt.reduce"(%t) <{axis = 1 : i32}> ({ ^bb0(%a: f32, %b: f32): …
    tt.reduce.return %s : f32 }) : (tensor<8x4xf32>) -> tensor<8xf32>`
    """

    name = "tt.reduce"
    srcs = var_operand_def()
    axis = i32_prop()
    result = var_result_def()
    combine = region_def()
    traits = traits_def(Pure())

    def verify_(self) -> None:
        check_combine(self, self.combine, ReduceReturnOp)
        for source, result in zip(self.srcs, self.results, strict=True):
            kept = list(types.shape(source.type))
            if not 0 <= self.axis.value.data < len(kept):
                raise VerifyException(
                    f"tt.reduce: axis {self.axis.value.data} is outside of {source.type}"
                )
            del kept[self.axis.value.data]
            if tuple(kept) != types.shape(result.type):
                raise VerifyException(
                    f"tt.reduce: axis {self.axis.value.data} of {source.type} does not give "
                    f"{result.type}"
                )


@operation
class ScanOp(Op, _ElementRegionOp):
    """Running combination along an axis, from the end where `reverse`.

    `%r = "tt.scan"(%t) <{axis = 0 : i32, reverse = false}> ({ … }) : …`
    """

    name = "tt.scan"
    srcs = var_operand_def()
    axis = i32_prop()
    reverse = bool_prop()
    result = var_result_def()
    combine = region_def()
    traits = traits_def(Pure())

    def verify_(self) -> None:
        check_combine(self, self.combine, ScanReturnOp)
        for source, result in zip(self.srcs, self.results, strict=True):
            if source.type != result.type:
                raise VerifyException(
                    f"tt.scan: result {result.type} differs from source {source.type}"
                )


@operation
class MapElementwiseOp(Op, _ElementRegionOp):
    """Run a scalar region on packs of elements.

    `%r = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({ … }) : …`
    """

    name = "tt.map_elementwise"
    srcs = var_operand_def()
    pack = i32_prop()
    result = var_result_def()
    scalarOp = region_def()
    traits = traits_def(RecursiveMemoryEffect())


@operation
class GatherOp(Op):
    """Pick elements along an axis by index.

    `%r = tt.gather %t[%i] {axis = 0 : i32} : (tensor<64xf32>, tensor<8xi32>) -> tensor<8xf32>`
    """

    name = "tt.gather"
    src = operand_def()
    indices = operand_def()
    axis = i32_prop()
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)"


@operation
class HistogramOp(Op):
    """Count how often each bin occurs.

    `%h = tt.histogram %x, %m : tensor<64xi32> -> tensor<16xi32>`
    """

    name = "tt.histogram"
    src = operand_def()
    optionals = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    FORMAT: ClassVar[str] = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"mask": same_shape("src", types.i1)}

    @property
    def mask(self) -> SSAValue | None:
        return self.operand_or_none(1)


OPERATIONS = (
    ReduceReturnOp,
    ScanReturnOp,
    MapElementwiseReturnOp,
    ReduceOp,
    ScanOp,
    MapElementwiseOp,
    GatherOp,
    HistogramOp,
)

__all__ = [
    "GatherOp",
    "HistogramOp",
    "MapElementwiseOp",
    "MapElementwiseReturnOp",
    "OPERATIONS",
    "ReduceOp",
    "ReduceReturnOp",
    "ScanOp",
    "ScanReturnOp",
]
