"""Operations of tt on tensor descriptors, which TMA and TDM copies use."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute
from xdsl.irdl import (
    SameVariadicOperandSize,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import enum_prop
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy, PaddingOption
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.type_constraints import I32, I32_TENSOR, I64, POINTER, TENSOR, TENSOR_DESCRIPTOR
from weft.ir.types import PointerType, TensorDescType

_MAX_ELEMENT_BITS = 32  # of a gather or scatter by TMA
_MIN_ROWS = 8
_MIN_ROW_BYTES = 32


def _block(descriptor: Attribute) -> Attribute:
    """Get the type of the tile of a descriptor, with signless integers."""
    assert isinstance(descriptor, TensorDescType)
    block = descriptor.block_type
    element = types.element(block)
    if isinstance(element, IntegerType):
        return types.with_element(block, IntegerType(element.width.data))
    return block


def require_block(descriptor: Attribute, tensor: Attribute) -> None:
    """Require a tensor of the element type and size of a descriptor's tile.

    Raises:
        VerifyException: They differ.
    """
    block = _block(descriptor)
    if types.element(block) != types.element(tensor):
        raise VerifyException(
            "descriptor block and tensor element types must match, but got descriptor element "
            f"type '{types.element(block)}' and tensor element type '{types.element(tensor)}'"
        )
    expected, count = prod(types.shape(block)), prod(types.shape(tensor))
    if expected != count:
        raise VerifyException(
            "descriptor block and tensor must have the same number of elements, but got "
            f"descriptor block with {expected} elements tensor with {count} elements"
        )


def require_rows(descriptor: Attribute, tensor: Attribute, offsets: Attribute) -> None:
    """Require a descriptor of one row, a tensor of such rows, and an offset for each.

    Raises:
        VerifyException: A type differs, or TMA cannot copy the tensor.
    """
    block = _block(descriptor)
    row, shape, element = types.shape(block), types.shape(tensor), types.element(tensor)
    if len(row) != 2:
        raise VerifyException(f"descriptor block must be a 2D tensor, but got '{block}'")
    if row[0] != 1:
        raise VerifyException(f"descriptor block must have exactly 1 row, but got '{block}'")
    if len(types.shape(offsets)) != 1:
        raise VerifyException(f"x offsets must be a 1D tensor, but got '{offsets}'")
    if len(shape) != 2:
        raise VerifyException(f"result must be a 2D tensor, but got '{tensor}'")
    if shape[0] < _MIN_ROWS:
        raise VerifyException(f"must have at least {_MIN_ROWS} rows, but got {shape[0]}")
    if types.bit_width(element) > _MAX_ELEMENT_BITS:
        raise VerifyException("TMA dtype cannot be greater than 32 bits")
    columns = _MIN_ROW_BYTES // types.bit_width(element) * 8
    if shape[1] < columns:
        raise VerifyException(
            f"must have at least {columns} columns for {element}, but got {shape[1]}"
        )
    if shape[0] != types.shape(offsets)[0]:
        raise VerifyException(
            f"result tensor must have as many rows as indices ({types.shape(offsets)[0]}), but "
            f"got '{tensor}'"
        )
    if shape[1] != row[1]:
        raise VerifyException(
            f"result tensor number of columns must match block ({row[1]}), but got '{tensor}'"
        )
    if element != types.element(block):
        raise VerifyException(
            f"result tensor element type must match block ('{types.element(block)}'), but got "
            f"'{tensor}'"
        )


@operation
class MakeTensorDescOp(Op):
    """Create a descriptor of a strided tensor in memory, for loads and stores of tiles.

    It takes i32 sizes and i64 strides, one per dimension. `padding` is the value of elements
    outside the tensor.

    `%d = tt.make_tensor_descriptor %p, [%m, %n], [%sm, %sn] : !tt.ptr<f16>,
    !tt.tensordesc<tensor<64x32xf16>>`
    """

    name = "tt.make_tensor_descriptor"
    base = operand_def(POINTER)
    shape = var_operand_def(I32)
    strides = var_operand_def(I64)
    padding = enum_prop(PaddingOption, PaddingOption.ZERO)
    result = result_def(TENSOR_DESCRIPTOR)
    traits = traits_def(Pure())
    irdl_options = (SameVariadicOperandSize(),)
    FORMAT: ClassVar[str] = (
        "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` "
        "bare-type($base) `,` bare-type($result)"
    )
    BARE_TYPES: ClassVar = {"base": PointerType, "result": TensorDescType}
    INFER: ClassVar[Infer] = {"shape": fixed(types.i32), "strides": fixed(types.i64)}


@operation
class DescriptorLoadOp(Op):
    """Load the tile at i32 indices, one per dimension.

    `%t = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>`
    """

    name = "tt.descriptor_load"
    desc = operand_def(TENSOR_DESCRIPTOR)
    indices = var_operand_def(I32)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    result = result_def(TENSOR)
    traits = traits_def(MemoryReadEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` "
        "$evict) attr-dict `:` type($desc) `->` type($result)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}

    def verify_(self) -> None:
        require_block(self.desc.type, self.result.type)


@operation
class DescriptorStoreOp(Op):
    """Store a tile at i32 indices, one per dimension.

    `tt.descriptor_store %d[%i, %j], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>`
    """

    name = "tt.descriptor_store"
    desc = operand_def(TENSOR_DESCRIPTOR)
    src = operand_def(TENSOR)
    indices = var_operand_def(I32)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}

    def verify_(self) -> None:
        require_block(self.desc.type, self.src.type)


@operation
class DescriptorReduceOp(Op):
    """Reduce a tile into memory at i32 indices, atomically per element.

    `tt.descriptor_reduce add, %d[%i, %j], %t : …, tensor<64x32xf16>`
    """

    name = "tt.descriptor_reduce"
    kind = enum_prop(DescriptorReduceKind)
    desc = operand_def(TENSOR_DESCRIPTOR)
    src = operand_def(TENSOR)
    indices = var_operand_def(I32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}

    def verify_(self) -> None:
        require_block(self.desc.type, self.src.type)


@operation
class DescriptorGatherOp(Op):
    """Gather the rows `x_offsets`, starting at column `y_offset`.

    `%t = tt.descriptor_gather %d[%x, %y] : (…, tensor<32xi32>, i32) -> tensor<32x64xf16>`
    """

    name = "tt.descriptor_gather"
    desc = operand_def(TENSOR_DESCRIPTOR)
    x_offsets = operand_def(I32_TENSOR)
    y_offset = operand_def(I32)
    result = result_def(TENSOR)
    traits = traits_def(MemoryReadEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)"
    )

    def verify_(self) -> None:
        require_rows(self.desc.type, self.result.type, self.x_offsets.type)


@operation
class DescriptorScatterOp(Op):
    """Scatter a tile to the rows `x_offsets`, starting at column `y_offset`.

    `tt.descriptor_scatter %d[%x, %y], %t : …, tensor<32xi32>, i32, tensor<32x64xf16>`
    """

    name = "tt.descriptor_scatter"
    desc = operand_def(TENSOR_DESCRIPTOR)
    x_offsets = operand_def(I32_TENSOR)
    y_offset = operand_def(I32)
    src = operand_def(TENSOR)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type($desc) `,` "
        "type($x_offsets) `,` type($y_offset) `,` type($src)"
    )

    def verify_(self) -> None:
        require_rows(self.desc.type, self.src.type, self.x_offsets.type)


OPERATIONS = (
    MakeTensorDescOp,
    DescriptorLoadOp,
    DescriptorStoreOp,
    DescriptorReduceOp,
    DescriptorGatherOp,
    DescriptorScatterOp,
)

__all__ = [
    "DescriptorGatherOp",
    "DescriptorLoadOp",
    "DescriptorReduceOp",
    "DescriptorScatterOp",
    "DescriptorStoreOp",
    "MakeTensorDescOp",
    "OPERATIONS",
]
