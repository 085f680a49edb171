"""Asynchronous copies of amdg, by threads or by the tensor data mover (TDM), and transposing loads.

%t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %b, %p …    issue a TDM copy
%w = amdg.async_tdm_wait %t {num = 0 : i32}                          wait for it
"""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.constraints import bool_prop, enum_prop, i32_prop, opt_i32_prop
from weft.ir.enums import CacheModifier, EvictionPolicy
from weft.ir.operation import Infer, Op, fixed, operation, same_shape
from weft.ir.ttg.async_copy import TokenWait, check_pointee
from weft.ir.ttg.memory import check_mutable, memdesc_type
from weft.ir.ttg.types import async_token

__all__ = [
    "OPERATIONS",
    "AsyncCopyLocalToGlobalOp",
    "AsyncTDMCopyGlobalToLocalOp",
    "AsyncTDMCopyLocalToGlobalOp",
    "AsyncTDMGatherOp",
    "AsyncTDMIntrinsicWaitOp",
    "AsyncTDMScatterOp",
    "AsyncTDMWaitOp",
    "AsyncWaitOp",
    "LocalLoadPackedTransposedOp",
    "MemoryCounterWaitOp",
    "TDMPrefetchOp",
]


@operation
class AsyncWaitOp(TokenWait):
    """Wait until at most `num_inst` instructions of asynchronous copies are pending.

    `%w = amdg.async_wait %t {num_inst = 2 : i32}`
    """

    name = "amdg.async_wait"
    num_inst = i32_prop()


@operation
class AsyncTDMWaitOp(TokenWait):
    """Wait until at most `num` TDM copies are pending.

    `%w = amdg.async_tdm_wait %t {num = 0 : i32}`
    """

    name = "amdg.async_tdm_wait"
    num = i32_prop()
    FORMAT: ClassVar[str] = "$asyncToken attr-dict"


@operation
class AsyncTDMIntrinsicWaitOp(TokenWait):
    """Wait until at most `count` TDM instructions are pending.

    `%w = amdg.async_tdm_intrinsic_wait %t {count = 0 : i32}`
    """

    name = "amdg.async_tdm_intrinsic_wait"
    count = i32_prop()
    FORMAT: ClassVar[str] = "$asyncToken attr-dict"


@operation
class MemoryCounterWaitOp(Op):
    """Wait until at most so many loads, stores and LDS operations are pending.

    `amdg.memory_counter_wait load(1) store(2) ds(0)`
    """

    name = "amdg.memory_counter_wait"
    load = opt_i32_prop()
    store = opt_i32_prop()
    ds = opt_i32_prop()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "oilist(`load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)`) attr-dict"
    )


@operation
class AsyncTDMCopyGlobalToLocalOp(Op):
    """Issue a TDM copy of the tile at the given indices into a buffer, unless `pred` is 0.

    The copy arrives on the mbarrier if there is one.

    `%t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %b, %p, barrier = %bar :
    !tt.tensordesc<…>, !ttg.memdesc<1xi64, …> -> !ttg.memdesc<…>`
    """

    name = "amdg.async_tdm_copy_global_to_local"
    desc = operand_def()
    indices = var_operand_def()
    result = operand_def()
    pred = operand_def()
    barrier = opt_operand_def()
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `into` $result `,` $pred (`,` `barrier` `=` $barrier^)? attr-dict "
        "`:` type($desc) (`,` type($barrier)^)? `->` type($result)"
    )
    INFER: ClassVar[Infer] = {
        "indices": fixed(types.i32),
        "pred": fixed(types.i32),
        "token": fixed(async_token),
    }

    def verify_(self) -> None:
        check_mutable(memdesc_type(self, self.result))


@operation
class AsyncTDMCopyLocalToGlobalOp(Op):
    """Issue a TDM copy of a buffer to the tile at the given indices.

    `amdg.async_tdm_copy_local_to_global %d[%i, %j] from %b, barrier = %bar : !ttg.memdesc<…>,
    !ttg.memdesc<1xi64, …> -> !tt.tensordesc<…>`
    """

    name = "amdg.async_tdm_copy_local_to_global"
    desc = operand_def()
    indices = var_operand_def()
    src = operand_def()
    barrier = opt_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `from` $src (`,` `barrier` `=` $barrier^)? attr-dict `:` "
        "type($src) (`,` type($barrier)^)? `->` type($desc)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}

    def verify_(self) -> None:
        memdesc_type(self, self.src)


@operation
class AsyncTDMGatherOp(Op):
    """Issue a TDM copy that gathers rows, starting at one column, into a buffer.

    `%t = amdg.async_tdm_gather %d[%rows, %column] to %b : tensor<32xi32, …>, !ttg.memdesc<…> ->
    !tt.tensordesc<…>`
    """

    name = "amdg.async_tdm_gather"
    desc = operand_def()
    src_row_indices = operand_def()
    src_col_offset = operand_def()
    dst = operand_def()
    optionals = var_operand_def()
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("barrier",)
    FORMAT: ClassVar[str] = (
        "$desc `[` $src_row_indices `,` $src_col_offset `]` `to` $dst (`,` `barrier` `=` "
        "$barrier^)? attr-dict `:` type($src_row_indices) `,` type($dst) (`,` type($barrier)^)? "
        "`->` type($desc)"
    )
    INFER: ClassVar[Infer] = {"src_col_offset": fixed(types.i32), "token": fixed(async_token)}

    @property
    def barrier(self) -> SSAValue | None:
        return self.operand_or_none(4)

    def verify_(self) -> None:
        check_mutable(memdesc_type(self, self.dst))


