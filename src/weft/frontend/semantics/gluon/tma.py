"""The functions of `gl.nvidia.hopper.tma` and `gl.nvidia.blackwell.tma`."""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import TypeMismatchError
from weft.frontend.semantics.builtins.block_pointers import integer_scalars
from weft.frontend.semantics.builtins.tensor_descriptors import padding_option_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon import ampere, arguments
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.values import (
    BlockDescriptor,
    block_descriptor,
    descriptor_ir_type,
    shared_memory,
)
from weft.frontend.semantics.values import TensorValue, TupleValue, Value, describe
from weft.gluon.layouts import NVMMASharedLayout
from weft.gluon.types import tensor_descriptor_type
from weft.ir import attributes, tt, ttng, types
from weft.ir.builtin import Attribute, SSAValue
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type

_MIN_ROW_BYTES = 16


def coordinates(e: Emitter, values: Value) -> list[SSAValue]:
    """Convert coordinates to i32."""
    members = values if isinstance(values, tuple | list) else (values,)
    return [value.handle for value in integer_scalars(e, "coord", tuple(members), dtypes.int32)]


def async_copy_global_to_shared(
    e: Emitter,
    tensor_desc: Value,
    coord: Value,
    barrier: Value,
    result: Value,
    pred: Value,
    multicast: Value,
) -> None:
    """Emit ttng.async_tma_copy_global_to_local."""
    descriptor = block_descriptor("tensor_desc", tensor_desc)
    indices = coordinates(e, coord)
    predicate = e.to_value(pred)
    operands = [
        descriptor.handle,
        *indices,
        shared_memory("barrier", barrier).handle,
        shared_memory("result", result).handle,
        predicate.handle,
    ]
    properties: dict[str, Attribute] = {
        "operandSegmentSizes": attributes.array_i32((1, len(indices), 0, 1, 1, 1))
    }
    if multicast:
        properties["multicast"] = attributes.unit
    e.builder.create(ttng.AsyncTMACopyGlobalToLocalOp, operands, properties=properties)


def async_copy_shared_to_global(e: Emitter, tensor_desc: Value, coord: Value, src: Value) -> None:
    """Emit ttng.async_tma_copy_local_to_global."""
    descriptor = block_descriptor("tensor_desc", tensor_desc)
    indices = coordinates(e, coord)
    operands = [descriptor.handle, *indices, shared_memory("src", src).handle]
    e.builder.create(ttng.AsyncTMACopyLocalToGlobalOp, operands)


def store_wait(e: Emitter, pendings: Value) -> None:
    """Emit ttng.async_tma_store_wait."""
    number = arguments.integer("pendings", pendings)
    properties = {"pendings": attributes.integer(number, types.i32)}
    e.builder.create(ttng.TMAStoreWaitOp, properties=properties)


def async_gather(
    e: Emitter,
    tensor_desc: Value,
    x_offsets: Value,
    y_offset: Value,
    barrier: Value,
    result: Value,
    pred: Value,
) -> None:
    """Emit ttng.async_tma_gather."""
    predicate, column = e.to_value(pred), e.to_value(y_offset)
    operands = [
        block_descriptor("tensor_desc", tensor_desc).handle,
        arguments.tensor("x_offsets", x_offsets).handle,
        column.handle,
        shared_memory("barrier", barrier).handle,
        shared_memory("result", result).handle,
        predicate.handle,
    ]
    e.builder.create(ttng.AsyncTMAGatherOp, operands)


def async_scatter(
    e: Emitter, tensor_desc: Value, x_offsets: Value, y_offset: Value, src: Value
) -> None:
    """Emit ttng.async_tma_scatter."""
    column = e.to_value(y_offset)
    operands = [
        block_descriptor("tensor_desc", tensor_desc).handle,
        arguments.tensor("x_offsets", x_offsets).handle,
        column.handle,
        shared_memory("src", src).handle,
    ]
    e.builder.create(ttng.AsyncTMAScatterOp, operands)


def make_tensor_descriptor(
    e: Emitter,
    base: Value,
    shape: Value,
    strides: Value,
    block_shape: Value,
    layout: Value,
    padding_option: Value,
) -> BlockDescriptor:
    """Emit tt.make_tensor_descriptor.

    Raises:
        TypeMismatchError: The arguments do not describe a tensor that TMA can copy.
    """
    sizes, steps, extents = (_members(each) for each in (shape, strides, block_shape))
    arguments.require_equal_ranks(sizes, steps, extents)
    pointer = e.to_value(base)
    if not isinstance(pointer.type, pointer_type):
        raise TypeMismatchError("expected `base` to be a pointer", found=pointer)
    block = block_type(pointer.type.element_ty, arguments.integers("block_shape", extents))
    element_bytes = block.element_ty.primitive_bitwidth // 8
    row_bytes = block.shape[-1] * element_bytes
    require(
        row_bytes >= _MIN_ROW_BYTES,
        "Descriptor block shape must have at least 16 bytes in the last dimension, but got "
        f"{block.shape[-1]} * {element_bytes} = {row_bytes} bytes",
    )
    require(steps[-1] == 1, f"Tensor descriptor last dim must be 1 but got {steps[-1]}", steps[-1])
    if not isinstance(layout, NVMMASharedLayout):
        raise TypeMismatchError("Expected layout to be a NVMMASharedLayout", found=describe(layout))
    padding = padding_option_of(padding_option, block)
    extent_values = tuple(_scalar(e, size, dtypes.int32) for size in sizes)
    stride_values = tuple(_scalar(e, step, dtypes.int64) for step in steps)
    type_ = tensor_descriptor_type(
        block, TupleValue(extent_values).type, TupleValue(stride_values).type, layout
    )
    operands = [value.handle for value in (pointer, *extent_values, *stride_values)]
    handle = e.builder.value(
        tt.MakeTensorDescOp, operands, descriptor_ir_type(type_), {"padding": padding.attr()}
    )
    return BlockDescriptor(handle, type_, extent_values, stride_values)


def _members(values: Value) -> tuple[Value, ...]:
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def _scalar(e: Emitter, value: Value, type_: dtypes.dtype) -> TensorValue:
    """Convert an extent or stride to its type."""
    if isinstance(value, int):
        return e.constant(value, type_)
    return e.cast(e.to_value(value), type_)


TABLE: dict[str, Callable[..., object]] = {
    **ampere.qualified(
        "nvidia.hopper.tma",
        (
            async_copy_global_to_shared,
            async_copy_shared_to_global,
            make_tensor_descriptor,
            store_wait,
        ),
    ),
    **ampere.qualified("nvidia.blackwell.tma", (async_gather, async_scatter)),
}
