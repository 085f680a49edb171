"""Asynchronous copies by tensor descriptor with the tensor memory accelerator (TMA).

ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %p …   load a tile
ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer …                 store a tile
ttng.async_tma_store_wait {pendings = 0 : i32}                           wait for the stores
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, SSAValue
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
from weft.ir.descriptor_rules import check_rows, check_same_block
from weft.ir.enums import CacheModifier, DescriptorReduceKind, EvictionPolicy
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import MEMDESC, MemDescType
from weft.ir.ttng.barrier import check_barrier
from weft.ir.ttng.types import TensorDescIm2ColType
from weft.ir.type_constraints import (
    I1,
    I16,
    I32,
    I32_TENSOR,
    I64,
    POINTER,
    POINTER_TYPE,
    TENSOR_DESCRIPTOR,
    TypeConstraint,
)
from weft.layouts import Encoding, NvmmaSharedEncoding

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


ANY_TENSOR_DESCRIPTOR = TypeConstraint(
    "tensor descriptor type",
    lambda type_: isinstance(type_, types.TensorDescType | TensorDescIm2ColType),
)
_IM2COL_RANKS = (3, 5)
_IM2COL_FIXED = 2  # coordinates without an offset: the batch and the channel
_MOST_COORDINATES = 5


def _block(descriptor: SSAValue) -> Attribute:
    type_ = descriptor.type
    assert isinstance(type_, types.TensorDescType | TensorDescIm2ColType)
    return type_.block_type


def _check_coordinates(descriptor: SSAValue, coordinates: Sequence[SSAValue]) -> None:
    """Require a coordinate per dimension of the tile, or of the tensor in im2col mode."""
    count = len(coordinates)
    if isinstance(descriptor.type, TensorDescIm2ColType):
        least, most = _IM2COL_RANKS
        if count < least:
            raise VerifyException(
                f"IM2COL mode requires at least {least}D coordinates, but got {count}D"
            )
        if count > most:
            raise VerifyException(
                f"IM2COL mode supports at most {most}D coordinates, but got {count}D"
            )
        return
    rank = len(types.shape(_block(descriptor)))
    if count != rank:
        raise VerifyException(f"expected {rank} coordinates, but got {count}")
    if not 1 <= count <= _MOST_COORDINATES:
        raise VerifyException("must have between 1 and 5 coordinates")


def _check_load(op: AsyncTMACopyGlobalToLocalOp | AsyncTMAGatherOp, result: MemDescType) -> None:
    """Require an mbarrier and a mutable buffer with the layout of the descriptor."""
    check_barrier(op, op.barrier)
    if not result.is_mutable:
        raise VerifyException("cannot store into immutable memory")
    _check_encoding(op.desc, result.encoding)


def _refuse_fp4_padding(memory: MemDescType) -> None:
    encoding = memory.encoding
    if isinstance(encoding, NvmmaSharedEncoding) and encoding.fp4_padded:
        raise VerifyException("does not support fp4_padded operands")


def _check_store(descriptor: SSAValue, source: MemDescType) -> None:
    """Require a buffer with the layout of the descriptor, without padded fp4."""
    _refuse_fp4_padding(source)
    _check_encoding(descriptor, source.encoding)


def _check_encoding(descriptor: SSAValue, encoding: Encoding | None) -> None:
    """Require the layout of the descriptor, which TMA writes; ranks may differ."""
    if not isinstance(encoding, NvmmaSharedEncoding):
        raise VerifyException("TMA descriptor must have NVMMA shared layout")
    expected = types.encoding(_block(descriptor))
    if not isinstance(expected, NvmmaSharedEncoding) or _tile(expected) != _tile(encoding):
        shown = expected if isinstance(expected, NvmmaSharedEncoding) else "<<NULL ATTRIBUTE>>"
        raise VerifyException(
            "TMA descriptor layout must match shared layout, but got descriptor layout "
            f"{shown} and shared memory layout {encoding}"
        )
    if encoding.transposed:
        raise VerifyException("TMA descriptor layout must not be transposed")


def _tile(encoding: NvmmaSharedEncoding) -> tuple[bool, int, int, bool]:
    return (
        encoding.transposed,
        encoding.swizzling_byte_width,
        encoding.element_bit_width,
        encoding.fp4_padded,
    )


@operation
class AsyncTMACopyGlobalToLocalOp(Op):
    """Issue a TMA load of the tile at the given coordinates; its bytes arrive on the mbarrier.

    Coordinates are i32, one per dimension; i16 `offsets` follow in im2col mode.

    `ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %barrier, %p : !tt.tensordesc<…>,
    !ttg.memdesc<1xi64, …> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>`
    """

    name = "ttng.async_tma_copy_global_to_local"
    desc = operand_def(ANY_TENSOR_DESCRIPTOR)
    coord = var_operand_def(I32)
    offsets = var_operand_def(I16)
    barrier = operand_def(MEMDESC)
    result = operand_def(MEMDESC)
    pred = operand_def(I1)
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
        result = memdesc_type(self, self.result)
        _check_coordinates(self.desc, self.coord)
        check_same_block(self.desc.type, result)
        _check_load(self, result)
        self._verify_offsets()

    def _verify_offsets(self) -> None:
        """Require an offset per spatial dimension in im2col mode, and none in tiled mode."""
        rank, count = len(self.coord), len(self.offsets)
        if not isinstance(self.desc.type, TensorDescIm2ColType):
            if count:
                raise VerifyException("TILED mode does not support offsets")
        elif not count:
            raise VerifyException("IM2COL mode requires offsets to be provided")
        elif count != rank - _IM2COL_FIXED:
            raise VerifyException(
                f"IM2COL mode with {rank}D coordinates requires {rank - _IM2COL_FIXED} offsets, "
                f"but got {count}"
            )


@operation
class AsyncTMACopyLocalToGlobalOp(Op):
    """Issue a TMA store of a buffer to the tile at the given coordinates.

    `ttng.async_tma_copy_local_to_global %d[%i, %j] %buffer : !tt.tensordesc<…>, !ttg.memdesc<…>`
    """

    name = "ttng.async_tma_copy_local_to_global"
    desc = operand_def(TENSOR_DESCRIPTOR)
    coord = var_operand_def(I32)
    src = operand_def(MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = "$desc `[` $coord `]` $src attr-dict `:` type($desc) `,` type($src)"
    INFER: ClassVar[Infer] = {"coord": fixed(types.i32)}

    def verify_(self) -> None:
        source = memdesc_type(self, self.src)
        _check_coordinates(self.desc, self.coord)
        check_same_block(self.desc.type, source)
        _check_store(self.desc, source)


@operation
class AsyncTMAReduceOp(Op):
    """Issue a TMA reduction of a buffer into the tile at the given coordinates.

    `ttng.async_tma_reduce add, %d[%i, %j] %buffer : !tt.tensordesc<…>, !ttg.memdesc<…>`
    """

    name = "ttng.async_tma_reduce"
    kind = enum_prop(DescriptorReduceKind)
    desc = operand_def(TENSOR_DESCRIPTOR)
    coord = var_operand_def(I32)
    src = operand_def(MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$kind `,` $desc `[` $coord `]` $src attr-dict `:` type($desc) `,` type($src)"
    )
    INFER: ClassVar[Infer] = {"coord": fixed(types.i32)}

    def verify_(self) -> None:
        source = memdesc_type(self, self.src)
        _check_coordinates(self.desc, self.coord)
        check_same_block(self.desc.type, source)
        _check_store(self.desc, source)


@operation
class AsyncTMAGatherOp(Op):
    """Issue a TMA load of the rows `x_offsets`, starting at column `y_offset`.

    `ttng.async_tma_gather %d[%x, %y] %buffer, %barrier, %p : …` (the types of all operands)
    """

    name = "ttng.async_tma_gather"
    desc = operand_def(TENSOR_DESCRIPTOR)
    x_offsets = operand_def(I32_TENSOR)
    y_offset = operand_def(I32)
    barrier = operand_def(MEMDESC)
    result = operand_def(MEMDESC)
    pred = operand_def(I1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred attr-dict `:` "
        "type(operands)"
    )

    def verify_(self) -> None:
        result = memdesc_type(self, self.result)
        _check_load(self, result)
        _refuse_fp4_padding(result)
        check_rows(self.desc.type, result, self.x_offsets.type)


@operation
class AsyncTMAScatterOp(Op):
    """Issue a TMA store of a buffer to the rows `x_offsets`, starting at column `y_offset`.

    `ttng.async_tma_scatter %d[%x, %y] %buffer : …` (the types of all operands)
    """

    name = "ttng.async_tma_scatter"
    desc = operand_def(TENSOR_DESCRIPTOR)
    x_offsets = operand_def(I32_TENSOR)
    y_offset = operand_def(I32)
    src = operand_def(MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)"
    )

    def verify_(self) -> None:
        source = memdesc_type(self, self.src)
        _check_store(self.desc, source)
        check_rows(self.desc.type, source, self.x_offsets.type)


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
    rawDesc = operand_def(POINTER)
    result = result_def(TENSOR_DESCRIPTOR)
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
    desc_ptr = operand_def(POINTER_TYPE)
    global_address = operand_def(POINTER_TYPE)
    box_dim = var_operand_def(I32)
    global_dim = var_operand_def(I32)
    global_stride = var_operand_def(I64)
    element_stride = var_operand_def(I32)
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
    desc_ptr = operand_def(POINTER_TYPE)
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
