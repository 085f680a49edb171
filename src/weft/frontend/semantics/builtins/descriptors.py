"""tl.make_tensor_descriptor and the methods of a descriptor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import IntegerType, Signedness

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins.block_pointers import integers
from weft.frontend.semantics.builtins.creation import shape_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import DescriptorValue, TensorValue, describe
from weft.ir import tt, types
from weft.ir.builtin import Attribute
from weft.ir.enums import DescriptorReduceKind, PaddingOption
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type

_PADDINGS = {"zero": PaddingOption.ZERO, "nan": PaddingOption.NAN}
_LEAST_BYTES = 16
_MOST_DIMENSIONS = 5
_LEAST_ROWS = 8


def descriptor_type(block: block_type) -> Attribute:
    """Return the IR type of a descriptor: integers keep their sign there."""
    element = block.scalar
    if element.is_int() and not element.is_bool():
        sign = Signedness.SIGNED if element.is_int_signed() else Signedness.UNSIGNED
        scalar: Attribute = IntegerType(element.primitive_bitwidth, sign)
    else:
        scalar = ir_type(element)
    return types.descriptor(types.tensor(block.shape, scalar))


def make_tensor_descriptor(
    e: Emitter, base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any
) -> DescriptorValue:
    """Emit tt.make_tensor_descriptor.

    Raises: TypeMismatchError for a base, a block or a stride that a descriptor cannot have.
    """
    pointer = e.to_value(base)
    scalar = pointer.dtype
    if pointer.is_block or not isinstance(scalar, pointer_type):
        raise TypeMismatchError(
            "the base of tl.make_tensor_descriptor is one pointer", found=pointer
        )
    extents = shape_of(block_shape)
    rank = len(extents)
    block = block_type(scalar.element_ty, extents)
    _check_block(block)
    if padding_option not in _PADDINGS:
        raise CompilationError("unknown padding", found=padding_option, accepted=_PADDINGS)
    if padding_option == "nan" and block.scalar.is_int():
        raise TypeMismatchError("integers have no NaN", found=block, accepted=('"zero"',))
    for name, given in (("extents", shape), ("strides", strides)):
        if not isinstance(given, tuple) or len(given) != rank:
            raise CompilationError(
                f"tl.make_tensor_descriptor takes one of the {name} per dimension of the block",
                found=describe(given),
                accepted=(rank,),
            )
    if strides[-1] != 1:
        raise TypeMismatchError(
            "the last stride of a tensor descriptor is the constant 1", found=describe(strides[-1])
        )
    sizes = [e.cast(size, dtypes.int32) for size in _scalars(e, "extents", shape, dtypes.int32)]
    steps = [e.cast(step, dtypes.int64) for step in _scalars(e, "strides", strides, dtypes.int64)]
    handles = [value.handle for value in (pointer, *sizes, *steps)]
    properties = {"padding": _PADDINGS[padding_option].attr()}
    handle = e.builder.value(tt.MakeTensorDescOp, handles, descriptor_type(block), properties)
    return DescriptorValue(handle, block, tuple(sizes), tuple(steps))


def _scalars(e: Emitter, name: str, values: Any, type_: dtypes.dtype) -> list[TensorValue]:
    scalars = []
    for value in values:
        if isinstance(value, int):
            scalars.append(e.constant(value, type_))
        elif isinstance(value, TensorValue) and value.dtype.is_int() and not value.is_block:
            scalars.append(value)
        else:
            raise TypeMismatchError(f"the {name} of a tensor are integers", found=describe(value))
    return scalars


def _check_block(block: block_type) -> None:
    if not 1 <= len(block.shape) <= _MOST_DIMENSIONS:
        raise TypeMismatchError("a tensor descriptor has 1 to 5 dimensions", found=len(block.shape))
    row_bytes = block.shape[-1] * block.primitive_bitwidth // 8
    if row_bytes < _LEAST_BYTES:
        raise TypeMismatchError(
            "the last dimension of a descriptor's block has at least 16 bytes",
            found=f"{block.shape[-1]} elements of {block.scalar}, {row_bytes} bytes",
            accepted=(f"{_LEAST_BYTES * 8 // block.primitive_bitwidth} elements or more",),
        )


def _descriptor(value: Any) -> DescriptorValue:
    if not isinstance(value, DescriptorValue):
        raise TypeMismatchError(
            "a tensor descriptor expected",
            found=describe(value),
            accepted=("a value of tl.make_tensor_descriptor",),
        )
    return value


def _offsets(e: Emitter, descriptor: DescriptorValue, offsets: Any) -> list[TensorValue]:
    numbers = offsets if isinstance(offsets, tuple) else (offsets,)
    if len(numbers) != len(descriptor.block.shape):
        raise CompilationError(
            "a descriptor takes one offset per dimension",
            found=len(numbers),
            accepted=(len(descriptor.block.shape),),
        )
    return integers(e, "the offsets of a descriptor", numbers, dtypes.int32)


def _stored(e: Emitter, value: Any, block: block_type) -> TensorValue:
    stored = e.to_value(value)
    if stored.shape != block.shape:
        raise TypeMismatchError(
            "what is stored has the shape of the descriptor's block",
            found=stored,
            accepted=(block,),
        )
    return e.cast(stored, block.scalar)


def load(e: Emitter, desc: Any, offsets: Any) -> TensorValue:
    """Emit tt.descriptor_load."""
    descriptor = _descriptor(desc)
    places = _offsets(e, descriptor, offsets)
    handles = [descriptor.handle, *(place.handle for place in places)]
    block = descriptor.block
    return TensorValue(e.builder.value(tt.DescriptorLoadOp, handles, ir_type(block)), block)


def store(e: Emitter, desc: Any, offsets: Any, value: Any) -> None:
    """Emit tt.descriptor_store."""
    descriptor = _descriptor(desc)
    stored = _stored(e, value, descriptor.block)
    places = _offsets(e, descriptor, offsets)
    handles = [descriptor.handle, stored.handle, *(place.handle for place in places)]
    e.builder.create(tt.DescriptorStoreOp, handles)


def _reduction(name: str) -> Callable[..., None]:
    kind = DescriptorReduceKind[name.removeprefix("atomic_").upper()]
    accepted = _REDUCIBLE[name]

    def emit(e: Emitter, desc: Any, offsets: Any, value: Any) -> None:
        descriptor = _descriptor(desc)
        if descriptor.block.scalar.name not in accepted:
            raise TypeMismatchError(
                f"{name} of a descriptor does not take {descriptor.block.scalar}",
                found=descriptor,
                accepted=accepted,
            )
        stored = _stored(e, value, descriptor.block)
        places = _offsets(e, descriptor, offsets)
        handles = [descriptor.handle, stored.handle, *(place.handle for place in places)]
        e.builder.create(tt.DescriptorReduceOp, handles, properties={"kind": kind.attr()})

    return emit


_REDUCIBLE = {
    "atomic_add": ("uint32", "int32", "uint64", "fp32", "fp16", "bf16"),
    "atomic_min": ("uint32", "int32", "uint64", "int64", "fp16", "bf16"),
    "atomic_max": ("uint32", "int32", "uint64", "int64", "fp16", "bf16"),
    "atomic_and": ("uint32", "int32", "uint64", "int64"),
    "atomic_or": ("uint32", "int32", "uint64", "int64"),
    "atomic_xor": ("uint32", "int32", "uint64", "int64"),
}


def _rows(e: Emitter, descriptor: DescriptorValue, x_offsets: Any) -> TensorValue:
    block = descriptor.block
    if len(block.shape) != 2 or block.shape[0] != 1:
        raise TypeMismatchError(
            "rows are gathered and scattered through a descriptor of single rows",
            found=block,
            accepted=("a block shape [1, n]",),
        )
    rows = e.to_value(x_offsets)
    if len(rows.shape) != 1 or not rows.dtype.is_int32():
        raise TypeMismatchError(
            "the row numbers are a block of int32", found=rows, accepted=("int32[n]",)
        )
    if rows.shape[0] < _LEAST_ROWS:
        raise TypeMismatchError("at least 8 rows are taken at once", found=rows.shape)
    return rows


def gather(e: Emitter, desc: Any, x_offsets: Any, y_offset: Any) -> TensorValue:
    """Emit tt.descriptor_gather."""
    descriptor = _descriptor(desc)
    rows = _rows(e, descriptor, x_offsets)
    (column,) = integers(e, "the column of a descriptor", (y_offset,), dtypes.int32)
    block = block_type(descriptor.block.scalar, (rows.shape[0], descriptor.block.shape[1]))
    handles = [descriptor.handle, rows.handle, column.handle]
    return TensorValue(e.builder.value(tt.DescriptorGatherOp, handles, ir_type(block)), block)


def scatter(e: Emitter, desc: Any, value: Any, x_offsets: Any, y_offset: Any) -> None:
    """Emit tt.descriptor_scatter."""
    descriptor = _descriptor(desc)
    rows = _rows(e, descriptor, x_offsets)
    block = block_type(descriptor.block.scalar, (rows.shape[0], descriptor.block.shape[1]))
    (column,) = integers(e, "the column of a descriptor", (y_offset,), dtypes.int32)
    stored = _stored(e, value, block)
    e.builder.create(
        tt.DescriptorScatterOp, [descriptor.handle, rows.handle, column.handle, stored.handle]
    )


TABLE: dict[str, Callable[..., Any]] = {
    "load_tensor_descriptor": load,
    "make_tensor_descriptor": make_tensor_descriptor,
    "store_tensor_descriptor": store,
    "tensor_descriptor.gather": gather,
    "tensor_descriptor.load": load,
    "tensor_descriptor.scatter": scatter,
    "tensor_descriptor.store": store,
    **{f"tensor_descriptor.{name}": _reduction(name) for name in _REDUCIBLE},
}
