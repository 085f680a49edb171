"""Asynchronous copies by tensor descriptor with the tensor memory accelerator (TMA).

ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %p …   load a tile
ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer …                 store a tile
ttng.async_tma_store_wait {pendings = 0 : i32}                           wait for the stores
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, types
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import check_mutable, memdesc_type
from weft.ir.ttng.barrier import check_barrier

__all__ = [
    "OPERATIONS",
    "AsyncTMACopyGlobalToLocalOp",
    "AsyncTMACopyLocalToGlobalOp",
    "AsyncTMAGatherOp",
    "AsyncTMAReduceOp",
    "AsyncTMAScatterOp",
    "ReinterpretTensorDescOp",
    "TMAStoreWaitOp",
    "TensormapCreateOp",
    "TensormapFenceproxyAcquireOp",
]


@operation
class AsyncTMACopyGlobalToLocalOp(Op):
    """Issue a TMA load of the tile at the given coordinates; its bytes arrive on the mbarrier.

    Coordinates are i32, one per dimension; i16 `offsets` follow in im2col mode.

    `ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %p : !tt.tensordesc<…>,
    !ttg.memdesc<1xi64, …> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>`
    """

    name = "ttng.async_tma_copy_global_to_local"
    desc = operand_def()
    coord = var_operand_def()
    offsets = var_operand_def()
    barrier = operand_def()
    result = operand_def()
    pred = operand_def()
    multicast = opt_prop_def(UnitAttr)
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    isVolatile = bool_prop(False)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred "
        "oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict) attr-dict `:` "
        "type($desc) `,` type($barrier) `->` type($result)"
    )
    INFER: ClassVar[Infer] = {
        "coord": fixed(types.i32),
        "offsets": fixed(types.i16),
        "pred": fixed(types.i1),
    }

    def verify_(self) -> None:
        check_barrier(self, self.barrier)
        check_mutable(memdesc_type(self, self.result))
        if not 1 <= len(self.coord) <= 5:
            raise VerifyException(
                f"TMA copies must have between 1 and 5 coordinates, but got {len(self.coord)}"
            )


@operation
class AsyncTMACopyLocalToGlobalOp(Op):
    """Issue a TMA store of a buffer to the tile at the given coordinates.

    `ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer : !tt.tensordesc<…>, !ttg.memdesc<…>`
    """

    name = "ttng.async_tma_copy_local_to_global"
    desc = operand_def()
    coord = var_operand_def()
    src = operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$desc `[` $coord `]` $src attr-dict `:` type($desc) `,` type($src)"
    INFER: ClassVar[Infer] = {"coord": fixed(types.i32)}

    def verify_(self) -> None:
        memdesc_type(self, self.src)


@operation
class AsyncTMAReduceOp(Op):
    """Issue a TMA reduction of a buffer into the tile at the given coordinates.

    `ttng.async_tma_reduce add, %d[%i, %j] %buffer : !tt.tensordesc<…>, !ttg.memdesc<…>`
    """

    name = "ttng.async_tma_reduce"
    kind = enum_prop(DescriptorReduceKind)
    desc = operand_def()
    coord = var_operand_def()
    src = operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$kind `,` $desc `[` $coord `]` $src attr-dict `:` type($desc) `,` type($src)"
    )
    INFER: ClassVar[Infer] = {"coord": fixed(types.i32)}

    def verify_(self) -> None:
        memdesc_type(self, self.src)


@operation
class AsyncTMAGatherOp(Op):
    """Issue a TMA load of the rows `x_offsets`, starting at column `y_offset`.

    `ttng.async_tma_gather %d[%x, %y] %buffer, %barrier, %p : …` (the types of all operands)
    """

    name = "ttng.async_tma_gather"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    barrier = operand_def()
    result = operand_def()
    pred = operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` "
        "type(operands)"
    )

    def verify_(self) -> None:
        check_barrier(self, self.barrier)
        check_mutable(memdesc_type(self, self.result))


@operation
class AsyncTMAScatterOp(Op):
    """Issue a TMA store of a buffer to the rows `x_offsets`, starting at column `y_offset`.

    `ttng.async_tma_scatter %d[%x, %y] %buffer : …` (the types of all operands)
    """

    name = "ttng.async_tma_scatter"
    desc = operand_def()
    x_offsets = operand_def()
    y_offset = operand_def()
    src = operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)"
    )

    def verify_(self) -> None:
        memdesc_type(self, self.src)


@operation
class TMAStoreWaitOp(Op):
    """Wait until at most `pendings` groups of TMA stores still read their buffers.

    `ttng.async_tma_store_wait {pendings = 0 : i32}`
    """

    name = "ttng.async_tma_store_wait"
    pendings = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class ReinterpretTensorDescOp(Op):
    """Reinterpret a pointer to a 128-byte hardware descriptor as a typed descriptor.

    `%d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<…>`
    """

    name = "ttng.reinterpret_tensor_descriptor"
    rawDesc = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$rawDesc attr-dict `:` type($rawDesc) `to` type($result)"


_MAXIMUM = {"elem_type": 15, "interleave_layout": 2, "swizzle_mode": 3, "fill_mode": 1}


@operation
class TensormapCreateOp(Op):
    """Write a 128-byte TMA descriptor to memory.

    For rank N it takes N box sizes, N sizes of the tensor, N - 1 strides in bytes (the last
    dimension is contiguous) and N element strides.

    `ttng.tensormap_create %p, %base, [%box…], [%dims…], [%strides…], [%steps…] {elem_type =
    6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : …`
    """

    name = "ttng.tensormap_create"
    desc_ptr = operand_def()
    global_address = operand_def()
    box_dim = var_operand_def()
    global_dim = var_operand_def()
    global_stride = var_operand_def()
    element_stride = var_operand_def()
    elem_type = i32_prop()
    interleave_layout = i32_prop()
    swizzle_mode = i32_prop()
    fill_mode = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,` "
        "`[` $global_stride `]` `,` `[` $element_stride `]` attr-dict `:` "
        "functional-type(operands, results)"
    )

    def verify_(self) -> None:
        rank = len(self.box_dim)
        for name, values, expected in (
            ("global dim", self.global_dim, rank),
            ("global stride", self.global_stride, rank - 1),
            ("element stride", self.element_stride, rank),
        ):
            if len(values) != expected:
                raise VerifyException(
                    f"Rank mismatch for {name}. Got {len(values)} but expected {expected}"
                )
        for name, maximum in _MAXIMUM.items():
            value = attributes.number(self.properties[name])
            if value is None or not 0 <= value <= maximum:
                raise VerifyException(
                    f"attribute '{name}' failed to satisfy constraint: 32-bit signless integer "
                    f"attribute whose value is non-negative whose maximum value is {maximum}"
                )


@operation
class TensormapFenceproxyAcquireOp(Op):
    """Proxy fence: make a descriptor written to memory visible to TMA.

    `ttng.tensormap_fenceproxy_acquire %p : !tt.ptr<i8>`
    """

    name = "ttng.tensormap_fenceproxy_acquire"
    desc_ptr = operand_def()
    traits = traits_def(MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$desc_ptr attr-dict `:` type($desc_ptr)"


OPERATIONS = (
    AsyncTMACopyGlobalToLocalOp,
    AsyncTMACopyLocalToGlobalOp,
    AsyncTMAReduceOp,
    AsyncTMAGatherOp,
    AsyncTMAScatterOp,
    TMAStoreWaitOp,
    ReinterpretTensorDescOp,
    TensormapCreateOp,
    TensormapFenceproxyAcquireOp,
)
