"""Buffers in shared and tensor memory: arrays that operations fill, view and read.

    %m = ttg.local_alloc %x            an array of its own
    %t = ttg.memdesc_trans %m          a view of it
    %y = ttg.local_load %t             a copy
    ttg.local_store %z, %m             writes into the array, and so into every view

How elements lie in the buffer changes none of them, so encodings say nothing here. An instance
that goes another way than others takes its rows of an array along; what it stores there stays with
it, so a buffer that is stored to must not live across a condition that instances decide
differently.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation, SSAValue

from weft.interpreter.dtypes import dtype_of
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.values import Value, dense, full
from weft.ir import ttg, ttng, types
from weft.ir.attributes import array_values

_TOKEN = np.zeros((1,), np.bool_)


def buffer_of(value: SSAValue) -> tuple[tuple[int, ...], np.dtype]:
    """Return shape and dtype of a buffer or of a tensor."""
    type_ = value.type
    if isinstance(type_, ttg.MemDescType):
        return type_.shape, dtype_of(type_.element_type)
    return types.shape(type_), dtype_of(type_)


@effect(ttg.LocalAllocOp, ttng.TMEMAllocOp)
def allocate(op: Operation) -> Evaluate:
    """Make an array, filled from a tensor where one is given."""
    shape, dtype = buffer_of(op.results[0])
    with_token = len(op.results) > 1

    def run(batch: Batch, source: Value | None = None) -> object:
        if source is None:
            made = np.zeros((batch.size, *shape), dtype)
        else:
            made = np.array(full(source, shape, batch.size))
        return (made, _TOKEN) if with_token else made

    return run


@pure(ttg.LocalDeallocOp)
def free(op: Operation) -> Evaluate:
    """Do nothing: an array goes when nothing reads it."""
    return lambda a: None


@pure(ttg.LocalLoadOp, ttng.TMEMLoadOp)
def load(op: Operation) -> Evaluate:
    """Copy the array; with a reduction, which the layout passes never make, it is an error."""
    with_token = len(op.results) > 1

    def run(buffer: np.ndarray, *_: Value) -> object:
        return (buffer.copy(), _TOKEN) if with_token else buffer.copy()

    return run


@effect(ttg.LocalStoreOp)
def store(op: Operation) -> Evaluate:
    """Write a tensor into the array."""

    def run(batch: Batch, source: Value, buffer: np.ndarray) -> None:
        buffer[...] = dense(source)

    return run


@effect(ttng.TMEMStoreOp)
def store_if(op: Operation) -> Evaluate:
    """Write a tensor into the array of the instances whose predicate holds."""
    source, predicate = (place_of(op, name) for name in ("src", "pred"))
    with_token = bool(op.results)

    def run(batch: Batch, *values: Value) -> object:
        buffer = dense(values[0])
        write(buffer, dense(values[source]), dense(values[predicate]))
        return _TOKEN if with_token else None

    return run


def place_of(op: Operation, name: str) -> int:
    """Return which of the operands has a name."""
    wanted = getattr(op, name)
    return next(at for at, value in enumerate(op.operands) if value is wanted)


def write(buffer: np.ndarray, value: np.ndarray, predicate: np.ndarray) -> None:
    """Write a value into the array of the instances whose predicate holds."""
    holds = predicate.reshape(-1, *(1,) * (buffer.ndim - 1))
    np.copyto(buffer, value, where=holds)


@pure(ttg.MemDescTransOp)
def trans(op: Operation) -> Evaluate:
    """Permute the axes; a view."""
    axes = (0, *(axis + 1 for axis in array_values(op.properties["order"])))
    return lambda a: a.transpose(axes)


@pure(ttg.MemDescIndexOp)
def index(op: Operation) -> Evaluate:
    """Take one of the buffers along the first axis; a view."""

    def run(buffer: np.ndarray, place: np.ndarray) -> np.ndarray:
        at = np.unique(dense(place))
        if len(at) == 1:
            return buffer[:, int(at[0])]
        return buffer[np.arange(len(buffer)), dense(place).reshape(-1)]

    return run


@pure(ttg.MemDescSubsliceOp)
def subslice(op: Operation) -> Evaluate:
    """Take a part; a view."""
    shape, _ = buffer_of(op.results[0])
    offsets = array_values(op.properties["offsets"])
    part = tuple(slice(at, at + size) for at, size in zip(offsets, shape, strict=True))
    return lambda a: a[(slice(None), *part)]


@pure(ttng.TMEMSubSliceOp)
def columns(op: Operation) -> Evaluate:
    """Take columns from a place on; a view."""
    shape, _ = buffer_of(op.results[0])
    first = int_of(op, "N")
    return lambda a: a[..., first : first + shape[-1]]


@pure(ttg.MemDescReshapeOp, ttg.MemDescReinterpretOp)
def reshape(op: Operation) -> Evaluate:
    """Read the elements row by row in another shape; a view where numpy can make one."""
    shape, dtype = buffer_of(op.results[0])
    return lambda a: np.ascontiguousarray(a).view(dtype).reshape(len(a), *shape)
