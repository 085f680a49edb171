"""Operations of tt that combine or select elements: reduce, scan, gather, histogram."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Region, SSAValue
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
from weft.ir.type_rules import require_same_shape, require_same_type


def check_combine(op: Op, region: Region, terminator: type[Op]) -> None:
    """Require a combine region: two block arguments per source, and the given terminator.

    Raises:
        VerifyException: The region differs.
    """
    block = region.blocks.first
    elements = [types.element(source.type) for source in op.operands] * 2
    arguments = () if block is None else block.args
    if len(arguments) != len(elements):
        raise VerifyException(
            f"nested block must take {len(elements)} arguments, but given block with "
            f"{len(arguments)} arguments"
        )
    for index, (argument, element) in enumerate(zip(arguments, elements, strict=True)):
        if argument.type != element:
            raise VerifyException(
                f"type mismatch on combine operation. Expected argument {index} to have type "
                f"'{element}' but got '{argument.type}'"
            )
    if region.blocks.last is None or not isinstance(region.blocks.last.last_op, terminator):
        raise VerifyException(f"expects regions to end with '{terminator.name}'")


def check_axis(axis: int, source: Attribute) -> None:
    """Require an axis of a tensor.

    Raises:
        VerifyException: It is out of bounds.
    """
    rank = len(types.shape(source))
    if not 0 <= axis < rank:
        raise VerifyException(f"axis out of bounds for operand rank {rank}")


class _ElementRegionOp(RegionBranchOpInterface):
    """An operation that runs its region on the elements of its operands, any number of times.

    The operation sets the block arguments to elements and builds its results from what the
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
    """Return the combined values of a `tt.reduce` region.  `tt.reduce.return %x : f32`"""

    name = "tt.reduce.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"


@operation
class ScanReturnOp(Op, _ElementRegionTerminator):
    """Return the combined values of a `tt.scan` region.  `tt.scan.return %x : f32`"""

    name = "tt.scan.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"


@operation
class MapElementwiseReturnOp(Op, _ElementRegionTerminator):
    """Return the values of a `tt.map_elementwise` region.

    `tt.map_elementwise.return %x : f32`
    """

    name = "tt.map_elementwise.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect())
    FORMAT: ClassVar[str] = "attr-dict ($result^ `:` type($result))?"


@operation
class ReduceOp(Op, _ElementRegionOp):
    """Reduce tensors of one shape along an axis with the associative function of the region.

    The region takes the two elements to combine for each source, first all left ones.

    Example:
        %r = "tt.reduce"(%t) <{axis = 1 : i32}> ({
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          tt.reduce.return %s : f32
        }) : (tensor<8x4xf32>) -> tensor<8xf32>
    """

    name = "tt.reduce"
    srcs = var_operand_def()
    axis = i32_prop()
    result = var_result_def()
    combine = region_def()
    traits = traits_def(Pure())

    def verify_(self) -> None:
        check_combine(self, self.combine, ReduceReturnOp)
        axis = self.axis.value.data
        for source, result in zip(self.srcs, self.results, strict=True):
            check_axis(axis, source.type)
            shape = list(types.shape(source.type))
            del shape[axis]
            if tuple(shape) != types.shape(result.type):
                element = types.element(source.type)
                inferred = types.tensor(tuple(shape), element) if shape else element
                raise VerifyException(
                    f"inferred type(s) '{inferred}' are incompatible with return type(s) of "
                    f"operation '{result.type}'"
                )


@operation
class ScanOp(Op, _ElementRegionOp):
    """Inclusive scan along an axis with the associative function of the region.

    `reverse` starts at the end of the axis.

    Example:
        %r = "tt.scan"(%t) <{axis = 0 : i32, reverse = false}> ({
        ^bb0(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          tt.scan.return %s : f32
        }) : (tensor<8xf32>) -> tensor<8xf32>
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
            require_same_shape(source.type, result.type)
            require_same_type(source.type, result.type)


@operation
class MapElementwiseOp(Op, _ElementRegionOp):
    """Run a region on scalars: on each pack of `pack` elements of every source.

    Example:
        %r = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
        ^bb0(%x: f32):
          tt.map_elementwise.return %x : f32
        }) : (tensor<8xf32>) -> tensor<8xf32>
    """

    name = "tt.map_elementwise"
    srcs = var_operand_def()
    pack = i32_prop()
    result = var_result_def()
    scalarOp = region_def()
    traits = traits_def(RecursiveMemoryEffect())


@operation
class GatherOp(Op):
    """Gather elements of a tensor along an axis by index.

    The result has the shape of the indices.

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
    """Count how often each of the numbers 0, 1, … occurs; masked elements are not counted.

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
