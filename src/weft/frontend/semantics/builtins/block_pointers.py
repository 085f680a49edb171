"""Block pointers: tl.make_block_ptr, tl.advance, and loads and stores through them.

The type of a block pointer is a pointer to a block: `pointer<<['16', '32'], fp16>>`.
"""

from __future__ import annotations

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins.creation import block_shape_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, tt
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.enums import PaddingOption
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type
from weft.language.dtypes import dtype

_PADDINGS = {"zero": PaddingOption.ZERO, "nan": PaddingOption.NAN}


def integer_scalars(e: Emitter, name: str, values: Value, type_: dtype) -> list[TensorValue]:
    """Convert a list of sizes, strides or offsets to scalars of an integer type.

    Args:
        e: The emitter.
        name: The parameter, for messages.
        values: One number or scalar, or a tuple of them.
        type_: The integer type.

    Raises:
        TypeMismatchError: An element is not an integer, or is wider than the type.
    """
    elements = values if isinstance(values, tuple) else (values,)
    return [_integer_scalar(e, name, element, type_) for element in elements]


def _integer_scalar(e: Emitter, name: str, element: Value, type_: dtype) -> TensorValue:
    bits = type_.primitive_bitwidth
    if isinstance(element, int) and not isinstance(element, bool):
        if not type_.get_int_min_value() <= element <= type_.get_int_max_value():
            raise TypeMismatchError(f"{name} must be {bits} bit integers", found=element)
        return e.constant(element, type_)
    if not isinstance(element, TensorValue) or element.is_block or not element.dtype.is_int():
        raise TypeMismatchError(
            f"expected integer scalars in {name}",
            found=describe(element),
            accepted=("int", "a scalar integer"),
        )
    if element.dtype.primitive_bitwidth > bits:
        raise TypeMismatchError(
            f"{name} must be {bits} bit integers", found=element, hint="convert with .to(tl.int32)"
        )
    return element if element.dtype.primitive_bitwidth == bits else e.cast(element, type_)


def make_block_ptr(
    e: Emitter,
    base: Value,
    shape: Value,
    strides: Value,
    offsets: Value,
    block_shape: Value,
    order: Value,
) -> TensorValue:
    """Emit tt.make_tensor_ptr.

    Raises:
        TypeMismatchError: The base is not a pointer.
        CompilationError: The lists differ in length, or the order is not a permutation.
    """
    pointer = e.to_value(base)
    scalar = pointer.dtype
    if pointer.is_block or not isinstance(scalar, pointer_type) or scalar.element_ty.is_block():
        raise TypeMismatchError(
            "Expected `base` to be a pointer type (but not a block pointer type or others)",
            found=pointer,
            accepted=("a pointer",),
        )
    sizes = integer_scalars(e, "shape of tl.make_block_ptr", shape, dtypes.int64)
    steps = integer_scalars(e, "strides of tl.make_block_ptr", strides, dtypes.int64)
    starts = integer_scalars(e, "offsets of tl.make_block_ptr", offsets, dtypes.int32)
    if scalar.element_ty.is_bool():  # int1 is stored as a byte
        scalar = pointer_type(dtypes.int8, scalar.address_space)
        pointer = e.cast(pointer, scalar)
    extents = block_shape_of(block_shape)
    dims = _permutation(order, len(extents))
    for name, values in (("shape", sizes), ("strides", steps), ("offsets", starts)):
        if len(values) != len(extents):
            raise CompilationError(
                "Expected shape/strides/offsets/block_shape to have the same length",
                found=f"{len(values)} {name} and {len(extents)} extents of block_shape",
            )
    type_ = pointer_type(block_type(scalar.element_ty, extents), const=scalar.const)
    handles = [value.handle for value in (pointer, *sizes, *steps, *starts)]
    properties = {"order": attributes.array_i32(dims)}
    return TensorValue(
        e.builder.value(tt.MakeTensorPtrOp, handles, ir_type(type_), properties), type_
    )


def _permutation(order: Value, rank: int) -> tuple[int, ...]:
    dims = order if isinstance(order, tuple) else (order,)
    numbers = tuple(int(dim) for dim in dims if isinstance(dim, int))
    if len(numbers) != len(dims) or sorted(numbers) != list(range(rank)):
        raise CompilationError(
            "Expected a permutation of (0, 1, ..., len(order)-1) in order",
            found=order,
            accepted=(f"a permutation of {tuple(range(rank))}",),
        )
    return numbers


def _block_of(pointer: TensorValue) -> block_type | None:
    scalar = pointer.type
    if isinstance(scalar, pointer_type) and isinstance(scalar.element_ty, block_type):
        return scalar.element_ty
    return None


