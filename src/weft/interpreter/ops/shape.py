"""Operations on shapes: splat and broadcast move no data; others materialize the value first."""

from __future__ import annotations

from functools import cache

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.affine_arithmetic import Number
from weft.interpreter.dtypes import I64, dtype_of
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, pure
from weft.interpreter.values import AffineTensor, dense, full
from weft.ir import tt, ttg, types
from weft.ir.attributes import array_values


@pure(tt.MakeRangeOp)
def make_range(op: Operation) -> Evaluate:
    """Construct an affine tensor of stride 1."""
    affine = _range(
        int_of(op, "start"), types.shape(op.results[0].type)[0], dtype_of(op.results[0].type)
    )
    return lambda: affine


@cache
def _range(start: int, size: int, dtype: np.dtype) -> AffineTensor:
    return AffineTensor(np.full((1, 1), start, I64), (1,), (size,), dtype)


@pure(tt.SplatOp)
def splat(op: Operation) -> Evaluate:
    """Reshape a scalar to the rank of the tensor, size 1 along each axis."""
    ones = (1,) * len(types.shape(op.results[0].type))
    return lambda a: a.reshape(-1, *ones)


@pure(tt.UnsplatOp)
def unsplat(op: Operation) -> Evaluate:
    """Select the only element."""
    return lambda a: dense(a).reshape(-1)


@pure(tt.BroadcastOp)
def broadcast(op: Operation) -> Evaluate:
    """Keep size 1: numpy broadcasts where the value is used."""
    shape = types.shape(op.results[0].type)

    def broadcast_affine(a: Number) -> Number:
        return AffineTensor(a.base, a.strides, shape, a.dtype) if type(a) is AffineTensor else a

    return broadcast_affine


@pure(ttg.ConvertLayoutOp)
def convert_layout(op: Operation) -> Evaluate:
    """Keep the value: a layout only says which thread holds an element."""
    return lambda a: a


@pure(tt.ExpandDimsOp)
def expand_dims(op: Operation) -> Evaluate:
    """Insert an axis of size 1."""
    axis, shape = int_of(op, "axis"), types.shape(op.results[0].type)

    def expand(a: Number) -> Number:
        if type(a) is AffineTensor:
            strides = (*a.strides[:axis], 0, *a.strides[axis:])
            return AffineTensor(_insert(a.base, axis), strides, shape, a.dtype)
        return _insert(dense(a), axis)

    return expand


def _insert(array: np.ndarray, axis: int) -> np.ndarray:
    return array.reshape(*array.shape[: axis + 1], 1, *array.shape[axis + 1 :])


@pure(tt.ReshapeOp)
def reshape(op: Operation) -> Evaluate:
    """Read the elements row by row in another shape."""
    before, after = types.shape(op.operands[0].type), types.shape(op.results[0].type)
    ones = (1,) * len(after)

    def read(a: Number) -> np.ndarray:
        array = dense(a)
        if array.size == array.shape[0]:
            return array.reshape(-1, *ones)
        return full(array, before).reshape(array.shape[0], *after)

    return read


@pure(tt.TransOp)
def trans(op: Operation) -> Evaluate:
    """Permute the axes; a view."""
    order = array_values(op.properties["order"])
    axes = (0, *(axis + 1 for axis in order))

    def permute(a: Number) -> Number:
        if type(a) is AffineTensor:
            strides = tuple(a.strides[axis] for axis in order)
            shape = tuple(a.shape[axis] for axis in order)
            return AffineTensor(a.base.transpose(axes), strides, shape, a.dtype)
        return dense(a).transpose(axes)

    return permute


def _materialize_all(arrays: list[np.ndarray], shape: tuple[int, ...]) -> list[np.ndarray]:
    count = max(array.shape[0] for array in arrays)
    return [full(array, shape, count) for array in arrays]


@pure(tt.CatOp)
def cat(op: Operation) -> Evaluate:
    """Concatenate two tensors."""
    shape = types.shape(op.operands[0].type)
    return lambda a, b: np.concatenate(_materialize_all([dense(a), dense(b)], shape), axis=1)


@pure(tt.JoinOp)
def join(op: Operation) -> Evaluate:
    """Stack two tensors along a new last axis."""
    shape = types.shape(op.operands[0].type)
    return lambda a, b: np.stack(_materialize_all([dense(a), dense(b)], shape), axis=-1)


@pure(tt.SplitOp)
def split(op: Operation) -> Evaluate:
    """Split the last axis, of size 2, into two views."""

    def halves(a: Number) -> tuple[np.ndarray, np.ndarray]:
        array = dense(a)
        return array[..., 0], array[..., -1]

    return halves
