"""Operations of tt that combine or select elements: reduce, scan, gather, histogram."""

from __future__ import annotations

from collections.abc import Sequence
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
from weft.ir.definition_verifier import NestedVerifyException
from weft.ir.interfaces import (
    Effect,
    RegionBranchOpInterface,
    RegionBranchTerminatorOpInterface,
    get_effects,
)
from weft.ir.op_traits import (
    HasParent,
    SameOperandsAndResultEncoding,
    SameOperandsAndResultShape,
    SameOperandsEncoding,
    SameOperandsShape,
    TypesMatchWith,
    same_shape_i1,
)
from weft.ir.operation import Infer, Op, operation, same_shape
from weft.ir.type_constraints import ANY_TYPE, BOOL_LIKE, INT_TENSOR, TENSOR
from weft.ir.type_inference import infer_layout, require_inferred_types
from weft.layouts.inference import infer_reduce


def check_combine(op: Op, region: Region, terminator: type[Op]) -> None:
    """Require a combine region: two block arguments per source, and the given terminator.

    Raises:
        VerifyException: The region differs.
    """
    count = len(op.operands)
    elements = [types.element(source.type) for source in op.operands]
    block = region.block
    if len(block.args) != 2 * count:
        raise VerifyException(
            f"nested block must take {2 * count} arguments, but given block with "
            f"{len(block.args)} arguments"
        )
    for index, argument in enumerate(block.args):
        _check_combined(index, elements[index % count], argument.type)
    last = block.last_op
    if not isinstance(last, terminator):
        actual = "nothing" if last is None else f"'{last.name}'"
        raise VerifyException(
            f"combine operation must be terminated with a '{terminator.name}' but got {actual}"
        )
    if len(last.operands) != count:
        raise VerifyException(
            f"expected combine operation to return {count} values but got {len(last.operands)}"
        )
    for index, value in enumerate(last.operands):
        _check_combined(index, elements[index], value.type)


def _check_combined(index: int, element: Attribute, type_: Attribute) -> None:
    if type_ != element:
        raise VerifyException(
            f"type mismatch on combine operation. Expected argument {index} to have type "
            f"'{element}' but got '{type_}'"
        )


def check_operands(op: Op, axis: int) -> None:
    """Require tensors of one rank with an axis, and as many results of their element types.

    Raises:
        VerifyException: An operand or result differs.
    """
    if not op.operands:
        raise VerifyException("must have at least 1 operand")
    if len(op.operands) != len(op.results):
        raise VerifyException("must have the same number of inputs as outputs")
    for source in op.operands:
        rank = len(types.shape(source.type))
        if not 0 <= axis < rank:
            raise VerifyException(f"axis out of bounds for operand rank {rank}")
    for source, result in zip(op.operands, op.results, strict=True):
        if types.element(source.type) != types.element(result.type):
            raise VerifyException("operand types and result types must agree")


class ElementRegionOp(RegionBranchOpInterface):
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
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("tt.reduce",)))
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"


@operation
class ScanReturnOp(Op, _ElementRegionTerminator):
    """Return the combined values of a `tt.scan` region.  `tt.scan.return %x : f32`"""

    name = "tt.scan.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("tt.scan",)))
    FORMAT: ClassVar[str] = "$result attr-dict `:` type($result)"


@operation
class MapElementwiseReturnOp(Op, _ElementRegionTerminator):
    """Return the values of a `tt.map_elementwise` region.

    `tt.map_elementwise.return %x : f32`
    """

    name = "tt.map_elementwise.return"
    result = var_operand_def()
    traits = traits_def(IsTerminator(), NoMemoryEffect(), HasParent(("tt.map_elementwise",)))
    FORMAT: ClassVar[str] = "attr-dict ($result^ `:` type($result))?"


def _reduced(source: Attribute, axis: int) -> Attribute:
    """Infer the type of a tensor that is reduced along an axis."""
    shape, encoding = list(types.shape(source)), types.encoding(source)
    del shape[axis]
    if not shape:
        return types.element(source)
    if encoding is not None:
        operand = encoding
        encoding = infer_layout(operand, lambda: infer_reduce(operand, axis))
    return types.tensor(tuple(shape), types.element(source), encoding)


@operation
class ReduceOp(Op, ElementRegionOp):
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
    srcs = var_operand_def(TENSOR)
    axis = i32_prop()
    result = var_result_def(ANY_TYPE)
    combine = region_def("single_block")
    traits = traits_def(Pure(), SameOperandsShape(), SameOperandsEncoding())

    def verify_(self) -> None:
        axis = self.axis.value.data
        check_operands(self, axis)
        require_inferred_types(self, [_reduced(source.type, axis) for source in self.srcs])
        check_combine(self, self.combine, ReduceReturnOp)


