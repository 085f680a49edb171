"""tl.make_tensor_descriptor and the methods of a tensor descriptor."""

from __future__ import annotations

from collections.abc import Callable

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins.block_pointers import integer_scalars
from weft.frontend.semantics.builtins.creation import block_shape_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import descriptor_type, ir_type
from weft.frontend.semantics.values import DescriptorValue, TensorValue, Value, describe
from weft.ir import tt
from weft.ir.enums import DescriptorReduceKind, PaddingOption
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type

_PADDINGS = {"zero": PaddingOption.ZERO, "nan": PaddingOption.NAN}
_MIN_ROW_BYTES = 16
_MAX_RANK = 5
_MIN_GATHER_ROWS = 8


def make_tensor_descriptor(
    e: Emitter, base: Value, shape: Value, strides: Value, block_shape: Value, padding_option: Value
) -> DescriptorValue:
    """Emit tt.make_tensor_descriptor.

    Raises:
        TypeMismatchError: The base, block shape, strides or padding is invalid.
        CompilationError: There is not one extent and stride per dimension.
    """
    pointer = e.to_value(base)
    scalar = pointer.dtype
    if pointer.is_block or not isinstance(scalar, pointer_type):
        raise TypeMismatchError(
            "expected `base` of tl.make_tensor_descriptor to be a pointer", found=pointer
        )
    extents = block_shape_of(block_shape)
    block = block_type(scalar.element_ty, extents)
    _check_block(block)
    padding = padding_option_of(padding_option, block)
    shape_values = _per_dimension("shape", shape, len(extents))
    stride_values = _per_dimension("strides", strides, len(extents))
    if stride_values[-1] != 1:
        raise TypeMismatchError(
            f"tensor descriptor last dim must be 1 but got {describe(stride_values[-1])}",
            found=describe(stride_values[-1]),
        )
    sizes = _scalars(e, "shape", shape_values, dtypes.int32)
    steps = _scalars(e, "strides", stride_values, dtypes.int64)
    handles = [value.handle for value in (pointer, *sizes, *steps)]
    properties = {"padding": padding.attr()}
    handle = e.builder.value(tt.MakeTensorDescOp, handles, descriptor_type(block), properties)
    return DescriptorValue(handle, block, sizes, steps)


def padding_option_of(option: Value, block: block_type) -> PaddingOption:
    """Look up a padding option by name.

    Raises:
        CompilationError: The name is unknown.
        TypeMismatchError: Integers cannot be NaN.
    """
    padding = _PADDINGS.get(option) if isinstance(option, str) else None
    if padding is None:
        raise CompilationError(
            f"Padding option {option} not supported", found=option, accepted=_PADDINGS
        )
    if padding is PaddingOption.NAN and block.scalar.is_int():
        raise TypeMismatchError(
            "Padding option `nan` is not supported for integer blocks",
            found=block,
            accepted=('"zero"',),
        )
    return padding


def _per_dimension(name: str, values: Value, rank: int) -> tuple[Value, ...]:
    if not isinstance(values, tuple) or len(values) != rank:
        raise CompilationError(
            f"expected {name} of tl.make_tensor_descriptor to have {rank} elements, as block_shape",
            found=describe(values),
            accepted=(rank,),
        )
    return values


def _scalars(
    e: Emitter, name: str, values: tuple[Value, ...], type_: dtypes.dtype
) -> tuple[TensorValue, ...]:
    # All constants come before all casts, in Triton's order.
    scalars: list[TensorValue] = []
    for value in values:
        if isinstance(value, int):
            scalars.append(e.constant(value, type_))
        elif isinstance(value, TensorValue) and value.dtype.is_int() and not value.is_block:
            scalars.append(value)
        else:
            raise TypeMismatchError(
                f"expected integer scalars in {name} of tl.make_tensor_descriptor",
                found=describe(value),
            )
    return tuple(e.cast(scalar, type_) for scalar in scalars)


def _check_block(block: block_type) -> None:
    rank = len(block.shape)
    if not 1 <= rank <= _MAX_RANK:
        raise TypeMismatchError(
            f"expected 1 <= ndim <= {_MAX_RANK} but got {rank} dimensions", found=rank
        )
    row_bytes = block.shape[-1] * block.primitive_bitwidth // 8
    if row_bytes < _MIN_ROW_BYTES:
        raise TypeMismatchError(
            f"Descriptor block shape must have at least {_MIN_ROW_BYTES} bytes in the last "
            f"dimension, but got {row_bytes} bytes",
            found=f"{block.shape[-1]} elements of {block.scalar}",
            accepted=(f"{_MIN_ROW_BYTES * 8 // block.primitive_bitwidth} elements or more",),
        )


def _descriptor(value: Value) -> DescriptorValue:
    if not isinstance(value, DescriptorValue):
        raise TypeMismatchError(
            "expected a tensor descriptor",
            found=describe(value),
            accepted=("a value of tl.make_tensor_descriptor",),
        )
    return value


def _offsets(e: Emitter, descriptor: DescriptorValue, offsets: Value) -> list[TensorValue]:
    numbers = offsets if isinstance(offsets, tuple) else (offsets,)
    rank = len(descriptor.block.shape)
    if len(numbers) != rank:
        raise CompilationError(
            f"expected {rank} offsets, but got {len(numbers)}",
            found=len(numbers),
            accepted=(rank,),
        )
    return integer_scalars(e, "offsets of a tensor descriptor", numbers, dtypes.int32)


