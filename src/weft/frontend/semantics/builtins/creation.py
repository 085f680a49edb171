"""tl.arange, tl.full, tl.to_tensor, tl.cast."""

from __future__ import annotations

from weft.errors import TypeMismatchError
from weft.frontend.semantics.casts import check_dtype
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.operand_promotion import check_range
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, tt, types
from weft.language import compound_types, dtypes
from weft.language.compound_types import block_type, check_block_shape
from weft.language.constexpr import unwrap
from weft.language.dtypes import dtype


def arange(e: Emitter, start: Value, end: Value) -> TensorValue:
    """Emit tt.make_range.

    Raises:
        TypeMismatchError: A bound is not a constant, or the range is not a power of 2.
    """
    first, last = range_bounds(start, end)
    type_ = block_type(dtypes.int32, [last - first])
    properties = {
        "start": attributes.integer(first, types.i32),
        "end": attributes.integer(last, types.i32),
    }
    return TensorValue(e.builder.value(tt.MakeRangeOp, [], ir_type(type_), properties), type_)


def range_bounds(start: Value, end: Value) -> tuple[int, int]:
    """Validate the bounds of a range.

    Raises:
        TypeMismatchError: A bound is not a constant, or the range is not a power of 2.
    """
    first, last = _bound(start), _bound(end)
    if last <= first:
        raise TypeMismatchError(
            "arange's end argument must be greater than the start argument",
            found=f"tl.arange({first}, {last})",
        )
    extent = last - first
    if extent & (extent - 1):
        above = 1 << extent.bit_length()
        raise TypeMismatchError(
            "arange's range must be a power of 2",
            found=f"tl.arange({first}, {last}), of {extent} elements",
            accepted=(above // 2, above),
            hint=f"use {above} elements (weft.next_power_of_2) and mask the rest",
        )
    return first, last


def _bound(bound: Value) -> int:
    if not isinstance(bound, int):
        raise TypeMismatchError(
            "arange's arguments must be of type tl.constexpr",
            found=describe(bound),
            accepted=("a tl.constexpr int",),
            hint="declare the parameter as tl.constexpr, or add a run-time offset afterwards",
        )
    if not -(2**31) <= bound < 2**31:
        raise TypeMismatchError("arange must fit in int32", found=bound)
    return int(bound)  # True is 1, as in Python


def block_shape_of(shape: Value) -> tuple[int, ...]:
    """Validate a shape argument: a tuple, or one number for one dimension."""
    return check_block_shape(shape if isinstance(shape, tuple) else (shape,))


def element_type(value: Value) -> dtype:
    """Validate a dtype argument.

    Raises:
        TypeMismatchError: It is not an element type or pointer.
    """
    if isinstance(value, dtype) and not value.is_block():
        return value
    raise TypeMismatchError(
        "expected an element type",
        found=describe(value),
        accepted=("tl.float32", "tl.int32", "…"),
    )


def full(e: Emitter, shape: Value, value: Value, dtype: Value) -> TensorValue:
    """Emit a constant block, or a splat of a scalar converted to `dtype`.

    Raises:
        TypeMismatchError: The value is a block.
    """
    extents, type_ = block_shape_of(shape), element_type(dtype)
    return e.splat(scalar_of_type(e, value, type_), extents)


def scalar_of_type(e: Emitter, value: Value, type_: dtype) -> TensorValue:
    """Convert a number or a scalar to a type.

    Raises:
        TypeMismatchError: The value is a block.
    """
    number = unwrap(value)
    if isinstance(number, bool | int | float):
        return _number(e, number, type_)
    scalar = e.to_value(value)
    if scalar.is_block:
        raise TypeMismatchError(
            "tl.full only accepts a scalar value",
            found=scalar,
            hint="use tl.broadcast_to for a block",
        )
    return e.cast(scalar, type_)


def _number(e: Emitter, value: bool | int | float, type_: dtype) -> TensorValue:
    check_dtype(e, type_)
    if type_.is_int() and isinstance(value, float) and not value.is_integer():
        raise TypeMismatchError(
            f"cannot convert {value} to {type_}",
            found=f"{value} as {type_}",
            accepted=("a number without a fraction",),
        )
    if type_.is_int_signed():
        value = _wrap_sign(value, type_)
    check_range(value, type_)
    return e.constant(value, type_)


def _wrap_sign(value: bool | int | float, type_: dtype) -> bool | int | float:
    """Reinterpret a number that sets the sign bit (1 << 31 as int32) as negative."""
    maximum, bits = type_.get_int_max_value(), type_.primitive_bitwidth
    return value - (1 << bits) if maximum < value < 1 << bits else value


def to_tensor(e: Emitter, x: Value) -> TensorValue:
    """Convert a number to a scalar constant."""
    return e.to_value(x)


def cast(
    e: Emitter, input: Value, dtype: Value, fp_downcast_rounding: Value, bitcast: Value
) -> TensorValue:
    """Emit a conversion, or with `bitcast` a reinterpretation of the bits."""
    target = dtype.scalar if isinstance(dtype, compound_types.block_type) else element_type(dtype)
    if bitcast:
        return e.bitcast(input, target)
    rounding = None if fp_downcast_rounding is None else str(fp_downcast_rounding)
    return e.cast(input, target, rounding)


TABLE = {"arange": arange, "cast": cast, "full": full, "to_tensor": to_tensor}