def advance(e: Emitter, base: Value, offsets: Value) -> TensorValue:
    """Emit tt.advance.

    Raises:
        TypeMismatchError: The base is not a block pointer.
        CompilationError: There is not one offset per dimension.
    """
    pointer = e.to_value(base)
    block = _block_of(pointer)
    if block is None:
        raise TypeMismatchError(
            "expected `base` of tl.advance to be a block pointer",
            found=pointer,
            accepted=("a pointer from tl.make_block_ptr",),
            hint="add to a plain pointer with +",
        )
    steps = integer_scalars(e, "offsets of tl.advance", offsets, dtypes.int32)
    if len(steps) != len(block.shape):
        raise CompilationError(
            f"expected {len(block.shape)} offsets, but got {len(steps)}",
            found=len(steps),
            accepted=(len(block.shape),),
        )
    handles = [pointer.handle, *(step.handle for step in steps)]
    return TensorValue(e.builder.value(tt.AdvanceOp, handles, pointer.handle.type), pointer.type)


def _checked_dimensions(boundary_check: Value, block: block_type) -> tuple[int, ...]:
    dims = boundary_check if isinstance(boundary_check, tuple) else (boundary_check,)
    numbers: list[int] = []
    for dim in dims:
        if not isinstance(dim, int) or not 0 <= dim < len(block.shape):
            raise CompilationError(
                f"invalid dimension {dim} in `boundary_check`",
                found=dim,
                accepted=tuple(range(len(block.shape))),
            )
        numbers.append(dim)
    if len(set(numbers)) != len(numbers):
        raise CompilationError("Duplicate dimension in `boundary_check`", found=dims)
    return tuple(sorted(numbers))


def load(
    e: Emitter,
    pointer: TensorValue,
    mask: Value,
    other: Value,
    boundary_check: Value,
    padding_option: Value,
    properties: dict[str, Attribute],
) -> TensorValue:
    """Emit tt.load of a block.

    Raises:
        CompilationError: There is a mask, or the padding is unknown.
        TypeMismatchError: The padding is NaN and the elements are integers.
    """
    block = _block_of(pointer)
    assert block is not None
    if mask is not None or other is not None:
        raise CompilationError(
            "`mask` and `other` arguments cannot be specified for loading block pointers",
            found="mask" if mask is not None else "other",
            hint="use boundary_check=(0, 1) and padding_option",
        )
    if padding_option:
        padding = _PADDINGS.get(padding_option) if isinstance(padding_option, str) else None
        if padding is None:
            raise CompilationError(
                f"Padding option {padding_option} not supported",
                found=padding_option,
                accepted=('""', '"zero"', '"nan"'),
            )
        if padding is PaddingOption.NAN and block.scalar.is_int():
            raise TypeMismatchError(
                "Padding option `nan` is not supported for integer block pointers",
                found=block,
                accepted=('"zero"',),
            )
        properties = {**properties, "padding": padding.attr()}
    dimensions = _checked_dimensions(boundary_check, block)
    properties = {**properties, "boundaryCheck": attributes.array_i32(dimensions)}
    handle = e.builder.value(tt.LoadOp, [pointer.handle], ir_type(block), properties)
    return TensorValue(handle, block)


def store(
    e: Emitter,
    pointer: TensorValue,
    value: TensorValue,
    mask: Value,
    boundary_check: Value,
    properties: dict[str, Attribute],
) -> None:
    """Emit tt.store of a block.

    Raises:
        CompilationError: There is a mask.
        TypeMismatchError: The value has another shape or element type.
    """
    block = _block_of(pointer)
    assert block is not None
    if mask is not None:
        raise CompilationError(
            "`mask` argument cannot be specified for storing block pointers",
            found="mask",
            hint="use boundary_check",
        )
    if value.is_block and value.shape != block.shape:
        raise TypeMismatchError(
            f"Block shape({block.shape}) and value shape({value.shape}) mismatch", found=value
        )
    if value.dtype != block.scalar:
        raise TypeMismatchError(
            f"Block element type({block.scalar}) and value element type({value.dtype}) mismatch",
            found=value,
            hint="convert with .to(…)",
        )
    value = e.broadcast_to(value, block.shape)
    dimensions = _checked_dimensions(boundary_check, block)
    operands: list[SSAValue] = [pointer.handle, value.handle]
    store_properties = {**properties, "boundaryCheck": attributes.array_i32(dimensions)}
    e.builder.create(tt.StoreOp, operands, properties=store_properties)
