"""The functions of `gl.amd` for asynchronous copies, mbarriers, clusters and TDM."""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import TypeMismatchError
from weft.frontend.semantics.broadcasting import broadcast
from weft.frontend.semantics.builtins.block_pointers import integer_scalars
from weft.frontend.semantics.builtins.memory import (
    eviction_policy_attribute,
    load_cache_attribute,
    store_cache_attribute,
)
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import amd, ampere, arguments, shared_memory
from weft.frontend.semantics.gluon.ampere import qualified
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.emitter import tensor_type
from weft.frontend.semantics.gluon.tma import coordinates
from weft.frontend.semantics.gluon.values import (
    BlockDescriptor,
    block_descriptor,
    descriptor_ir_type,
)
from weft.frontend.semantics.gluon.values import shared_memory as shared_memory_value
from weft.frontend.semantics.values import TensorValue, TupleValue, Value, describe
from weft.gluon.layouts import (
    BlockedLayout,
    PaddedSharedLayout,
    SliceLayout,
    SwizzledSharedLayout,
)
from weft.gluon.layouts.from_encoding import distributed_layout
from weft.gluon.types import distributed_type, tensor_descriptor_type
from weft.ir import amdg, attributes, tt, ttg, types
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.enums import PaddingOption
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type
from weft.layouts import default_blocked

_PREFETCH_BITS = 256 * 8


def global_load_to_shared(
    e: Emitter, dest: Value, ptr: Value, mask: Value, other: Value, cache_modifier: Value
) -> None:
    """Emit ttg.async_copy_global_to_local."""
    pointers = arguments.tensor("ptr", ptr)
    require(pointers.is_block, "expected ptr to be a tensor", pointers)
    layout = tensor_type("ptr", pointers).layout
    require(
        isinstance(layout, BlockedLayout | SliceLayout),
        "expected ptr type layout to be BlockedLayout or SliceLayout",
        layout,
    )
    ampere.emit_async_copy(e, dest, pointers, mask, other, cache_modifier, name="dest")


def buffer_load_to_shared(
    e: Emitter,
    dest: Value,
    ptr: Value,
    offsets: Value,
    mask: Value,
    other: Value,
    cache_modifier: Value,
) -> None:
    """Emit amdg.buffer_load_to_local."""
    layout = tensor_type("offsets", arguments.tensor("offsets", offsets)).layout
    require(
        isinstance(layout, BlockedLayout | SliceLayout),
        "expected offsets type layout to be BlockedLayout or SliceLayout",
        layout,
    )
    index = amd.check_buffer(ptr, offsets, mask, other)
    index, operands, present = amd.masked(e, index, mask, other, amd.pointee(ptr))
    handles = [
        shared_memory_value("dest", dest).handle,
        arguments.tensor("ptr", ptr).handle,
        index.handle,
        *operands,
    ]
    properties: dict[str, Attribute] = {
        "cache": load_cache_attribute(cache_modifier),
        "operandSegmentSizes": attributes.array_i32((1, 1, 1, *present, 0)),
    }
    e.builder.create(amdg.BufferLoadToLocalOp, handles, [ttg.async_token], properties)


def load_shared_relaxed(e: Emitter, smem: Value, layout: Value) -> TensorValue:
    """Emit ttg.local_load of a buffer that a wait has been for."""
    result = shared_memory.load(e, shared_memory_value("smem", smem), layout)
    op = result.handle.owner
    op.attributes["ttg.amdg.syncedViaAsyncWait"] = attributes.boolean(True)  # pyright: ignore[reportAttributeAccessIssue] - the operation just created
    return result


def global_to_shared(
    e: Emitter, smem: Value, pointer: Value, mask: Value, other: Value, cache_modifier: Value
) -> None:
    """Emit ttg.async_copy_global_to_local."""
    pointers = arguments.tensor("pointer", pointer)
    require(pointers.is_block, "expected ptr to be a tensor", pointers)
    ampere.emit_async_copy(e, smem, pointers, mask, other, cache_modifier)


def shared_to_global(
    e: Emitter, pointer: Value, smem: Value, mask: Value, cache_modifier: Value
) -> None:
    """Emit amdg.async_copy_local_to_global."""
    pointers, buffer = arguments.tensor("pointer", pointer), shared_memory_value("smem", smem)
    require(pointers.is_block, "expected ptr to be a tensor", pointers)
    require(
        buffer.shape == list(pointers.shape),
        f"expected smem shape to match pointer shape but got smem.shape = {buffer.shape}, "
        f"pointer.shape = {list(pointers.shape)}",
    )
    masks: list[SSAValue] = []
    if mask is not None:
        pointers, mask_value = broadcast(e, pointers, e.to_value(mask))
        masks.append(mask_value.handle)
    operands = [buffer.handle, pointers.handle, *masks]
    properties = {
        "cache": store_cache_attribute(cache_modifier),
        "evict": eviction_policy_attribute(""),
    }
    e.builder.create(amdg.AsyncCopyLocalToGlobalOp, operands, [ttg.async_token], properties)


