"""TMA: copies of tiles between global and shared memory through descriptors."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import Attribute, Operation

from weft.errors import LaunchError
from weft.interpreter.deferred_accesses import read_later
from weft.interpreter.dtypes import dtype_of
from weft.interpreter.element_access import make_store
from weft.interpreter.ops.memory_descriptors import buffer_of, operand_index
from weft.interpreter.ops.tensor_descriptors import (
    Tile,
    make_combine,
    make_row_load,
    make_tile_load,
    reshape_to_tile,
)
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import PADS_WITH_NAN, Bundle, Value, dense
from weft.ir import locations, ttg, ttng, types
from weft.ir.module_attributes import lookup_num_ctas

_NAN_FILL = 1  # fill_mode of a descriptor


def _bytes_of_cta(op: Operation, memory: Attribute) -> int:
    """Compute the bytes of the part of a buffer that one CTA copies."""
    assert isinstance(memory, ttg.MemDescType)
    parts = 1
    if lookup_num_ctas(op) > 1 and memory.encoding is not None:
        blocks = memory.encoding.linear(memory.shape).images("block")
        parts = 1 << sum(bool(image) for image in blocks)  # the others hold a copy of it
    return prod(memory.shape) * types.bit_width(memory.element_type) // 8 // parts


@effect(ttng.AsyncTMACopyGlobalToLocalOp)
def load(op: Operation) -> Evaluate:
    """Start a copy of a tile into a buffer, if the predicate is true."""
    assert isinstance(op, ttng.AsyncTMACopyGlobalToLocalOp)
    read = make_tile_load(op, Tile(op.desc.type), buffer_of(op.result)[0])
    count, size = len(op.coord), _bytes_of_cta(op, op.result.type)
    barrier, result, predicate = (operand_index(op, name) for name in ("barrier", "result", "pred"))
    location = locations.position(op.location)

    def run(batch: Batch, block: Bundle, *values: Value) -> None:
        if not dense(values[predicate - 1]).all():
            return
        data = read(batch, block, [dense(value) for value in values[:count]])
        batch.async_operations.copy_with_mbarrier(
            dense(values[result - 1]), data, dense(values[barrier - 1]), size, location
        )

    return run


@effect(ttng.AsyncTMAGatherOp)
def gather(op: Operation) -> Evaluate:
    """Start a copy of the rows x from one column on, if the predicate is true."""
    assert isinstance(op, ttng.AsyncTMAGatherOp)
    read = make_row_load(op, Tile(op.desc.type), types.shape(op.x_offsets.type)[0])
    size, location = _bytes_of_cta(op, op.result.type), locations.position(op.location)

    def run(
        batch: Batch,
        block: Bundle,
        x: Value,
        y: np.ndarray,
        barrier: np.ndarray,
        buffer: np.ndarray,
        predicate: np.ndarray,
    ) -> None:
        if not dense(predicate).all():
            return
        data = read(batch, block, x, y)
        batch.async_operations.copy_with_mbarrier(buffer, data, barrier, size, location)

    return run


@effect(ttng.AsyncTMACopyLocalToGlobalOp)
def store(op: Operation) -> Evaluate:
    """Start a copy of a buffer to a tile."""
    assert isinstance(op, ttng.AsyncTMACopyLocalToGlobalOp)
    tile, shape = Tile(op.desc.type), buffer_of(op.src)[0]
    write = make_store(op, tile.element)

    def run(batch: Batch, block: Bundle, *values: Value) -> None:
        *indices, buffer = (dense(value) for value in values)
        addresses, mask = tile.at(block, indices)
        read = read_later(buffer)

        def complete() -> None:
            write(batch, addresses, reshape_to_tile(read(), tile, shape), mask, tile.shape)

        batch.async_operations.start_store(complete)

    return run


@effect(ttng.AsyncTMAReduceOp)
def reduce(op: Operation) -> Evaluate:
    """Start the combination of a buffer with a tile."""
    assert isinstance(op, ttng.AsyncTMAReduceOp)
    tile, shape = Tile(op.desc.type), buffer_of(op.src)[0]
    combine = make_combine(op, tile)

    def run(batch: Batch, block: Bundle, *values: Value) -> None:
        *indices, buffer = (dense(value) for value in values)
        addresses, mask = tile.at(block, indices)
        read = read_later(buffer)

        def complete() -> None:
            data = reshape_to_tile(read(), tile, shape)
            combine(batch, addresses, data, mask, tile.shape)

        batch.async_operations.start_store(complete)

    return run


@effect(ttng.AsyncTMAScatterOp)
def scatter(op: Operation) -> Evaluate:
    """Start a copy of a buffer to the rows x from one column on."""
    assert isinstance(op, ttng.AsyncTMAScatterOp)
    tile, count = Tile(op.desc.type), types.shape(op.x_offsets.type)[0]
    write = make_store(op, tile.element)

    def run(batch: Batch, block: Bundle, x: Value, y: np.ndarray, buffer: np.ndarray) -> None:
        addresses, mask, shape = tile.rows(block, x, y, count)
        read = read_later(buffer)
        batch.async_operations.start_store(lambda: write(batch, addresses, read(), mask, shape))

    return run


@effect(ttng.TMAStoreWaitOp)
def wait_for_stores(op: Operation) -> Evaluate:
    """Wait until at most `pendings` copies to global memory read their buffers."""
    pending = int_of(op, "pendings")
    return lambda batch: batch.async_operations.wait_for_stores(pending)


@effect(ttg.GlobalScratchAllocOp)
def allocate_scratch(op: Operation) -> Evaluate:
    """Allocate global memory."""
    size = int_of(op, "nbytes")

    def run(batch: Batch) -> np.ndarray:
        memory = batch.launch.memory
        return np.array([memory.add("global scratch memory", np.zeros(size, np.int8))])

    return run


@effect(ttng.TensormapCreateOp)
def create_descriptor(op: Operation) -> Evaluate:
    """Write a descriptor; its dimensions are listed from the innermost to the outermost one."""
    assert isinstance(op, ttng.TensormapCreateOp)
    rank = len(op.box_dim)
    flags = np.array([PADS_WITH_NAN * (int_of(op, "fill_mode") == _NAN_FILL)])

    def run(batch: Batch, pointer: np.ndarray, base: np.ndarray, *values: Value) -> None:
        sizes = tuple(reversed(values[rank : 2 * rank]))
        strides = tuple(reversed(values[2 * rank : 3 * rank - 1]))  # in bytes, without the last
        batch.async_operations.descriptors[int(dense(pointer).item())] = Bundle(
            (base, flags, *sizes, *strides)
        )

    return run


@effect(ttng.ReinterpretTensorDescOp)
def reinterpret(op: Operation) -> Evaluate:
    """Read a descriptor from memory."""
    tile = Tile(op.results[0].type)
    size, location = dtype_of(tile.element).itemsize, locations.position(op.location)

    def run(batch: Batch, pointer: np.ndarray) -> Bundle:
        descriptor = batch.async_operations.descriptors.get(int(dense(pointer).item()))
        if descriptor is None:
            raise LaunchError("there is no TMA descriptor at this address", location=location)
        base, flags, *rest = descriptor
        sizes, strides = rest[: tile.rank], rest[tile.rank :]
        last = np.ones(1, np.int64)
        return Bundle((base, flags, *sizes, *(stride // size for stride in strides), last))

    return run


@effect(ttng.TensormapFenceproxyAcquireOp)
def fence(op: Operation) -> Evaluate:
    """Do nothing: descriptors are visible at once."""
    return lambda batch, *_: None
