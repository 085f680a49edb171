"""tl.broadcast, tl.reshape, tl.permute, tl.join, tl.split, tl.cat, tl.gather, tl.histogram, …"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from weft.errors import CompilationError, TypeMismatchError
from weft.frontend.semantics import broadcasting
from weft.frontend.semantics.broadcasting import block_of, splat
from weft.frontend.semantics.builtins.creation import block_shape_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.ir_types import ir_type
from weft.frontend.semantics.values import TensorValue, Value, describe
from weft.ir import attributes, tt, types
from weft.ir.builtin import Attribute
from weft.language import dtypes
from weft.language.compound_types import block_type
from weft.layouts import SliceEncoding
from weft.layouts.inference import infer_join, infer_reshape, infer_trans


def _flatten_arguments(values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return (1, 2) for both `f(1, 2)` and `f((1, 2))`."""
    if len(values) == 1 and isinstance(values[0], tuple):
        return values[0]
    return values


def broadcast(e: Emitter, input: Value, other: Value) -> tuple[TensorValue, TensorValue]:
    """Broadcast two values to their common shape."""
    return broadcasting.broadcast(e, e.to_value(input), e.to_value(other))


def broadcast_to(e: Emitter, input: Value, shape: tuple[Value, ...]) -> TensorValue:
    """Broadcast a value to a shape."""
    return e.broadcast_to(e.to_value(input), block_shape_of(_flatten_arguments(shape)))


def expand_dims(e: Emitter, input: Value, axis: Value) -> TensorValue:
    """Insert dimensions of extent 1; the axes are those of the result.

    Raises:
        CompilationError: An axis is out of range or is listed twice.
    """
    value = e.to_value(input)
    axes = axis if isinstance(axis, tuple) else (axis,)
    rank = len(value.shape) + len(axes)
    dims = [_dimension(one, rank) for one in axes]
    if len(set(dims)) != len(dims):
        raise CompilationError(
            f"expand_dims received duplicate axes, normalized axes = {dims}", found=axes
        )
    for dim in sorted(dims):
        value = broadcasting.expand_dims(e, value, dim)
    return value


def _dimension(axis: Value, rank: int) -> int:
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise CompilationError(
            f"invalid axis {axis}. Expected {-rank} <= axis < {rank}",
            found=axis,
            accepted=(f"{-rank} to {rank - 1}",),
        )
    return axis % rank


def reshape(e: Emitter, input: Value, shape: tuple[Value, ...], can_reorder: Value) -> TensorValue:
    """Emit tt.reshape.

    Raises:
        TypeMismatchError: The number of elements differs.
    """
    value = e.to_value(input)
    extents = block_shape_of(_flatten_arguments(shape))
    if prod(extents) != prod(value.shape):
        raise TypeMismatchError(
            "reshape() cannot change total number of elements in tensor",
            found=f"{prod(value.shape)} in shape {value.shape}, {prod(extents)} in {extents}",
        )
    if not value.is_block:
        return splat(e, value, extents)
    if not extents:
        return item(e, value)
    return emit_reshape(e, value, extents, bool(can_reorder))


def emit_reshape(
    e: Emitter, value: TensorValue, shape: tuple[int, ...], can_reorder: bool = False
) -> TensorValue:
    """Emit tt.reshape to a shape of as many elements."""
    type_ = block_of(value).derive(
        shape, lambda encoding: infer_reshape(encoding, value.shape, shape)
    )
    properties: dict[str, Attribute] = {"allow_reorder": attributes.unit} if can_reorder else {}
    handle = e.builder.value(tt.ReshapeOp, [value.handle], ir_type(type_), properties)
    return TensorValue(handle, type_)


def view(e: Emitter, input: Value, shape: tuple[Value, ...]) -> TensorValue:
    """Emit tt.reshape that may reorder the elements."""
    return reshape(e, input, shape, True)


def item(e: Emitter, input: Value) -> TensorValue:
    """Emit tt.unsplat.

    Raises:
        TypeMismatchError: The block has more than one element.
    """
    value = e.to_value(input)
    if not value.is_block:
        return value
    if prod(value.shape) != 1:
        raise TypeMismatchError(
            "can only unsplat single-element tensors", found=value, accepted=("one element",)
        )
    return e.unsplat(value)