@operation
class AsyncTDMScatterOp(Op):
    """Issue a TDM copy that scatters a buffer to rows, starting at one column.

    `%t = amdg.async_tdm_scatter %d[%rows, %column] from %b : tensor<32xi32, …>, !ttg.memdesc<…> ->
    !tt.tensordesc<…>`
    """

    name = "amdg.async_tdm_scatter"
    desc = operand_def()
    dst_row_indices = operand_def()
    dst_col_offset = operand_def()
    src = operand_def()
    optionals = var_operand_def()
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("barrier",)
    FORMAT: ClassVar[str] = (
        "$desc `[` $dst_row_indices `,` $dst_col_offset `]` `from` $src (`,` `barrier` `=` "
        "$barrier^)? attr-dict `:` type($dst_row_indices) `,` type($src) (`,` type($barrier)^)? "
        "`->` type($desc)"
    )
    INFER: ClassVar[Infer] = {"dst_col_offset": fixed(types.i32), "token": fixed(async_token)}

    @property
    def barrier(self) -> SSAValue | None:
        return self.operand_or_none(4)

    def verify_(self) -> None:
        memdesc_type(self, self.src)


@operation
class TDMPrefetchOp(Op):
    """Prefetch the tile at the given indices into the cache.

    `amdg.tdm_prefetch %d[%i, %j], %p, speculative = false : !tt.tensordesc<…>`
    """

    name = "amdg.tdm_prefetch"
    desc = operand_def()
    indices = var_operand_def()
    pred = operand_def()
    speculative = bool_prop()
    returnOffsets = opt_prop_def(UnitAttr)
    offsets = opt_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `,` $pred `,` `speculative` `=` $speculative "
        "(`returnOffsets` $returnOffsets^)? attr-dict `:` type($desc) (`->` type($offsets)^)?"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32), "pred": fixed(types.i1)}


@operation
class AsyncCopyLocalToGlobalOp(Op):
    """Issue an asynchronous copy of a buffer to pointers.

    `%t = amdg.async_copy_local_to_global %b, %p mask %m : !ttg.memdesc<…> ->
    tensor<64x!tt.ptr<f16>, #blocked>`
    """

    name = "amdg.async_copy_local_to_global"
    src = operand_def()
    dst = operand_def()
    optionals = var_operand_def()
    cache = enum_prop(CacheModifier, CacheModifier.NONE)
    evict = enum_prop(EvictionPolicy, EvictionPolicy.NORMAL)
    contiguity = i32_prop(1)
    token = result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("mask",)
    FORMAT: ClassVar[str] = (
        "$src `,` $dst (`mask` $mask^)? oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` "
        "$evict) attr-dict `:` type($src) `->` type($dst)"
    )

    INFER: ClassVar[Infer] = {"mask": same_shape("dst", types.i1), "token": fixed(async_token)}

    @property
    def mask(self) -> SSAValue | None:
        return self.operand_or_none(2)

    def verify_(self) -> None:
        check_pointee(self.dst.type, memdesc_type(self, self.src))


@operation
class LocalLoadPackedTransposedOp(Op):
    """Load packed fp4 from a buffer and transpose it, so that another dimension is packed.

    One size doubles and the other halves. (The name is spelled as in Triton.)

    `%t = amdg.local_load_packed_tranposed %b : !ttg.memdesc<64x128xi8, …> ->
    tensor<128x64xi8, #dot>`
    """

    name = "amdg.local_load_packed_tranposed"
    src = operand_def()
    optionals = var_operand_def()
    result = result_def()
    traits = traits_def(MemoryReadEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("token",)
    FORMAT: ClassVar[str] = "$src (`token` $token^)? attr-dict `:` type($src) `->` type($result)"
    INFER: ClassVar[Infer] = {"token": fixed(async_token)}

    @property
    def token(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.src)
        if prod(memory.shape) != prod(types.shape(self.result.type)):
            raise VerifyException("number of src and dst elements must be the same")


OPERATIONS = (
    AsyncWaitOp,
    AsyncTDMWaitOp,
    AsyncTDMIntrinsicWaitOp,
    MemoryCounterWaitOp,
    AsyncTDMCopyGlobalToLocalOp,
    AsyncTDMCopyLocalToGlobalOp,
    AsyncTDMGatherOp,
    AsyncTDMScatterOp,
    TDMPrefetchOp,
    AsyncCopyLocalToGlobalOp,
    LocalLoadPackedTransposedOp,
)
