"""Copies by AMD's tensor data mover (TDM), which a tensor descriptor controls.

%t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %b, %p …    issue a TDM copy
%w = amdg.async_tdm_wait %t {num = 0 : i32}                          wait for it
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, SSAValue
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
from weft.ir.constraints import bool_prop, i32_prop
from weft.ir.module_attributes import (
    lookup_num_ctas,
    lookup_num_warps,
    lookup_threads_per_warp,
)
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.async_copy import TokenWait
from weft.ir.ttg.memory import memdesc_type
from weft.ir.ttg.types import (
    ASYNC_TOKEN,
    MEMDESC,
    MemDescType,
    async_token,
)
from weft.ir.type_constraints import (
    I1,
    I32,
    TENSOR,
    TENSOR_DESCRIPTOR,
    TypeConstraint,
)
from weft.ir.type_inference import require_inferred_types
from weft.layouts import PaddedSharedEncoding, SwizzledSharedEncoding
from weft.layouts.default_encoding import default_blocked

__all__ = [
    "OPERATIONS",
    "AsyncTDMCopyGlobalToLocalOp",
    "AsyncTDMCopyLocalToGlobalOp",
    "AsyncTDMGatherOp",
    "AsyncTDMIntrinsicWaitOp",
    "AsyncTDMScatterOp",
    "AsyncTDMWaitOp",
    "TDMPrefetchOp",
]

_ROW_INDICES = TypeConstraint(
    "tensor of 16-bit signless integer or 32-bit signless integer values",
    lambda type_: types.is_tensor(type_) and type_.element_type in (types.i16, types.i32),
)
_MOST_SIZE = 2**16 - 1  # of a dimension of a TDM block
_DWORD_BITS = 32
_LEAST_INTERVAL = 2  # dwords between paddings
_PREFETCH_BITS = 256 * 8


def _block(descriptor: SSAValue) -> Attribute:
    type_ = descriptor.type
    assert isinstance(type_, types.TensorDescType)
    return type_.block_type


def _check_block_sizes(descriptor: SSAValue) -> tuple[int, ...]:
    """Require sizes that TDM can count, and return them."""
    shape = types.shape(_block(descriptor))
    for dim, size in enumerate(shape):
        if size > _MOST_SIZE:
            raise VerifyException(
                f"TDM block dimension {dim} ({size}) exceeds maximum size of {_MOST_SIZE}"
            )
    return shape


def _check_tdm_encoding(memory: MemDescType) -> PaddedSharedEncoding | None:
    """Require rows without a swizzle, and return the encoding if they are padded."""
    encoding = memory.encoding
    if isinstance(encoding, PaddedSharedEncoding):
        return encoding
    if not isinstance(encoding, SwizzledSharedEncoding):
        raise VerifyException("Invalid shared memory layout for TDM")
    if encoding.max_phase != 1:
        raise VerifyException("TDM does not support swizzling")
    return None


def _check_rows(
    name: str, index_name: str, descriptor: SSAValue, indices: SSAValue, memory: MemDescType
) -> None:
    """Require a 2D block, a list of row numbers and rows without padding.

    Args:
        name: "gather" or "scatter", for messages.
        index_name: The name of the row numbers, for messages.
        descriptor: The descriptor.
        indices: The row numbers.
        memory: The type of the buffer.
    """
    rank = len(types.shape(_block(descriptor)))
    if rank != 2:
        raise VerifyException(f"TDM {name} only supports 2D tensors, got {rank}D")
    _check_block_sizes(descriptor)
    shape = types.shape(indices.type)
    if len(shape) != 1:
        raise VerifyException(f"{index_name} must be a 1D tensor")
    if shape[0].bit_count() != 1:
        raise VerifyException(f"{index_name} size must be a power of 2, got {shape[0]}")
    if _check_tdm_encoding(memory) is not None:
        raise VerifyException(f"TDM {name} does not support padding")


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
class AsyncTDMCopyGlobalToLocalOp(Op):
    """Issue a TDM copy of the tile at the given indices into a buffer, unless `pred` is 0.

    The copy arrives on the mbarrier if there is one.

    `%t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %b, %p, barrier = %bar :
    !tt.tensordesc<…>, !ttg.memdesc<1xi64, …> -> !ttg.memdesc<…>`
    """

    name = "amdg.async_tdm_copy_global_to_local"
    desc = operand_def(TENSOR_DESCRIPTOR)
    indices = var_operand_def(I32)
    result = operand_def(MEMDESC)
    pred = operand_def(I32)
    barrier = opt_operand_def(MEMDESC)
    token = result_def(ASYNC_TOKEN)
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
        _check_block_sizes(self.desc)
        memory = memdesc_type(self, self.result)
        padded = _check_tdm_encoding(memory)
        if padded is None:
            return
        if types.is_pointer(memory.element_type):
            raise VerifyException(f"TDM does not support element type {memory.element_type}")
        bits = types.bit_width(memory.element_type)
        for interval, padding in zip(padded.intervals, padded.paddings, strict=True):
            if interval * bits // _DWORD_BITS < _LEAST_INTERVAL:
                raise VerifyException("TDM padding interval must be at least 2 dwords")
            if padding * bits // _DWORD_BITS < 1:
                raise VerifyException("TDM padding amount must be at least 1 dword")


@operation
class AsyncTDMCopyLocalToGlobalOp(Op):
    """Issue a TDM copy of a buffer to the tile at the given indices.

    `amdg.async_tdm_copy_local_to_global %d[%i, %j] from %b, barrier = %bar : !ttg.memdesc<…>,
    !ttg.memdesc<1xi64, …> -> !tt.tensordesc<…>`
    """

    name = "amdg.async_tdm_copy_local_to_global"
    desc = operand_def(TENSOR_DESCRIPTOR)
    indices = var_operand_def(I32)
    src = operand_def(MEMDESC)
    barrier = opt_operand_def(MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `from` $src (`,` `barrier` `=` $barrier^)? attr-dict `:` "
        "type($src) (`,` type($barrier)^)? `->` type($desc)"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32)}

    def verify_(self) -> None:
        block = _check_block_sizes(self.desc)
        padded = _check_tdm_encoding(memdesc_type(self, self.src))
        if padded is None:
            return
        if len(padded.intervals) != 1:
            raise VerifyException("TDM store only supports single interval paddings.")
        if padded.intervals[0] != block[-1]:
            raise VerifyException(
                "TDM store padding is only supported when padding interval equals the innermost "
                f"block dimension (got padInterval={padded.intervals[0]}, innermost "
                f"dimension={block[-1]})"
            )


@operation
class AsyncTDMGatherOp(Op):
    """Issue a TDM copy that gathers rows, starting at one column, into a buffer.

    `%t = amdg.async_tdm_gather %d[%rows, %column] to %b : tensor<32xi32, …>, !ttg.memdesc<…> ->
    !tt.tensordesc<…>`
    """

    name = "amdg.async_tdm_gather"
    desc = operand_def(TENSOR_DESCRIPTOR)
    src_row_indices = operand_def(_ROW_INDICES)
    src_col_offset = operand_def(I32)
    dst = operand_def(MEMDESC)
    optionals = var_operand_def(MEMDESC)
    token = result_def(ASYNC_TOKEN)
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
        memory = memdesc_type(self, self.dst)
        _check_rows("gather", "src_row_indices", self.desc, self.src_row_indices, memory)


@operation
class AsyncTDMScatterOp(Op):
    """Issue a TDM copy that scatters a buffer to rows, starting at one column.

    `%t = amdg.async_tdm_scatter %d[%rows, %column] from %b : tensor<32xi32, …>, !ttg.memdesc<…> ->
    !tt.tensordesc<…>`
    """

    name = "amdg.async_tdm_scatter"
    desc = operand_def(TENSOR_DESCRIPTOR)
    dst_row_indices = operand_def(_ROW_INDICES)
    dst_col_offset = operand_def(I32)
    src = operand_def(MEMDESC)
    optionals = var_operand_def(MEMDESC)
    token = result_def(ASYNC_TOKEN)
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
        memory = memdesc_type(self, self.src)
        _check_rows("scatter", "dst_row_indices", self.desc, self.dst_row_indices, memory)


@operation
class TDMPrefetchOp(Op):
    """Prefetch the tile at the given indices into the cache.

    `amdg.tdm_prefetch %d[%i, %j], %p, speculative = false : !tt.tensordesc<…>`
    """

    name = "amdg.tdm_prefetch"
    desc = operand_def(TENSOR_DESCRIPTOR)
    indices = var_operand_def(I32)
    pred = operand_def(I1)
    speculative = bool_prop()
    returnOffsets = opt_prop_def(UnitAttr)
    offsets = opt_result_def(TENSOR)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    FORMAT: ClassVar[str] = (
        "$desc `[` $indices `]` `,` $pred `,` `speculative` `=` $speculative "
        "(`returnOffsets` $returnOffsets^)? attr-dict `:` type($desc) (`->` type($offsets)^)?"
    )
    INFER: ClassVar[Infer] = {"indices": fixed(types.i32), "pred": fixed(types.i1)}

    def verify_(self) -> None:
        inferred = [] if self.returnOffsets is None else [self._infer_offsets()]
        require_inferred_types(self, inferred)

    def _infer_offsets(self) -> Attribute:
        """Compute the type of the offsets: one per 256 bytes of the tile."""
        block = _block(self.desc)
        shape = list(types.shape(block))
        elements = _PREFETCH_BITS // types.bit_width(block)
        shape[-1] = -(-shape[-1] // elements)
        module = self.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        encoding = default_blocked(
            shape,
            lookup_num_warps(self),
            lookup_threads_per_warp(module),
            lookup_num_ctas(self),
        )
        return types.tensor(tuple(shape), types.i64, encoding)


OPERATIONS = (
    AsyncTDMWaitOp,
    AsyncTDMIntrinsicWaitOp,
    AsyncTDMCopyGlobalToLocalOp,
    AsyncTDMCopyLocalToGlobalOp,
    AsyncTDMGatherOp,
    AsyncTDMScatterOp,
    TDMPrefetchOp,
)
