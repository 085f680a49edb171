"""tl.arange, tl.full, tl.to_tensor, tl.cast."""

from __future__ import annotations

from typing import Any

from weft.errors import TypeMismatchError
from weft.frontend.semantics.casts import check_dtype
from weft.frontend.semantics.constants import is_number
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.matching import check_range
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import attributes, tt, types
from weft.language import compound_types, dtypes
from weft.language.compound_types import block_type, check_block_shape
from weft.language.dtypes import dtype


def arange(e: Emitter, start: Any, end: Any) -> TensorValue:
    """Emit tt.make_range.

    Raises: TypeMismatchError for bounds that are not constants, or no power of two apart.
    """
    for bound in (start, end):
        if not isinstance(bound, int):
            raise TypeMismatchError(
                "the bounds of tl.arange must be known when compiling",
                found=describe(bound),
                accepted=("a tl.constexpr int",),
                hint="declare the parameter as tl.constexpr, or add a run-time offset afterwards",
            )
        if not -(2**31) <= bound < 2**31:
            raise TypeMismatchError("the bounds of tl.arange must fit in 32 bits", found=bound)
    start, end = int(start), int(end)  # True is 1, as in Python
    if end <= start:
        raise TypeMismatchError(
            "tl.arange needs an end above its start", found=f"tl.arange({start}, {end})"
        )
    extent = end - start
    if extent & (extent - 1):
        above = 1 << extent.bit_length()
        raise TypeMismatchError(
            "the range of tl.arange must be a power of two",
            found=f"tl.arange({start}, {end}), of {extent} elements",
            accepted=(above // 2, above),
            hint=f"take {above} elements and mask the rest off; weft.next_power_of_2 finds it",
        )
    type_ = block_type(dtypes.int32, [extent])
    properties = {
        "start": attributes.integer(start, types.i32),
        "end": attributes.integer(end, types.i32),
    }
    return TensorValue(e.builder.value(tt.MakeRangeOp, [], ir_type(type_), properties), type_)


def shape_of(shape: Any) -> tuple[int, ...]:
    """Return a shape argument as checked extents; one number is a shape of one dimension."""
    return check_block_shape(shape if isinstance(shape, tuple) else (shape,))


def element_type(value: Any) -> dtype:
    """Return a dtype argument.

    Raises: TypeMismatchError for anything else.
    """
    if isinstance(value, dtype) and not value.is_block():
        return value
    raise TypeMismatchError(
        "an element type expected", found=describe(value), accepted=("tl.float32", "tl.int32", "…")
    )


def full(e: Emitter, shape: Any, value: Any, dtype: Any) -> TensorValue:
    """Emit a constant, or a splat of a scalar converted to `dtype`.

    Raises: TypeMismatchError for a block as the value.
    """
    extents, type_ = shape_of(shape), element_type(dtype)
    if is_number(value):
        return e.splat(_number(e, value, type_), extents)
    scalar = e.to_value(value)
    if scalar.is_block:
        raise TypeMismatchError(
            "tl.full takes a constant or a scalar",
            found=scalar,
            hint="use tl.broadcast_to for a block",
        )
    return e.splat(e.cast(scalar, type_), extents)


def _number(e: Emitter, value: Any, type_: dtype) -> TensorValue:
    check_dtype(e, type_)
    if type_.is_int() and isinstance(value, float) and not value.is_integer():
        raise TypeMismatchError(
            "an integer block cannot be filled with a fraction",
            found=f"{value} as {type_}",
            accepted=("a whole number",),
        )
    if type_.is_int_signed():
        value = _signed(value, type_)
    check_range(value, type_)
    return e.constant(value, type_)


def _signed(value: bool | int | float, type_: dtype) -> bool | int | float:
    """Return a number as it is, but one that writes a sign bit (1 << 31 as int32) as negative."""
    highest, bits = type_.get_int_max_value(), type_.primitive_bitwidth
    return value - (1 << bits) if highest < value < 1 << bits else value


def to_tensor(e: Emitter, x: Any) -> TensorValue:
    """Return `x` as a value of the kernel."""
    return e.to_value(x)


def cast(
    e: Emitter, input: Any, dtype: Any, fp_downcast_rounding: Any, bitcast: Any
) -> TensorValue:
    """Emit a conversion, or with `bitcast` the same bits as another type."""
    target = dtype.scalar if isinstance(dtype, compound_types.block_type) else element_type(dtype)
    if bitcast:
        return e.bitcast(input, target)
    return e.cast(input, target, fp_downcast_rounding)


TABLE = {"arange": arange, "cast": cast, "full": full, "to_tensor": to_tensor}