def _block_value(e: Emitter, value: Value, block: block_type) -> TensorValue:
    """Convert a value to store to the element type of the block.

    Raises:
        TypeMismatchError: It has another shape.
    """
    block_value = e.to_value(value)
    if block_value.shape != block.shape:
        raise TypeMismatchError(
            f"Block shape({block.shape}) and value shape({block_value.shape}) mismatch",
            found=block_value,
            accepted=(block,),
        )
    return e.cast(block_value, block.scalar)


def load(e: Emitter, desc: Value, offsets: Value) -> TensorValue:
    """Emit tt.descriptor_load."""
    descriptor = _descriptor(desc)
    indices = _offsets(e, descriptor, offsets)
    handles = [descriptor.handle, *(index.handle for index in indices)]
    block = descriptor.block
    return TensorValue(e.builder.value(tt.DescriptorLoadOp, handles, ir_type(block)), block)


def store(e: Emitter, desc: Value, offsets: Value, value: Value) -> None:
    """Emit tt.descriptor_store."""
    descriptor = _descriptor(desc)
    block_value = _block_value(e, value, descriptor.block)
    indices = _offsets(e, descriptor, offsets)
    handles = [descriptor.handle, block_value.handle, *(index.handle for index in indices)]
    e.builder.create(tt.DescriptorStoreOp, handles)


_REDUCTION_TYPES = {
    "atomic_add": ("uint32", "int32", "uint64", "fp32", "fp16", "bf16"),
    "atomic_min": ("uint32", "int32", "uint64", "int64", "fp16", "bf16"),
    "atomic_max": ("uint32", "int32", "uint64", "int64", "fp16", "bf16"),
    "atomic_and": ("uint32", "int32", "uint64", "int64"),
    "atomic_or": ("uint32", "int32", "uint64", "int64"),
    "atomic_xor": ("uint32", "int32", "uint64", "int64"),
}


def _reduction(name: str) -> Callable[..., None]:
    kind = DescriptorReduceKind[name.removeprefix("atomic_").upper()]
    accepted = _REDUCTION_TYPES[name]

    def emit(e: Emitter, desc: Value, offsets: Value, value: Value) -> None:
        descriptor = _descriptor(desc)
        element = descriptor.block.scalar
        if element.name not in accepted:
            raise TypeMismatchError(
                f"Unsupported dtype {element} in {name} of a tensor descriptor",
                found=descriptor,
                accepted=accepted,
            )
        block_value = _block_value(e, value, descriptor.block)
        indices = _offsets(e, descriptor, offsets)
        handles = [descriptor.handle, block_value.handle, *(index.handle for index in indices)]
        e.builder.create(tt.DescriptorReduceOp, handles, properties={"kind": kind.attr()})

    return emit


def _row_indices(e: Emitter, descriptor: DescriptorValue, x_offsets: Value) -> TensorValue:
    block = descriptor.block
    if len(block.shape) != 2:
        raise TypeMismatchError(
            f"descriptor must be 2D, but got {block.shape}",
            found=block,
            accepted=("a block shape [1, n]",),
        )
    if block.shape[0] != 1:
        raise TypeMismatchError(
            f"descriptor block must have 1 row, but got {block.shape}",
            found=block,
            accepted=("a block shape [1, n]",),
        )
    rows = e.to_value(x_offsets)
    if len(rows.shape) != 1 or not rows.dtype.is_int32():
        raise TypeMismatchError(
            f"x offsets must be 1D of int32, but got {rows}", found=rows, accepted=("int32[n]",)
        )
    if rows.shape[0] < _MIN_GATHER_ROWS:
        raise TypeMismatchError(
            f"descriptor gather and scatter must have at least {_MIN_GATHER_ROWS} rows, "
            f"but got {rows.shape[0]}",
            found=rows.shape,
        )
    return rows


def gather(e: Emitter, desc: Value, x_offsets: Value, y_offset: Value) -> TensorValue:
    """Emit tt.descriptor_gather."""
    descriptor = _descriptor(desc)
    rows = _row_indices(e, descriptor, x_offsets)
    (column,) = integer_scalars(e, "y_offset of a tensor descriptor", (y_offset,), dtypes.int32)
    block = block_type(descriptor.block.scalar, (rows.shape[0], descriptor.block.shape[1]))
    handles = [descriptor.handle, rows.handle, column.handle]
    return TensorValue(e.builder.value(tt.DescriptorGatherOp, handles, ir_type(block)), block)


def scatter(e: Emitter, desc: Value, value: Value, x_offsets: Value, y_offset: Value) -> None:
    """Emit tt.descriptor_scatter."""
    descriptor = _descriptor(desc)
    rows = _row_indices(e, descriptor, x_offsets)
    block = block_type(descriptor.block.scalar, (rows.shape[0], descriptor.block.shape[1]))
    (column,) = integer_scalars(e, "y_offset of a tensor descriptor", (y_offset,), dtypes.int32)
    block_value = _block_value(e, value, block)
    e.builder.create(
        tt.DescriptorScatterOp,
        [descriptor.handle, rows.handle, column.handle, block_value.handle],
    )


TABLE: dict[str, Callable[..., object]] = {
    "load_tensor_descriptor": load,
    "make_tensor_descriptor": make_tensor_descriptor,
    "store_tensor_descriptor": store,
    "tensor_descriptor.gather": gather,
    "tensor_descriptor.load": load,
    "tensor_descriptor.scatter": scatter,
    "tensor_descriptor.store": store,
    **{f"tensor_descriptor.{name}": _reduction(name) for name in _REDUCTION_TYPES},
}