def mbarrier_arrive(e: Emitter, mbarrier: Value) -> None:
    """Emit amdg.async_copy_mbarrier_arrive."""
    barrier = shared_memory_value("mbarrier", mbarrier)
    e.builder.create(amdg.AsyncCopyMbarrierArriveOp, [barrier.handle])


def init(e: Emitter, mbarrier: Value, count: Value) -> None:
    """Emit amdg.init_barrier."""
    barrier = shared_memory_value("mbarrier", mbarrier)
    properties = {"count": attributes.integer(arguments.integer("count", count), types.i32)}
    e.builder.create(amdg.InitBarrierOp, [barrier.handle], properties=properties)


def wait(e: Emitter, mbarrier: Value, phase: Value) -> None:
    """Emit amdg.wait_barrier."""
    number = e.to_value(phase)
    operands = [shared_memory_value("mbarrier", mbarrier).handle, number.handle]
    e.builder.create(amdg.WaitBarrierOp, operands)


def arrive(e: Emitter, mbarrier: Value, count: Value) -> TensorValue:
    """Emit amdg.arrive_barrier."""
    barrier = shared_memory_value("mbarrier", mbarrier)
    properties = {"count": attributes.integer(arguments.integer("count", count), types.i32)}
    handle = e.builder.value(amdg.ArriveBarrierOp, [barrier.handle], types.i32, properties)
    return TensorValue(handle, dtypes.int32)


def cluster_arrive(e: Emitter) -> None:
    """Emit amdg.cluster_barrier_arrive."""
    e.builder.create(amdg.ClusterBarrierArriveOp)


def cluster_wait(e: Emitter) -> None:
    """Emit amdg.cluster_barrier_wait."""
    e.builder.create(amdg.ClusterBarrierWaitOp)


def make_tensor_descriptor(
    e: Emitter, base: Value, shape: Value, strides: Value, block_shape: Value, layout: Value
) -> BlockDescriptor:
    """Emit tt.make_tensor_descriptor.

    Raises:
        TypeMismatchError: The arguments do not describe a tensor that TDM can copy.
    """
    sizes, steps = (each if isinstance(each, tuple) else (each,) for each in (shape, strides))
    extents = arguments.integers("block_shape", block_shape)
    arguments.require_equal_ranks(sizes, steps, extents)
    pointer = e.to_value(base)
    if not isinstance(pointer.type, pointer_type):
        raise TypeMismatchError("Expected base to be a pointer", found=pointer)
    if not isinstance(layout, PaddedSharedLayout | SwizzledSharedLayout):
        raise TypeMismatchError(
            "Expected layout to be a PaddedSharedLayout or SwizzledSharedLayout",
            found=describe(layout),
        )
    require(
        not isinstance(layout, SwizzledSharedLayout) or layout.max_phase == 1,
        "Expected max_phase to be 1 for SwizzledSharedLayout",
        layout,
    )
    extent_values = tuple(integer_scalars(e, "shape", sizes, dtypes.int32))
    stride_values = tuple(_strides(e, steps))
    type_ = tensor_descriptor_type(
        block_type(pointer.type.element_ty, extents),
        TupleValue(extent_values).type,
        TupleValue(stride_values).type,
        layout,
        mangles_shape=True,
    )
    operands = [value.handle for value in (pointer, *extent_values, *stride_values)]
    properties = {"padding": PaddingOption.ZERO.attr()}
    handle = e.builder.value(tt.MakeTensorDescOp, operands, descriptor_ir_type(type_), properties)
    return BlockDescriptor(handle, type_, extent_values, stride_values)


def _strides(e: Emitter, values: tuple[Value, ...]) -> list[TensorValue]:
    """Convert strides to i64; integers of 32 bits are extended."""
    return [
        e.constant(value, dtypes.int64)
        if isinstance(value, int)
        else e.cast(e.to_value(value), dtypes.int64)
        for value in values
    ]


def _optional(name: str, mbarrier: Value) -> list[SSAValue]:
    return [] if mbarrier is None else [shared_memory_value(name, mbarrier).handle]


def async_load(
    e: Emitter, src: Value, offsets: Value, dest: Value, pred: Value, mbarrier: Value
) -> None:
    """Emit amdg.async_tdm_copy_global_to_local."""
    descriptor = block_descriptor("src", src)
    indices = coordinates(e, offsets)
    predicate = e.to_value(pred)
    barriers = _optional("mbarrier", mbarrier)
    operands = [
        descriptor.handle,
        *indices,
        shared_memory_value("dest", dest).handle,
        predicate.handle,
        *barriers,
    ]
    segments = attributes.array_i32((1, len(indices), 1, 1, len(barriers)))
    e.builder.create(
        amdg.AsyncTDMCopyGlobalToLocalOp,
        operands,
        [ttg.async_token],
        {"operandSegmentSizes": segments},
    )


