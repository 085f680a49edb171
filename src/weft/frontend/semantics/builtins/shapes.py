"""tl.reshape, tl.trans, tl.join, tl.split and their like."""

from __future__ import annotations

from math import prod
from typing import Any

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics.builtins.creation import shape_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.shaping import broadcast as to_common_shape
from weft.frontend.semantics.shaping import expand_dims as insert_dimension
from weft.frontend.semantics.shaping import splat
from weft.frontend.semantics.values import TensorValue, describe
from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute
from weft.language import dtypes
from weft.language.compound_types import block_type


def numbers_of(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the numbers of `f(1, 2)` and of `f((1, 2))` alike."""
    if len(values) == 1 and isinstance(values[0], tuple):
        return values[0]
    return values


def broadcast(e: Emitter, input: Any, other: Any) -> tuple[TensorValue, TensorValue]:
    """Bring two values to their common shape."""
    return to_common_shape(e, e.to_value(input), e.to_value(other))


def broadcast_to(e: Emitter, input: Any, shape: tuple[Any, ...]) -> TensorValue:
    """Stretch a value to a shape."""
    return e.broadcast_to(e.to_value(input), shape_of(numbers_of(shape)))


def expand_dims(e: Emitter, input: Any, axis: Any) -> TensorValue:
    """Insert dimensions of extent 1, the axes counted in the result.

    Raises: CompilationError for an axis outside of the result, or given twice.
    """
    value = e.to_value(input)
    axes = axis if isinstance(axis, tuple) else (axis,)
    rank = len(value.shape) + len(axes)
    places = sorted(_place(each, rank) for each in axes)
    if len(set(places)) != len(places):
        raise CompilationError("tl.expand_dims got an axis twice", found=axes)
    for place in places:
        value = insert_dimension(e, value, place)
    return value


def _place(axis: Any, rank: int) -> int:
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise CompilationError(
            "the axis is outside of the block", found=axis, accepted=(f"{-rank} to {rank - 1}",)
        )
    return axis % rank


def reshape(e: Emitter, input: Any, shape: tuple[Any, ...], can_reorder: Any) -> TensorValue:
    """Emit tt.reshape.

    Raises: TypeMismatchError where the number of elements differs.
    """
    value = e.to_value(input)
    extents = shape_of(numbers_of(shape))
    if prod(extents) != prod(value.shape):
        raise TypeMismatchError(
            "tl.reshape keeps the number of elements",
            found=f"{prod(value.shape)} in shape {value.shape}, {prod(extents)} in {extents}",
        )
    if not value.is_block:
        return splat(e, value, extents)
    if not extents:
        return item(e, value)
    return _reshaped(e, value, extents, bool(can_reorder))


def _reshaped(
    e: Emitter, value: TensorValue, shape: tuple[int, ...], can_reorder: bool = False
) -> TensorValue:
    type_ = block_type(value.dtype, shape)
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit} if can_reorder else {}
    handle = e.builder.value(tt.ReshapeOp, [value.handle], ir_type(type_), properties)
    return TensorValue(handle, type_)


def view(e: Emitter, input: Any, shape: tuple[Any, ...]) -> TensorValue:
    """Emit tt.reshape that may put the elements in any order."""
    return reshape(e, input, shape, True)


def item(e: Emitter, x: Any) -> TensorValue:
    """Emit tt.unsplat.

    Raises: TypeMismatchError for a block of more than one element.
    """
    value = e.to_value(x)
    if not value.is_block:
        return value
    if prod(value.shape) != 1:
        raise TypeMismatchError(
            "only a block of one element is a scalar", found=value, accepted=("one element",)
        )
    return TensorValue(
        e.builder.value(tt.UnsplatOp, [value.handle], ir_type(value.dtype)), value.dtype
    )


def permute(e: Emitter, input: Any, dims: tuple[Any, ...]) -> TensorValue:
    """Emit tt.trans.

    Raises: CompilationError for dims that are no permutation of the dimensions.
    """
    value = e.to_value(input)
    order = numbers_of(dims)
    if sorted(order, key=str) != sorted(range(len(value.shape)), key=str):
        raise CompilationError(
            "the dimensions must each be named once",
            found=order,
            accepted=(f"a permutation of {tuple(range(len(value.shape)))}",),
        )
    type_ = block_type(value.dtype, [value.shape[axis] for axis in order])
    properties = {"order": attributes.array_i32(order)}
    return TensorValue(
        e.builder.value(tt.TransOp, [value.handle], ir_type(type_), properties), type_
    )


def trans(e: Emitter, input: Any, dims: tuple[Any, ...]) -> TensorValue:
    """Emit tt.trans; without dims the last two dimensions swap.

    Raises: TypeMismatchError where there are no two dimensions.
    """
    value = e.to_value(input)
    rank = len(value.shape)
    order = numbers_of(dims)
    if not order:
        if rank < 2:
            raise TypeMismatchError(
                "tl.trans needs two dimensions", found=value, hint="add one with x[None, :]"
            )
        order = (*range(rank - 2), rank - 1, rank - 2)
    return permute(e, value, order)


def join(e: Emitter, a: Any, b: Any) -> TensorValue:
    """Emit tt.join of two values brought to one shape.

    Raises: TypeMismatchError for different element types.
    """
    left, right = to_common_shape(e, e.to_value(a), e.to_value(b))
    _check_same_type("join", left, right)
    scalars = not left.is_block
    if scalars:
        left, right = splat(e, left, (1,)), splat(e, right, (1,))
    type_ = block_type(left.dtype, (*left.shape, 2))
    handle = e.builder.value(tt.JoinOp, [left.handle, right.handle], ir_type(type_))
    joined = TensorValue(handle, type_)
    return _reshaped(e, joined, (2,)) if scalars else joined


def _check_same_type(function: str, a: TensorValue, b: TensorValue) -> None:
    if a.dtype != b.dtype:
        raise TypeMismatchError(
            f"tl.{function} takes two blocks of one element type",
            found=f"{a.dtype} and {b.dtype}",
            hint="convert one of them with .to(…)",
        )


def split(e: Emitter, a: Any) -> tuple[TensorValue, TensorValue]:
    """Emit tt.split.

    Raises: TypeMismatchError unless the last extent is 2.
    """
    value = e.to_value(a)
    if not value.is_block or value.shape[-1] != 2:
        raise TypeMismatchError(
            "tl.split needs a last dimension of extent 2", found=value, accepted=("[…, 2]",)
        )
    scalars = len(value.shape) == 1
    if scalars:
        value = insert_dimension(e, value, 0)
    type_ = block_type(value.dtype, value.shape[:-1])
    op = e.builder.create(tt.SplitOp, [value.handle], [ir_type(type_)] * 2)
    left, right = (TensorValue(handle, type_) for handle in op.results)
    return (item(e, left), item(e, right)) if scalars else (left, right)


def cat(e: Emitter, input: Any, other: Any, can_reorder: Any, dim: Any) -> TensorValue:
    """Emit tt.cat where the order is free, else join, transpose and reshape.

    Raises: TypeMismatchError for different shapes or types, or where tt.cat needs one dimension.
    """
    left, right = e.to_value(input), e.to_value(other)
    _check_same_type("cat", left, right)
    if left.shape != right.shape or not left.is_block:
        raise TypeMismatchError(
            "tl.cat takes two blocks of one shape", found=f"{left.shape} and {right.shape}"
        )
    if can_reorder:
        return _cat_in_any_order(e, left, right)
    axis = _place(dim, len(left.shape))
    joined = join(e, left, right)
    rank = len(left.shape)
    moved = permute(e, joined, (*range(axis), rank, *range(axis, rank)))
    shape = (*left.shape[:axis], 2 * left.shape[axis], *left.shape[axis + 1 :])
    return _reshaped(e, moved, shape)


def _cat_in_any_order(e: Emitter, left: TensorValue, right: TensorValue) -> TensorValue:
    if len(left.shape) != 1:
        raise TypeMismatchError(
            "tl.cat with can_reorder takes blocks of one dimension", found=left.shape
        )
    type_ = block_type(left.dtype, [2 * left.shape[0]])
    return TensorValue(
        e.builder.value(tt.CatOp, [left.handle, right.handle], ir_type(type_)), type_
    )


def gather(e: Emitter, src: Any, index: Any, axis: Any) -> TensorValue:
    """Emit tt.gather.

    Raises: TypeMismatchError where the shapes differ in another dimension than `axis`.
    """
    source, indices = e.to_value(src), e.to_value(index)
    if not indices.dtype.is_int():
        raise TypeMismatchError(
            "the index of tl.gather is a block of integers", found=indices, accepted=("int32",)
        )
    if len(source.shape) != len(indices.shape) or not source.is_block:
        raise TypeMismatchError(
            "source and index of tl.gather have one rank",
            found=f"{source.shape} and {indices.shape}",
        )
    place = _place(axis, len(source.shape))
    for dimension, (have, want) in enumerate(zip(source.shape, indices.shape, strict=True)):
        if dimension != place and have != want:
            raise TypeMismatchError(
                f"source and index of tl.gather differ in dimension {dimension}",
                found=f"{source.shape} and {indices.shape}",
                hint=f"only dimension {place}, the axis, may differ",
            )
    type_ = block_type(source.dtype, indices.shape)
    properties = {"axis": attributes.integer(place, types.i32)}
    handles = [source.handle, indices.handle]
    return TensorValue(e.builder.value(tt.GatherOp, handles, ir_type(type_), properties), type_)


def histogram(e: Emitter, input: Any, num_bins: Any, mask: Any) -> TensorValue:
    """Emit tt.histogram.

    Raises: TypeMismatchError for anything but one dimension of integers.
    """
    value = e.to_value(input)
    if len(value.shape) != 1 or not value.dtype.is_int():
        raise TypeMismatchError(
            "tl.histogram counts integers in one dimension", found=value, accepted=("int32[n]",)
        )
    if not isinstance(num_bins, int):
        raise TypeMismatchError(
            "the number of bins must be known when compiling", found=describe(num_bins)
        )
    handles = [value.handle]
    if mask is not None:
        chosen = e.broadcast_to(e.to_value(mask), value.shape)
        if not chosen.dtype.is_bool():
            raise TypeMismatchError("a mask holds truth values", found=chosen, accepted=("int1",))
        handles.append(chosen.handle)
    type_ = block_type(dtypes.int32, [num_bins])
    return TensorValue(e.builder.value(tt.HistogramOp, handles, ir_type(type_)), type_)


TABLE = {
    "broadcast": broadcast,
    "broadcast_to": broadcast_to,
    "cat": cat,
    "expand_dims": expand_dims,
    "gather": gather,
    "histogram": histogram,
    "join": join,
    "permute": permute,
    "reshape": reshape,
    "split": split,
    "tensor.item": item,
    "trans": trans,
    "view": view,
}
