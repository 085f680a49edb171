"""Operations of tt on tensor descriptors, which TMA and TDM copies use."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import (
    SameVariadicOperandSize,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from weft.ir import types
from weft.ir.constraints import enum_prop
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy, PaddingOption
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.types import PointerType, TensorDescType


@operation
class MakeTensorDescOp(Op):
    """Create a descriptor of a strided tensor in memory, for loads and stores of tiles.

    It takes i32 sizes and i64 strides, one per dimension. `padding` is the value of elements
    outside the tensor.

    `%d = tt.make_tensor_descriptor %p, [%m, %n], [%sm, %sn] : !tt.ptr<f16>,
    !tt.tensordesc<tensor<64x32xf16>>`
    """

    name = "tt.make_tensor_descriptor"
    base = operand_def()
    shape = var_operand_def(types.i32)
    strides = var_operand_def(types.i64)
    padding = enum_prop(PaddingOption, PaddingOption.ZERO)
    result = result_def()
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
    desc = operand_def()
    indices = var_operand_def(types.i32)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` "
        "$evict) attr-dict `:` type($desc) `->` type($result)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}


@operation
class DescriptorStoreOp(Op):
    """Store a tile at i32 indices, one per dimension.

    `tt.descriptor_store %d[%i, %j], %t : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>`
    """

    name = "tt.descriptor_store"
    desc = operand_def()
    src = operand_def()
    indices = var_operand_def(types.i32)
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}


@operation
class DescriptorReduceOp(Op):
    """Reduce a tile into memory at i32 indices, atomically per element.

    `tt.descriptor_reduce add, %d[%i, %j], %t : …, tensor<64x32xf16>`
    """

    name = "tt.descriptor_reduce"
    kind = enum_prop(DescriptorReduceKind)
    desc = operand_def()
    src = operand_def()
    indices = var_operand_def(types.i32)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` type($desc) `,` type($src)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}


@operation
class DescriptorGatherOp(Op):
    """Gather the rows `x_offsets`, starting at column `y_offset`.

    `%t = tt.descriptor_gather %d[%x, %y] : (…, tensor<32xi32>, i32) -> tensor<32x64xf16>`
    """

    name = "tt.descriptor_gather"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)"
    )


@operation
class DescriptorScatterOp(Op):
    """Scatter a tile to the rows `x_offsets`, starting at column `y_offset`.

    `tt.descriptor_scatter %d[%x, %y], %t : …, tensor<32xi32>, i32, tensor<32x64xf16>`
    """

    name = "tt.descriptor_scatter"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    src = operand_def()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type($desc) `,` "
        "type($x_offsets) `,` type($y_offset) `,` type($src)"
    )


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