def async_store(e: Emitter, dest: Value, offsets: Value, src: Value, mbarrier: Value) -> None:
    """Emit amdg.async_tdm_copy_local_to_global."""
    descriptor = block_descriptor("dest", dest)
    indices = coordinates(e, offsets)
    barriers = _optional("mbarrier", mbarrier)
    operands = [descriptor.handle, *indices, shared_memory_value("src", src).handle, *barriers]
    segments = attributes.array_i32((1, len(indices), 1, len(barriers)))
    e.builder.create(
        amdg.AsyncTDMCopyLocalToGlobalOp, operands, properties={"operandSegmentSizes": segments}
    )


def async_wait(e: Emitter, num_outstanding: Value) -> None:
    """Emit amdg.async_tdm_wait."""
    number = arguments.integer("num_outstanding", num_outstanding)
    properties = {"num": attributes.integer(number, types.i32)}
    e.builder.create(amdg.AsyncTDMWaitOp, [], [ttg.async_token], properties)


def async_scatter(
    e: Emitter, desc: Value, dst_row_indices: Value, dst_col_offset: Value, src: Value,
    mbarrier: Value,
) -> None:  # fmt: skip
    """Emit amdg.async_tdm_scatter."""
    operands = _rows(e, "scatter", desc, dst_row_indices, dst_col_offset, ("src", src))
    operands += _optional("mbarrier", mbarrier)
    e.builder.create(amdg.AsyncTDMScatterOp, operands, [ttg.async_token])


def async_gather(
    e: Emitter, desc: Value, src_row_indices: Value, src_col_offset: Value, dst: Value,
    mbarrier: Value,
) -> None:  # fmt: skip
    """Emit amdg.async_tdm_gather."""
    operands = _rows(e, "gather", desc, src_row_indices, src_col_offset, ("dst", dst))
    operands += _optional("mbarrier", mbarrier)
    e.builder.create(amdg.AsyncTDMGatherOp, operands, [ttg.async_token])


def _rows(
    e: Emitter, kind: str, desc: Value, rows: Value, column: Value, memory: tuple[str, Value]
) -> list[SSAValue]:
    descriptor = block_descriptor("desc", desc)
    name, value = memory
    buffer = shared_memory_value(name, value)
    rank = len(descriptor.type.block_type.shape)
    require(rank == 2, f"TDM {kind} only supports 2D tensors, got {rank}D", rank)
    sizes = len(buffer.shape)
    require(sizes == 2, f"TDM {kind} {name} must be 2D, got {sizes}D", sizes)
    (first,) = coordinates(e, (column,))
    return [
        descriptor.handle,
        arguments.tensor("rows", rows).handle,
        first,
        buffer.handle,
    ]


def prefetch(e: Emitter, src: Value, offsets: Value, pred: Value, speculative: Value) -> None:
    """Emit amdg.tdm_prefetch."""
    _emit_prefetch(e, src, offsets, pred, speculative, None)


def _test_prefetch_with_offsets(
    e: Emitter, src: Value, offsets: Value, pred: Value, speculative: Value
) -> TensorValue:
    """Emit amdg.tdm_prefetch that returns the offsets of its accesses."""
    block = block_descriptor("src", src).type.block_type
    elements = _PREFETCH_BITS // block.element_ty.primitive_bitwidth
    shape = [*block.shape[:-1], -(-block.shape[-1] // elements)]
    options = e.options
    encoding = default_blocked(shape, options.num_warps, options.warp_size, options.num_ctas)
    type_ = distributed_type(dtypes.int64, shape, distributed_layout(encoding))
    (handle,) = _emit_prefetch(e, src, offsets, pred, speculative, type_)
    return TensorValue(handle, type_)


def _emit_prefetch(
    e: Emitter,
    src: Value,
    offsets: Value,
    pred: Value,
    speculative: Value,
    result: distributed_type | None,
) -> tuple[SSAValue, ...]:
    descriptor = block_descriptor("src", src)
    indices = coordinates(e, offsets)
    predicate = e.to_value(pred)
    properties: dict[str, Attribute] = {"speculative": attributes.boolean(bool(speculative))}
    if result is not None:
        properties["returnOffsets"] = attributes.unit
    op = e.builder.create(
        amdg.TDMPrefetchOp,
        [descriptor.handle, *indices, predicate.handle],
        [] if result is None else [e.ir_type(result)],
        properties,
    )
    return tuple(op.results)


TABLE: dict[str, Callable[..., object]] = {
    **qualified(
        "amd.cdna4.async_copy",
        (
            buffer_load_to_shared,
            ampere.commit_group,
            global_load_to_shared,
            load_shared_relaxed,
            ampere.wait_group,
        ),
    ),
    **qualified("amd.gfx1250.async_copy", (global_to_shared, mbarrier_arrive, shared_to_global)),
    "amd.gfx1250.cluster.arrive": cluster_arrive,
    "amd.gfx1250.cluster.wait": cluster_wait,
    **qualified("amd.gfx1250.mbarrier", (arrive, init, wait)),
    **qualified(
        "amd.gfx1250.tdm",
        (
            _test_prefetch_with_offsets,
            async_gather,
            async_load,
            async_scatter,
            async_store,
            async_wait,
            make_tensor_descriptor,
            prefetch,
        ),
    ),
}