def permute(e: Emitter, input: Value, dims: tuple[Value, ...]) -> TensorValue:
    """Emit tt.trans.

    Raises:
        CompilationError: `dims` is not a permutation of the dimensions.
    """
    value = e.to_value(input)
    requested = _flatten_arguments(dims)
    order = tuple(dim for dim in requested if isinstance(dim, int))
    if len(order) != len(requested) or sorted(order) != list(range(len(value.shape))):
        raise CompilationError(
            f"permute dims must be a permutation of 0, 1, ..., n-1, but were {requested}",
            found=requested,
            accepted=(f"a permutation of {tuple(range(len(value.shape)))}",),
        )
    return _emit_trans(e, value, order)


def _emit_trans(e: Emitter, value: TensorValue, order: tuple[int, ...]) -> TensorValue:
    type_ = block_of(value).derive(
        [value.shape[axis] for axis in order],
        lambda encoding: infer_trans(encoding, value.shape, order),
    )
    properties = {"order": attributes.array_i32(order)}
    return TensorValue(
        e.builder.value(tt.TransOp, [value.handle], ir_type(type_), properties), type_
    )


def trans(e: Emitter, input: Value, dims: tuple[Value, ...]) -> TensorValue:
    """Emit tt.trans; without `dims` swap the last two dimensions.

    Raises:
        TypeMismatchError: There are less than two dimensions.
    """
    value = e.to_value(input)
    rank = len(value.shape)
    if _flatten_arguments(dims):
        return permute(e, value, dims)
    if rank < 2:
        raise TypeMismatchError(
            "tl.trans invoked with a 0- or 1-dimensional tensor",
            found=value,
            hint="add a dimension with x[None, :]",
        )
    return _emit_trans(e, value, (*range(rank - 2), rank - 1, rank - 2))


def join(e: Emitter, a: Value, b: Value) -> TensorValue:
    """Emit tt.join of two values, broadcast to one shape; the result has the type of the first.

    Raises:
        TypeMismatchError: The element types differ.
    """
    left, right = broadcasting.broadcast(e, e.to_value(a), e.to_value(b))
    _check_same_type("join", left, right)
    are_scalars = not left.is_block
    if are_scalars:
        left, right = splat(e, left, (1,)), splat(e, right, (1,))
    type_ = block_of(left).derive(
        (*left.shape, 2), lambda encoding: infer_join(encoding, left.shape)
    )
    handle = e.builder.value(tt.JoinOp, [left.handle, right.handle], ir_type(type_))
    result = TensorValue(handle, type_)
    return emit_reshape(e, result, (2,)) if are_scalars else result


def _check_same_type(function: str, a: TensorValue, b: TensorValue) -> None:
    """Check that two values have one type in the IR, which does not distinguish signedness."""
    if ir_type(a.dtype) != ir_type(b.dtype):
        raise TypeMismatchError(
            f"both operands of tl.{function} must be same dtype",
            found=f"{a.dtype} and {b.dtype}",
            hint="convert one of them with .to(…)",
        )


def split(e: Emitter, a: Value) -> tuple[TensorValue, TensorValue]:
    """Emit tt.split.

    Raises:
        TypeMismatchError: The last extent is not 2.
    """
    value = e.to_value(a)
    if not value.is_block or value.shape[-1] != 2:
        raise TypeMismatchError(
            "tl.split requires a last dimension of size 2", found=value, accepted=("[…, 2]",)
        )
    is_pair = len(value.shape) == 1
    if is_pair:
        value = broadcasting.expand_dims(e, value, 0)
    last = len(value.shape) - 1
    type_ = block_of(value).derive(value.shape[:-1], lambda encoding: SliceEncoding(last, encoding))
    op = e.builder.create(tt.SplitOp, [value.handle], [ir_type(type_)] * 2)
    left, right = (TensorValue(handle, type_) for handle in op.results)
    return (item(e, left), item(e, right)) if is_pair else (left, right)


