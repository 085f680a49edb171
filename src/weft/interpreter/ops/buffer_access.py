"""AMD's buffer instructions: one base pointer for all lanes, and an offset per lane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.interpreter.affine_arithmetic import Number, advance
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.element_access import make_load, make_store, pointee
from weft.interpreter.ops.atomics import make_compare_and_swap, make_read_modify_write
from weft.interpreter.ops.memory_descriptors import operand_index
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect, pure
from weft.interpreter.values import Value, dense, full, leading
from weft.ir import amdg, types
from weft.ir.attributes import array_values
from weft.ir.enums import RMWOp


class BufferOperands:
    """The operands of an operation by name; None if they are absent."""

    def __init__(self, op: Operation, *names: str) -> None:
        self._indices = {
            name: None if getattr(op, name) is None else operand_index(op, name) for name in names
        }

    def __call__(self, values: Sequence[Value], name: str) -> Value | None:
        """Select the value of an operand, None if it is absent."""
        index = self._indices[name]
        return None if index is None else values[index]


def buffer_addresses(
    values: Sequence[Value], operands: BufferOperands, rank: int, element: Attribute
) -> Number:
    """Compute the addresses: the base of each instance advanced by its offsets."""
    base, offsets = dense(operands(values, "ptr")), operands(values, "offsets")  # pyright: ignore
    size = dtype_of(element).itemsize
    return advance(base.reshape(-1, *(1,) * rank), offsets, size)  # pyright: ignore


@effect(amdg.BufferLoadOp)
def load(op: Operation) -> Evaluate:
    """Load a tile; inactive elements are `other`, or zero."""
    element = pointee(op.operands[0].type)
    read, shape = make_load(op, element), types.shape(op.results[0].type)
    operands = BufferOperands(op, "ptr", "offsets", "mask", "other")

    def run(batch: Batch, *values: Value) -> np.ndarray:
        pointer = buffer_addresses(values, operands, len(shape), element)
        mask, other = operands(values, "mask"), operands(values, "other")
        return read(batch, pointer, mask, other, shape)

    return run


@effect(amdg.BufferStoreOp)
def store(op: Operation) -> Evaluate:
    """Store the active elements of a tile."""
    element, shape = pointee(op.operands[1].type), types.shape(op.operands[0].type)
    write, operands = make_store(op, element), BufferOperands(op, "ptr", "offsets", "mask")

    def run(batch: Batch, *values: Value) -> None:
        pointer = buffer_addresses(values, operands, len(shape), element)
        write(batch, pointer, values[0], operands(values, "mask"), shape)

    return run


@effect(amdg.BufferAtomicRMWOp)
def atomic_rmw(op: Operation) -> Evaluate:
    """Read, combine and write back; the result of inactive lanes is 0."""
    element, shape = pointee(op.operands[0].type), types.shape(op.results[0].type)
    wants_old = any(True for _ in op.results[0].uses)
    kind = RMWOp.of(op.properties["atomic_rmw_op"])
    combine = make_read_modify_write(op, element, kind, wants_old=wants_old)
    operands = BufferOperands(op, "ptr", "offsets", "value", "mask")

    def run(batch: Batch, *values: Value) -> np.ndarray:
        pointer = buffer_addresses(values, operands, len(shape), element)
        mask, value = operands(values, "mask"), operands(values, "value")
        return combine(batch, pointer, value, mask, shape)  # pyright: ignore[reportArgumentType]

    return run


@effect(amdg.BufferAtomicCASOp)
def atomic_cas(op: Operation) -> Evaluate:
    """Write where memory has the expected bits; return the old bits."""
    element, shape = pointee(op.operands[0].type), types.shape(op.results[0].type)
    exchange = make_compare_and_swap(op, element)
    operands = BufferOperands(op, "ptr", "offsets")

    def run(batch: Batch, *values: Value) -> np.ndarray:
        pointer = buffer_addresses(values, operands, len(shape), element)
        return exchange(batch, pointer, values[2], values[3])

    return run


@pure(amdg.InThreadTransposeOp)
def in_thread_transpose(op: Operation) -> Evaluate:
    """Keep the value: a layout only says which register holds an element."""
    return lambda a: a


@pure(amdg.ExtractSliceOp)
def extract_slice(op: Operation) -> Evaluate:
    """Select a part of a tensor."""
    whole, part = (types.shape(value.type) for value in (op.operands[0], op.results[0]))
    offsets = array_values(op.properties["static_offsets"])
    index = tuple(slice(at, at + size) for at, size in zip(offsets, part, strict=True))
    return lambda a: full(a, whole)[(slice(None), *index)]


@pure(amdg.ConcatOp)
def concat(op: Operation) -> Evaluate:
    """Put tensors next to each other as tiles, in row-major order."""
    whole, tile = (types.shape(value.type) for value in (op.results[0], op.operands[0]))
    counts = tuple(size // part for size, part in zip(whole, tile, strict=True))

    def run(*tiles: Value) -> np.ndarray:
        count = max(leading(value) for value in tiles)
        result = np.empty((count, *whole), dense(tiles[0]).dtype)
        for at, value in zip(np.ndindex(*counts), tiles, strict=True):
            start = (n * size for n, size in zip(at, tile, strict=True))
            index = tuple(slice(n, n + size) for n, size in zip(start, tile, strict=True))
            result[(slice(None), *index)] = dense(value)
        return result

    return run
