"""AMD: copies between global memory and LDS, by loads and by the tensor data mover (TDM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from weft.errors import LaunchError, Location
from weft.interpreter.affine_arithmetic import Number
from weft.interpreter.deferred_accesses import (
    CompleteOnce,
    read_later,
    write_later,
    write_parts_later,
)
from weft.interpreter.dtypes import unsigned
from weft.interpreter.element_access import make_load, make_store, pointee
from weft.interpreter.mbarrier import Complete
from weft.interpreter.ops.buffer_access import BufferOperands, buffer_addresses
from weft.interpreter.ops.memory_descriptors import buffer_of, operand_index
from weft.interpreter.ops.tensor_descriptors import (
    Tile,
    make_row_load,
    make_tile_load,
    reshape_to_tile,
)
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Bundle, Value, dense
from weft.ir import amdg, locations, types
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts.plans.gather_rows import GATHER_ROWS, divide_rows

_TOKEN = np.zeros((1,), np.bool_)


@effect(amdg.BufferLoadToLocalOp)
def buffer_load_to_local(op: Operation) -> Evaluate:
    """Start a copy into a buffer; inactive elements are `other`, or zero."""
    assert isinstance(op, amdg.BufferLoadToLocalOp)
    element = pointee(op.ptr.type)
    read, shape = make_load(op, element), types.shape(op.offsets.type)
    operands = BufferOperands(op, "dest", "ptr", "offsets", "mask", "other")

    def run(batch: Batch, *values: Value) -> np.ndarray:
        pointer = buffer_addresses(values, operands, len(shape), element)
        mask, other = operands(values, "mask"), operands(values, "other")
        condition = None if mask is None else dense(mask)
        filler = None if other is None else dense(other)
        buffer = operands(values, "dest")
        assert isinstance(buffer, np.ndarray)
        batch.async_operations.copy(buffer, read(batch, pointer, condition, filler, shape))
        return _TOKEN

    return run


@effect(amdg.AsyncCopyLocalToGlobalOp)
def copy_local_to_global(op: Operation) -> Evaluate:
    """Start a copy of a buffer to pointers, which reads the buffer when it is waited for."""
    assert isinstance(op, amdg.AsyncCopyLocalToGlobalOp)
    write, shape = make_store(op, pointee(op.dst.type)), types.shape(op.dst.type)

    def run(
        batch: Batch, buffer: np.ndarray, pointer: Number, mask: Value | None = None
    ) -> np.ndarray:
        condition, read = None if mask is None else dense(mask), read_later(buffer)
        batch.async_operations.start_copy(lambda: write(batch, pointer, read(), condition, shape))
        return _TOKEN

    return run


@effect(amdg.AsyncWaitOp)
def wait_for_instructions(op: Operation) -> Evaluate:
    """Wait until no copies are pending.

    Raises:
        LaunchError: The wait leaves instructions pending, which only hardware has.
    """
    if int_of(op, "num_inst"):
        raise LaunchError(
            "the interpreter does not count the instructions of a copy",
            location=locations.position(op.location),
            found=f"amdg.async_wait of {int_of(op, 'num_inst')} instructions",
            hint="run the module as it is before tritonamdgpu-update-async-wait-count",
        )

    def run(batch: Batch, *_: Value) -> np.ndarray:
        batch.async_operations.wait_for_copies()
        return _TOKEN

    return run


# --------------------------------------------------------------------------------------- TDM
def _make_start(
    op: Operation, barrier: SSAValue | None
) -> Callable[[Batch, Sequence[Value], Sequence[Complete]], None]:
    """Make f(batch, values, instructions), which starts a TDM copy.

    A wait for pending copies completes it, or one for the phase of its mbarrier. Each instruction
    of each wave arrives on the mbarrier.

    Args:
        op: The copy.
        barrier: Its operand `barrier`, None if it has none.
    """
    index = None if barrier is None else operand_index(op, "barrier")
    waves, location = lookup_num_warps(op), locations.position(op.location)

    def start(batch: Batch, values: Sequence[Value], instructions: Sequence[Complete]) -> None:
        state = batch.async_operations
        if index is None:
            state.start_tensor_copy(instructions)
            return
        mbarrier = state.mbarrier(dense(values[index]), location)

        def arriving(complete: Complete) -> CompleteOnce:
            def complete_and_arrive() -> None:
                complete()
                mbarrier.arrive(waves, location)

            return CompleteOnce(complete_and_arrive)

        copies = [arriving(complete) for complete in instructions]
        mbarrier.copies.extend(copies)
        state.start_tensor_copy(copies)

    return start


def _rows_of_instructions(indices: SSAValue) -> list[list[int]]:
    """List the rows that each instruction of a gather or scatter copies, in all waves.

    The layout of the indices says which rows a wave can copy together.
    """
    (count,), encoding = types.shape(indices.type), types.encoding(indices.type)
    most = GATHER_ROWS[types.bit_width(types.element(indices.type))]
    if encoding is None:
        return [list(range(first, min(first + most, count))) for first in range(0, count, most)]
    rows = divide_rows(encoding.linear((count,)), most)
    return [rows.of_instruction(number) for number in range(len(rows.starts))]


def _row_numbers(x: Value) -> np.ndarray:
    """Read row indices as the hardware does, without a sign."""
    rows = dense(x)
    return rows.view(unsigned(rows.dtype))


@effect(amdg.AsyncTDMCopyGlobalToLocalOp)
def tdm_load(op: Operation) -> Evaluate:
    """Start a copy of a tile into a buffer, if the predicate is not 0."""
    assert isinstance(op, amdg.AsyncTDMCopyGlobalToLocalOp)
    read = make_tile_load(op, Tile(op.desc.type), buffer_of(op.result)[0])
    start, count = _make_start(op, op.barrier), len(op.indices)
    result, predicate = operand_index(op, "result"), operand_index(op, "pred")

    def run(batch: Batch, block: Bundle, *values: np.ndarray) -> np.ndarray:
        if not dense(values[predicate - 1]).all():
            return _TOKEN
        data = read(batch, block, [dense(value) for value in values[:count]])
        start(batch, (block, *values), [write_later(dense(values[result - 1]), data)])
        return _TOKEN

    return run


@effect(amdg.AsyncTDMGatherOp)
def tdm_gather(op: Operation) -> Evaluate:
    """Start a copy of the rows x from one column on into a buffer."""
    assert isinstance(op, amdg.AsyncTDMGatherOp)
    read = make_row_load(op, Tile(op.desc.type), types.shape(op.src_row_indices.type)[0])
    start, parts = _make_start(op, op.barrier), _rows_of_instructions(op.src_row_indices)

    def run(
        batch: Batch, block: Bundle, x: Value, y: np.ndarray, buffer: np.ndarray, *rest: Value
    ) -> np.ndarray:
        data = read(batch, block, _row_numbers(x), y)
        instructions = write_parts_later(buffer, data, parts)
        start(batch, (block, x, y, buffer, *rest), instructions)
        return _TOKEN

    return run


@effect(amdg.AsyncTDMCopyLocalToGlobalOp)
def tdm_store(op: Operation) -> Evaluate:
    """Start a copy of a buffer to a tile, which reads the buffer when it is waited for."""
    assert isinstance(op, amdg.AsyncTDMCopyLocalToGlobalOp)
    tile, (shape, _), count = Tile(op.desc.type), buffer_of(op.src), len(op.indices)
    write, start = make_store(op, tile.element), _make_start(op, op.barrier)
    source = operand_index(op, "src")

    def run(batch: Batch, block: Bundle, *values: np.ndarray) -> None:
        addresses, mask = tile.at(block, [dense(value) for value in values[:count]])
        read = read_later(dense(values[source - 1]))

        def complete() -> None:
            write(batch, addresses, reshape_to_tile(read(), tile, shape), mask, tile.shape)

        start(batch, (block, *values), [complete])

    return run


@effect(amdg.AsyncTDMScatterOp)
def tdm_scatter(op: Operation) -> Evaluate:
    """Start a copy of a buffer to the rows x from one column on."""
    assert isinstance(op, amdg.AsyncTDMScatterOp)
    tile, count = Tile(op.desc.type), types.shape(op.dst_row_indices.type)[0]
    write, start = make_store(op, tile.element), _make_start(op, op.barrier)
    parts = [
        np.isin(np.arange(count), rows)[:, None]
        for rows in _rows_of_instructions(op.dst_row_indices)
    ]

    def run(
        batch: Batch, block: Bundle, x: Value, y: np.ndarray, buffer: np.ndarray, *rest: Value
    ) -> np.ndarray:
        addresses, mask, shape = tile.rows(block, _row_numbers(x), y, count)
        read = read_later(buffer)

        def writer(part: np.ndarray) -> Complete:
            return lambda: write(batch, addresses, read(), mask & part, shape)

        start(batch, (block, x, y, buffer, *rest), [writer(part) for part in parts])
        return _TOKEN

    return run


@effect(amdg.AsyncTDMWaitOp)
def wait_for_tensor_copies(op: Operation) -> Evaluate:
    """Wait until at most `num` copies are pending; with tokens for all, whatever `num` is."""
    pending = 0 if op.operands else int_of(op, "num")

    def run(batch: Batch, *_: Value) -> np.ndarray:
        batch.async_operations.wait_for_tensor_copies(pending)
        return _TOKEN

    return run


@effect(amdg.AsyncTDMIntrinsicWaitOp)
def wait_for_tensor_instructions(op: Operation) -> Evaluate:
    """Wait until at most `count` instructions of each wave are pending."""
    pending = int_of(op, "count")

    def run(batch: Batch, *_: Value) -> np.ndarray:
        batch.async_operations.wait_for_tensor_instructions(pending)
        return _TOKEN

    return run


@effect(amdg.TDMPrefetchOp)
def prefetch(op: Operation) -> Evaluate:
    """Do nothing: there is no cache.

    Raises:
        LaunchError: The operation returns offsets, which only hardware has.
    """
    location: Location | None = locations.position(op.location)
    if op.results:
        raise LaunchError("the interpreter has no offsets of a prefetch", location=location)
    return lambda batch, *_: None
