"""Block pointers: tl.make_block_ptr, tl.advance, and loads and stores through them.

A block pointer has the type pointer to a block: `pointer<<['16', '32'], fp16>>`.
"""

from __future__ import annotations

from typing import Any

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins.creation import shape_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import attributes, tt
from weft.ir.builtin import Attribute, SSAValue
from weft.ir.enums import PaddingOption
from weft.language import dtypes
from weft.language.compound_types import block_type, pointer_type
from weft.language.dtypes import dtype

_PADDINGS = {"zero": PaddingOption.ZERO, "nan": PaddingOption.NAN}


def integers(e: Emitter, what: str, values: Any, type_: dtype) -> list[TensorValue]:
    """Return a list of sizes, strides or offsets as scalars of an integer type.

    Raises: TypeMismatchError for anything but scalars of integers, or a 64-bit one where 32 bits
            are wanted.
    """
    numbers = values if isinstance(values, tuple) else (values,)
    return [_integer(e, what, number, type_) for number in numbers]


def _integer(e: Emitter, what: str, number: Any, type_: dtype) -> TensorValue:
    if isinstance(number, int) and not isinstance(number, bool):
        low, high = type_.get_int_min_value(), type_.get_int_max_value()
        if not low <= number <= high:
            raise TypeMismatchError(f"{what} must fit in {type_}", found=number)
        return e.constant(number, type_)
    value = number if isinstance(number, TensorValue) else None
    if value is None or value.is_block or not value.dtype.is_int():
        raise TypeMismatchError(
            f"{what} are whole numbers",
            found=describe(number),
            accepted=("int", "a scalar integer"),
        )
    if value.dtype.primitive_bitwidth > type_.primitive_bitwidth:
        raise TypeMismatchError(
            f"{what} have {type_.primitive_bitwidth} bits",
            found=value,
            hint="convert with .to(tl.int32)",
        )
    return (
        e.cast(value, type_)
        if value.dtype.primitive_bitwidth < 64 and type_.is_int64()
        else (_narrow(e, value, type_))
    )


def _narrow(e: Emitter, value: TensorValue, type_: dtype) -> TensorValue:
    if value.dtype.primitive_bitwidth == type_.primitive_bitwidth:
        return value
    return e.cast(value, type_)


def make_block_ptr(
    e: Emitter, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
) -> TensorValue:
    """Emit tt.make_tensor_ptr.

    Raises: TypeMismatchError for a base that is no pointer, CompilationError for lists of different
            lengths or an order that is no permutation.
    """
    pointer = e.to_value(base)
    scalar = pointer.dtype
    if pointer.is_block or not isinstance(scalar, pointer_type) or scalar.element_ty.is_block():
        raise TypeMismatchError(
            "the base of tl.make_block_ptr is one pointer", found=pointer, accepted=("a pointer",)
        )
    sizes = integers(e, "the extents of the tensor", shape, dtypes.int64)
    steps = integers(e, "the strides", strides, dtypes.int64)
    starts = integers(e, "the offsets of a block pointer", offsets, dtypes.int32)
    if scalar.element_ty.is_bool():
        scalar = pointer_type(dtypes.int8, scalar.address_space)
        pointer = e.cast(pointer, scalar)
    extents = shape_of(block_shape)
    _check_order(order, len(extents))
    for name, given in (("shape", sizes), ("strides", steps), ("offsets", starts)):
        if len(given) != len(extents):
            raise CompilationError(
                f"{name} and block_shape of tl.make_block_ptr have one number per dimension each",
                found=f"{len(given)} and {len(extents)}",
            )
    type_ = pointer_type(block_type(scalar.element_ty, extents), const=scalar.const)
    handles = [value.handle for value in (pointer, *sizes, *steps, *starts)]
    properties = {"order": attributes.array_i32(order)}
    return TensorValue(
        e.builder.value(tt.MakeTensorPtrOp, handles, ir_type(type_), properties), type_
    )


def _check_order(order: Any, rank: int) -> None:
    numbers = order if isinstance(order, tuple) else (order,)
    if sorted(numbers, key=str) != sorted(range(rank), key=str):
        raise CompilationError(
            "the order of tl.make_block_ptr names each dimension once",
            found=order,
            accepted=(f"a permutation of {tuple(range(rank))}",),
        )