def cat(e: Emitter, input: Value, other: Value, can_reorder: Value, dim: Value) -> TensorValue:
    """Emit tt.cat if the elements may be reordered, else join, transpose and reshape.

    Raises:
        TypeMismatchError: The shapes or types differ, or tt.cat gets more than one dimension.
    """
    left, right = e.to_value(input), e.to_value(other)
    _check_same_type("cat", left, right)
    if left.shape != right.shape or not left.is_block:
        raise TypeMismatchError(
            "tl.cat requires two blocks of one shape", found=f"{left.shape} and {right.shape}"
        )
    if can_reorder:
        return _emit_cat(e, left, right)
    axis = _dimension(dim, len(left.shape))
    joined = join(e, left, right)
    rank = len(left.shape)
    transposed = _emit_trans(e, joined, (*range(axis), rank, *range(axis, rank)))
    shape = (*left.shape[:axis], 2 * left.shape[axis], *left.shape[axis + 1 :])
    return emit_reshape(e, transposed, shape)


def _emit_cat(e: Emitter, left: TensorValue, right: TensorValue) -> TensorValue:
    if len(left.shape) != 1:
        raise TypeMismatchError(
            "tl.cat with can_reorder requires blocks of one dimension", found=left.shape
        )
    type_ = block_type(left.dtype, [2 * left.shape[0]])
    return TensorValue(
        e.builder.value(tt.CatOp, [left.handle, right.handle], ir_type(type_)), type_
    )


def gather(e: Emitter, src: Value, index: Value, axis: Value) -> TensorValue:
    """Emit tt.gather.

    Raises:
        TypeMismatchError: The index is not of integers, or its shape differs from the source's in
            another dimension than `axis`.
    """
    source, indices = e.to_value(src), e.to_value(index)
    if not indices.dtype.is_int():
        raise TypeMismatchError(
            "index must be an integer tensor", found=indices, accepted=("int32",)
        )
    if len(source.shape) != len(indices.shape) or not source.is_block:
        raise TypeMismatchError(
            "source and index tensors must have the same rank",
            found=f"{source.shape} and {indices.shape}",
        )
    dim = _dimension(axis, len(source.shape))
    for other, (extent, size) in enumerate(zip(source.shape, indices.shape, strict=True)):
        if other != dim and extent != size:
            raise TypeMismatchError(
                f"index dim {other} must match the corresponding source dim",
                found=f"{source.shape} and {indices.shape}",
                hint=f"only dimension {dim}, the axis, may differ",
            )
    type_ = block_of(indices).with_element_ty(source.dtype)
    properties = {"axis": attributes.integer(dim, types.i32)}
    handles = [source.handle, indices.handle]
    return TensorValue(e.builder.value(tt.GatherOp, handles, ir_type(type_), properties), type_)


def histogram(e: Emitter, input: Value, num_bins: Value, mask: Value) -> TensorValue:
    """Emit tt.histogram.

    Raises:
        TypeMismatchError: The input is not a 1D block of integers.
    """
    value = e.to_value(input)
    if len(value.shape) != 1:
        raise TypeMismatchError(
            "histogram only supports 1D input", found=value, accepted=("int32[n]",)
        )
    if not value.dtype.is_int():
        raise TypeMismatchError(
            "histogram only supports integer input", found=value, accepted=("int32[n]",)
        )
    if not isinstance(num_bins, int):
        raise TypeMismatchError(
            "num_bins of tl.histogram must be of type tl.constexpr",
            found=describe(num_bins),
            accepted=("a tl.constexpr int",),
        )
    handles = [value.handle]
    if mask is not None:
        mask_value = e.broadcast_to(e.to_value(mask), value.shape)
        if not mask_value.dtype.is_bool():
            raise TypeMismatchError(
                "mask must have boolean scalar type", found=mask_value, accepted=("int1",)
            )
        handles.append(mask_value.handle)
    type_ = block_type(dtypes.int32, [num_bins])
    return TensorValue(e.builder.value(tt.HistogramOp, handles, ir_type(type_)), type_)


TABLE: dict[str, Callable[..., object]] = {
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