@operation
class ScanOp(Op, ElementRegionOp):
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
    srcs = var_operand_def(TENSOR)
    axis = i32_prop()
    reverse = bool_prop()
    result = var_result_def(TENSOR)
    combine = region_def("single_block")
    traits = traits_def(Pure(), SameOperandsAndResultEncoding(), SameOperandsAndResultShape())

    def verify_(self) -> None:
        check_operands(self, self.axis.value.data)
        require_inferred_types(self, [source.type for source in self.srcs])
        check_combine(self, self.combine, ScanReturnOp)


def _repeated(tensors: Sequence[Attribute], pack: int) -> list[Attribute]:
    """List each element type `pack` times."""
    return [types.element(tensor) for tensor in tensors for _ in range(pack)]


@operation
class MapElementwiseOp(Op, ElementRegionOp):
    """Run a region on scalars: on each pack of `pack` elements of every source.

    Example:
        %r = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
        ^bb0(%x: f32):
          tt.map_elementwise.return %x : f32
        }) : (tensor<8xf32>) -> tensor<8xf32>
    """

    name = "tt.map_elementwise"
    srcs = var_operand_def(TENSOR)
    pack = i32_prop()
    result = var_result_def(TENSOR)
    scalarOp = region_def()
    traits = traits_def(
        RecursiveMemoryEffect(), SameOperandsAndResultEncoding(), SameOperandsAndResultShape()
    )

    def verify_(self) -> None:
        pack = self.pack.value.data
        if not self.operands:
            raise VerifyException("MapElementwiseOp must have at least 1 operand")
        if pack <= 0 or pack & (pack - 1):
            raise VerifyException("Pack must be a power of 2")
        entry = self.scalarOp.blocks.first
        arguments = [] if entry is None else [argument.type for argument in entry.args]
        if len(arguments) != len(self.operands) * pack:
            raise VerifyException("region has wrong number of arguments")
        if arguments != _repeated([source.type for source in self.srcs], pack):
            raise VerifyException("argument types did not match")
        expected = _repeated([result.type for result in self.results], pack)
        for op in self.scalarOp.walk():
            if get_effects(op) & Effect.WRITE:
                raise NestedVerifyException(op, "Stores are not supported inside map_elementwise")
            if isinstance(op, MapElementwiseReturnOp) and [v.type for v in op.operands] != expected:
                raise NestedVerifyException(
                    op, "region return does not match map_elementwise result"
                )


@operation
class GatherOp(Op):
    """Gather elements of a tensor along an axis by index.

    The result has the shape of the indices.

    `%r = tt.gather %t[%i] {axis = 0 : i32} : (tensor<64xf32>, tensor<8xi32>) -> tensor<8xf32>`
    """

    name = "tt.gather"
    src = operand_def(TENSOR)
    indices = operand_def(INT_TENSOR)
    axis = i32_prop()
    efficient_layout = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        source, indices, result = self.src.type, self.indices.type, self.result.type
        axis = self.axis.value.data
        before, after = types.shape(source), types.shape(indices)
        if after != types.shape(result):
            raise VerifyException("indices and output shapes must match")
        if types.encoding(indices) is not types.encoding(result):
            raise VerifyException("indices and output encodings must match")
        if types.element(source) != types.element(result):
            raise VerifyException("input and output element types must match")
        if len(before) != len(after):
            raise VerifyException("input and indices ranks must match")
        if not 0 <= axis < len(before):
            raise VerifyException("gather dimension must be less than the input rank")
        for dim, (size, count) in enumerate(zip(before, after, strict=True)):
            if dim != axis and size != count:
                raise VerifyException(
                    f"indices dimension {dim} must match the corresponding input dimension"
                )


@operation
class HistogramOp(Op):
    """Count how often each of the numbers 0, 1, … occurs; masked elements are not counted.

    `%h = tt.histogram %x, %m : tensor<64xi32> -> tensor<16xi32>`
    """

    name = "tt.histogram"
    src = operand_def(INT_TENSOR)
    optionals = var_operand_def()
    result = result_def(INT_TENSOR)
    traits = traits_def(
        Pure(), TypesMatchWith("mask type matches src type", "src", "mask", same_shape_i1)
    )
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    OPTIONAL_TYPES: ClassVar = {"mask": BOOL_LIKE}
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
    "ElementRegionOp",
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