def _block_of(pointer: TensorValue) -> block_type | None:
    scalar = pointer.type
    if isinstance(scalar, pointer_type) and isinstance(scalar.element_ty, block_type):
        return scalar.element_ty
    return None


def advance(e: Emitter, base: Any, offsets: Any) -> TensorValue:
    """Emit tt.advance.

    Raises: TypeMismatchError for a plain pointer, CompilationError for too many or few offsets.
    """
    pointer = e.to_value(base)
    block = _block_of(pointer)
    if block is None:
        raise TypeMismatchError(
            "tl.advance moves a block pointer",
            found=pointer,
            accepted=("a pointer from tl.make_block_ptr",),
            hint="add to a plain pointer with +",
        )
    steps = integers(e, "the offsets of a block pointer", offsets, dtypes.int32)
    if len(steps) != len(block.shape):
        raise CompilationError(
            "tl.advance takes one offset per dimension",
            found=len(steps),
            accepted=(len(block.shape),),
        )
    handles = [pointer.handle, *(step.handle for step in steps)]
    return TensorValue(e.builder.value(tt.AdvanceOp, handles, pointer.handle.type), pointer.type)


def _checked_dimensions(boundary_check: Any, block: block_type) -> tuple[int, ...]:
    numbers = boundary_check if isinstance(boundary_check, tuple) else (boundary_check,)
    for number in numbers:
        if not isinstance(number, int) or not 0 <= number < len(block.shape):
            raise CompilationError(
                "boundary_check lists dimensions of the block",
                found=number,
                accepted=tuple(range(len(block.shape))),
            )
    if len(set(numbers)) != len(numbers):
        raise CompilationError("boundary_check names a dimension twice", found=numbers)
    return tuple(sorted(numbers))


def load(
    e: Emitter,
    pointer: TensorValue,
    mask: Any,
    other: Any,
    boundary_check: Any,
    padding_option: Any,
    properties: dict[str, Attribute],
) -> TensorValue:
    """Emit tt.load of a whole block.

    Raises: CompilationError for a mask, an unknown padding, or NaN in integers.
    """
    block = _block_of(pointer)
    assert block is not None
    if mask is not None or other is not None:
        raise CompilationError(
            "a block pointer is loaded without mask and other",
            found="mask" if mask is not None else "other",
            hint="use boundary_check=(0, 1) and padding_option",
        )
    if padding_option:
        if padding_option not in _PADDINGS:
            raise CompilationError(
                "unknown padding", found=padding_option, accepted=('""', '"zero"', '"nan"')
            )
        if padding_option == "nan" and block.scalar.is_int():
            raise TypeMismatchError("integers have no NaN", found=block, accepted=('"zero"',))
        properties = {**properties, "padding": _PADDINGS[padding_option].attr()}
    dimensions = _checked_dimensions(boundary_check, block)
    properties = {**properties, "boundaryCheck": attributes.array_i32(dimensions)}
    handle = e.builder.value(tt.LoadOp, [pointer.handle], ir_type(block), properties)
    return TensorValue(handle, block)


def store(
    e: Emitter,
    pointer: TensorValue,
    value: TensorValue,
    mask: Any,
    boundary_check: Any,
    properties: dict[str, Attribute],
) -> None:
    """Emit tt.store of a whole block.

    Raises: CompilationError for a mask, TypeMismatchError for a value of another shape or type.
    """
    block = _block_of(pointer)
    assert block is not None
    if mask is not None:
        raise CompilationError(
            "a block pointer is stored to without a mask", found="mask", hint="use boundary_check"
        )
    if (value.is_block and value.shape != block.shape) or value.dtype != block.scalar:
        raise TypeMismatchError(
            "what is stored has the shape and the type of the block",
            found=value,
            accepted=(TensorValue(pointer.handle, block),),
            hint="convert with .to(…)",
        )
    value = e.broadcast_to(value, block.shape)
    dimensions = _checked_dimensions(boundary_check, block)
    operands: list[SSAValue] = [pointer.handle, value.handle]
    checked = {**properties, "boundaryCheck": attributes.array_i32(dimensions)}
    e.builder.create(tt.StoreOp, operands, properties=checked)
