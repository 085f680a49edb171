"""Buffers in shared and tensor memory: numpy arrays that operations store, view and load.

    %m = ttg.local_alloc %x            a new array
    %t = ttg.memdesc_trans %m          a view of it
    %y = ttg.local_load %t             a copy
    ttg.local_store %z, %m             writes into the array, and so into all views

Encodings have no meaning here, since where an element is does not change it. A group of diverged
instances has copies of their rows of an array, and its stores go to these. So a buffer that is
stored to must not be live across a condition that differs between instances.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import Operation, SSAValue

from weft.interpreter.deferred_accesses import undefined
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import flag_of, int_of
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.values import Value, dense, full
from weft.ir import amdg, ttg, ttng, types
from weft.ir.attributes import array_values

_TOKEN = np.zeros((1,), np.bool_)


def buffer_of(value: SSAValue) -> tuple[tuple[int, ...], np.dtype]:
    """Look up the shape and dtype of a buffer or a tensor."""
    type_ = value.type
    if isinstance(type_, ttg.MemDescType):
        return type_.shape, dtype_of(type_.element_type)
    return types.shape(type_), dtype_of(type_)


@effect(ttg.LocalAllocOp, ttng.TMEMAllocOp)
def allocate(op: Operation) -> Evaluate:
    """Allocate an array, with the elements of a tensor if there is one, else undefined."""
    shape, dtype = buffer_of(op.results[0])
    with_token = len(op.results) > 1

    def run(batch: Batch, source: Value | None = None) -> object:
        if source is None:
            buffer = np.full((batch.size, *shape), undefined(dtype), dtype)
        else:
            buffer = np.array(full(source, shape, batch.size))
        return (buffer, _TOKEN) if with_token else buffer

    return run


@pure(ttg.LocalDeallocOp)
def free(op: Operation) -> Evaluate:
    """Do nothing: an array is freed after its last use."""
    return lambda a: None


@pure(ttg.LocalLoadOp)
def load(op: Operation) -> Evaluate:
    """Copy the array."""
    return lambda buffer, *_: buffer.copy()


@pure(ttng.TMEMLoadOp)
def load_from_tensor_memory(op: Operation) -> Evaluate:
    """Copy the array, and reduce each of its rows if the load has a reduction."""
    assert isinstance(op, ttng.TMEMLoadOp)
    with_token, reduce_rows = op.token is not None, _row_reduction(op)

    def run(buffer: np.ndarray, *_: Value) -> object:
        results = [buffer.copy()]
        if with_token:
            results.append(_TOKEN)
        if reduce_rows is not None:
            results.append(reduce_rows(results[0]))
        return tuple(results) if len(results) > 1 else results[0]

    return run


def _row_reduction(op: ttng.TMEMLoadOp) -> Callable[[np.ndarray], np.ndarray] | None:
    """Find the function that reduces each row to one element, None without a reduction."""
    if op.redOp is None:
        return None
    is_maximum = op.redOp.text == "max"
    if flag_of(op, "NaN"):
        combine = np.maximum if is_maximum else np.minimum
    else:
        combine = np.fmax if is_maximum else np.fmin
    magnitude = np.abs if flag_of(op, "abs") else np.asarray
    return lambda rows: combine.reduce(magnitude(rows), axis=-1)


@pure(amdg.LocalLoadPackedTransposedOp)
def load_packed_transposed(op: Operation) -> Evaluate:
    """Load packed 4-bit elements, and pack them along the other axis.

    A byte of the buffer holds elements 2 m and 2 m + 1 of column k, a byte of the result elements
    2 k and 2 k + 1 of row m; the first one is in the lower half.
    """
    (before, _), (after, _) = buffer_of(op.operands[0]), buffer_of(op.results[0])
    sizes = list(zip(before, after, strict=True))
    packed = next(axis for axis, (size, result) in enumerate(sizes, 1) if 2 * size == result)
    other = next(axis for axis, (size, result) in enumerate(sizes, 1) if size == 2 * result)

    def run(buffer: np.ndarray, *_: Value) -> np.ndarray:
        array = buffer.view(np.uint8)
        shape = [*array.shape]
        shape[packed] *= 2
        elements = np.stack([array & 0xF, array >> 4], axis=packed + 1).reshape(shape)
        even, odd = (elements.take(range(first, shape[other], 2), axis=other) for first in (0, 1))
        return (even | odd << 4).view(buffer.dtype)

    return run


@effect(ttg.LocalStoreOp)
def store(op: Operation) -> Evaluate:
    """Store a tensor into the array."""

    def run(batch: Batch, source: Value, buffer: np.ndarray) -> None:
        buffer[...] = dense(source)

    return run


@effect(ttng.TMEMStoreOp)
def store_if(op: Operation) -> Evaluate:
    """Store a tensor into the array for the instances whose predicate is true."""
    source, predicate = (operand_index(op, name) for name in ("src", "pred"))
    with_token = bool(op.results)

    def run(batch: Batch, *values: Value) -> object:
        buffer = dense(values[0])
        write(buffer, dense(values[source]), dense(values[predicate]))
        return _TOKEN if with_token else None

    return run


def operand_index(op: Operation, name: str) -> int:
    """Find the index of an operand by its name."""
    operand = getattr(op, name)
    return next(index for index, value in enumerate(op.operands) if value is operand)


def write(buffer: np.ndarray, value: np.ndarray, predicate: np.ndarray) -> None:
    """Store a value into the array for the instances whose predicate is true."""
    condition = predicate.reshape(-1, *(1,) * (buffer.ndim - 1))
    np.copyto(buffer, value, where=condition)


@pure(ttg.MemDescTransOp)
def trans(op: Operation) -> Evaluate:
    """Permute the axes; a view."""
    axes = (0, *(axis + 1 for axis in array_values(op.properties["order"])))
    return lambda a: a.transpose(axes)


@pure(ttg.MemDescIndexOp)
def index(op: Operation) -> Evaluate:
    """Select one of the buffers along the first axis; a view."""

    def run(buffer: np.ndarray, index: np.ndarray) -> np.ndarray:
        indices = np.unique(dense(index))
        if len(indices) == 1:
            return buffer[:, int(indices[0])]
        return buffer[np.arange(len(buffer)), dense(index).reshape(-1)]

    return run


@pure(ttg.MemDescSubsliceOp)
def subslice(op: Operation) -> Evaluate:
    """Select a part; a view."""
    shape, _ = buffer_of(op.results[0])
    offsets = array_values(op.properties["offsets"])
    part = tuple(slice(start, start + size) for start, size in zip(offsets, shape, strict=True))
    return lambda a: a[(slice(None), *part)]


@pure(ttng.TMEMSubSliceOp)
def columns(op: Operation) -> Evaluate:
    """Select columns from one on; a view."""
    shape, _ = buffer_of(op.results[0])
    first = int_of(op, "N")
    return lambda a: a[..., first : first + shape[-1]]


@pure(ttg.MemDescReshapeOp, ttg.MemDescReinterpretOp)
def reshape(op: Operation) -> Evaluate:
    """Reshape the elements in row-major order, or read their bytes as other elements; a view.

    If numpy cannot express the view by strides, the result is a copy that cannot be stored to.
    """
    shape, dtype = buffer_of(op.results[0])

    def run(buffer: np.ndarray) -> np.ndarray:
        # A part of the columns is not contiguous, but can have elements of another size.
        rows_are_contiguous = buffer.strides[-1] == buffer.itemsize
        elements = buffer if rows_are_contiguous else np.ascontiguousarray(buffer)
        result = elements.view(dtype).reshape(len(buffer), *shape)
        if not np.may_share_memory(result, buffer):
            result.flags.writeable = False
        return result

    return run


@effect(ttg.LocalGatherOp)
def gather(op: Operation) -> Evaluate:
    """Select elements along an axis by index."""
    axis, shape = int_of(op, "axis") + 1, types.shape(op.results[0].type)

    def run(batch: Batch, buffer: np.ndarray, indices: Value, *_: Value) -> np.ndarray:
        return np.take_along_axis(buffer, full(indices, shape, batch.size), axis)

    return run


@effect(ttg.LocalScatterOp)
def scatter(op: Operation) -> Evaluate:
    """Store elements along an axis by index."""
    assert isinstance(op, ttg.LocalScatterOp)
    axis, shape = int_of(op, "axis") + 1, types.shape(op.values.type)

    def run(batch: Batch, buffer: np.ndarray, values: Value, indices: Value, *_: Value) -> None:
        index = full(indices, shape, batch.size)
        np.put_along_axis(buffer, index, full(values, shape, batch.size), axis)

    return run
