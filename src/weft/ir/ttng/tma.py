"""Operations of ttng on the tensor memory accelerator: copies by descriptor, done by an engine.

ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %p …   a tile arrives
ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer …                 a tile leaves
ttng.async_tma_store_wait {pendings = 0 : i32}                           … and has left
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

from weft.ir import types
from weft.ir.constraints import bool_prop, enum_prop, i32_prop
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import check_mutable, memdesc_of
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
    """Start copying the tile at the given coordinates; its arrival counts on the barrier.

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
        check_mutable(self, memdesc_of(self, self.result))
        if not 1 <= len(self.coord) <= 5:
            raise VerifyException(f"{self.name}: 1 to 5 coordinates expected")


@operation
class AsyncTMACopyLocalToGlobalOp(Op):
    """Start copying a buffer to the tile at the given coordinates.

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
        memdesc_of(self, self.src)


@operation
class AsyncTMAReduceOp(Op):
    """Start combining a buffer into the tile at the given coordinates.

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
        memdesc_of(self, self.src)


@operation
class AsyncTMAGatherOp(Op):
    """Start copying the rows at the x offsets, from one y offset on.

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
        check_mutable(self, memdesc_of(self, self.result))


@operation
class AsyncTMAScatterOp(Op):
    """Start copying a buffer to the rows at the x offsets, from one y offset on.

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
        memdesc_of(self, self.src)


@operation
class TMAStoreWaitOp(Op):
    """Wait until at most `pendings` groups of stores still read their buffers.

    `ttng.async_tma_store_wait {pendings = 0 : i32}`
    """

    name = "ttng.async_tma_store_wait"
    pendings = i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "attr-dict"


@operation
class ReinterpretTensorDescOp(Op):
    """Read a pointer to 128 bytes of hardware descriptor as a typed descriptor.

    `%d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<…>`
    """

    name = "ttng.reinterpret_tensor_descriptor"
    rawDesc = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$rawDesc attr-dict `:` type($rawDesc) `to` type($result)"


_LIMITS = {"elem_type": 15, "interleave_layout": 2, "swizzle_mode": 3, "fill_mode": 1}


@operation
class TensormapCreateOp(Op):
    """Write a hardware descriptor to memory.

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
        counts = (len(self.global_dim), len(self.element_stride), len(self.global_stride) + 1)
        if counts != (rank, rank, rank):
            raise VerifyException(
                f"{self.name}: {rank} box sizes need as many dimensions and steps, and one stride "
                f"less; found {counts[0]}, {counts[1]} and {counts[2] - 1}"
            )
        for name, limit in _LIMITS.items():
            value = getattr(self, name).value.data
            if not 0 <= value <= limit:
                raise VerifyException(f"{self.name}: {name} is {value}, 0 to {limit} expected")


@operation
class TensormapFenceproxyAcquireOp(Op):
    """Let the copy engine see a descriptor that was written.

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
