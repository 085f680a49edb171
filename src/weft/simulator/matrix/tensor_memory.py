"""Tensor memory: tcgen05.ld, st, alloc and dealloc on 128 rows (lanes) of 512 32-bit words.

A warp accesses 32 rows. For lane l and register j of an instruction's smallest form, the word is

    32x32b      row l                                    column j
    16x32bx2    row l % 16                               column j, plus an offset for lanes 16 to 31
    16x64b      row l / 4 + 8 · (l % 2)                  column l / 2 % 2
    16x128b     row l / 4 + 8 · (j % 2)                  column l % 4
    16x256b     row l / 4 + 8 · (j / 2)                  column 2 · (l % 4) + j % 2

Repetitions follow in the columns.
Source: PTX ISA 9.0, tcgen05 data movement shapes.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.matrix.tensor_memory_state import COLUMNS, TensorMemory
from weft.simulator.registry import Call, assembly

__all__ = ["tensor_memory_of"]

_LANES = 32
_OPTIONAL_OFFSET = r"(?:, (\d+))?;"
_SHAPES = "32x32b|16x32bx2|16x64b|16x128b|16x256b"


def tensor_memory_of(block: Block) -> TensorMemory:
    """Find the tensor memory of a block, which the first use creates."""
    if block.tensor_memory is None:
        block.tensor_memory = TensorMemory(history=block.history)
    return block.tensor_memory


def _active_threads(block: Block) -> np.ndarray:
    """List the active threads.

    Raises:
        CodegenError: A warp has diverged.
    """
    warps = block.active.reshape(-1, _LANES)
    if (warps.any(axis=1) & ~warps.all(axis=1)).any():
        raise CodegenError("tcgen05 in a warp that has diverged")
    return np.flatnonzero(block.active)


def _columns(
    shape: str, lane: np.ndarray, register: np.ndarray, offset: int, stride: int
) -> np.ndarray:
    """Compute the column of each lane and register.

    Args:
        shape: Shape of the instruction.
        lane: [thread, 1].
        register: [1, register].
        offset: Column offset of lanes 16 to 31 (16x32bx2).
        stride: 2 if a register packs the low halves of two columns, else 1.
    """
    if shape == "32x32b":
        return register * stride
    if shape == "16x32bx2":
        return register * stride + lane // 16 * offset
    if shape == "16x64b":
        return (lane // 2 % 2 + 2 * register) * stride
    if shape == "16x128b":
        return (lane % 4 + 4 * (register // 2)) * stride
    return (2 * (lane % 4) + register % 2 + 8 * (register // 4)) * stride


def _rows(shape: str, lane: np.ndarray, register: np.ndarray) -> np.ndarray:
    """Compute the row of each lane and register, [thread, register]."""
    if shape == "32x32b":
        return lane + 0 * register
    if shape == "16x32bx2":
        return lane % 16 + 0 * register
    upper_half = {
        "16x64b": lane % 2 + 0 * register,
        "16x128b": register % 2 + 0 * lane,
        "16x256b": register // 2 % 2 + 0 * lane,
    }
    return lane // 4 + 8 * upper_half[shape]


def _words(
    block: Block, addresses: np.ndarray, shape: str, count: int, offset: int, stride: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute rows, columns and warps [thread, register] for the active threads.

    Raises:
        CodegenError: A warp accesses rows that belong to others.
    """
    threads = _active_threads(block)
    start = np.broadcast_to(addresses, block.threads)[threads][:, None].astype(np.int64)
    lane, register = (threads % _LANES)[:, None], np.arange(count)[None]
    rows = (start >> 16) + _rows(shape, lane, register)
    columns = (start & 0xFFFF) + _columns(shape, lane, register, offset, stride)
    warps = np.broadcast_to((threads // _LANES)[:, None], rows.shape)
    if (rows // _LANES != warps % 4).any():
        raise CodegenError(
            "a warp accesses rows of tensor memory outside of its 32",
            found=f"row {int(rows.flat[0])} in warp {int(warps.flat[0])}",
        )
    return rows, columns, warps


@assembly(
    rf"tcgen05\.ld\.sync\.aligned\.({_SHAPES})\.x(\d+)"
    + r"(\.pack::16b)?\.b32 \{([^}]*)\}, \[\$\d+\]"
    + _OPTIONAL_OFFSET
    + r"( tcgen05\.wait::ld\.sync\.aligned;)?"
)
def _load(call: Call) -> Step:
    shape, _, packs, registers_text, offset, _ = call.match.groups()
    count, stride = registers_text.count("$"), 2 if packs else 1

    def step(block: Block) -> None:
        memory = tensor_memory_of(block)
        addresses = block.get(call.arguments[0])
        rows, columns, warps = _words(block, addresses, shape, count, int(offset or 0), stride)
        memory.access(rows, columns, warps, writes=False)
        words = memory.words[rows, columns]
        if packs:
            memory.access(rows, columns + 1, warps, writes=False)
            words = words & 0xFFFF | memory.words[rows, columns + 1] << np.uint32(16)
        registers = np.zeros((block.threads, count), np.uint32)
        registers[block.active] = words
        block.set_registers(call.result, list(registers.view(np.int32).T))

    return step


@assembly(
    r"tcgen05\.ld\.red\.sync\.aligned\.32x32b\.x\d+\.(min|max)(\.abs)?(\.NaN)?\.f32"
    r" \{([^}]*)\}, \{\$\d+\}, \[\$\d+\];( tcgen05\.wait::ld\.sync\.aligned;)?"
)
def _load_and_reduce(call: Call) -> Step:
    """Compile a load whose last result is the extreme of the thread's words."""
    operation, absolute, propagates_nan, registers_text, _ = call.match.groups()
    count = registers_text.count("$")
    quiet, loud = {"min": (np.fmin, np.minimum), "max": (np.fmax, np.maximum)}[operation]
    reduce = (loud if propagates_nan else quiet).reduce

    def step(block: Block) -> None:
        memory = tensor_memory_of(block)
        rows, columns, warps = _words(block, block.get(call.arguments[0]), "32x32b", count, 0, 1)
        memory.access(rows, columns, warps, writes=False)
        registers = np.zeros((block.threads, count + 1), np.float32)
        values = memory.words[rows, columns].view(np.float32)
        registers[block.active, :count] = values
        registers[block.active, count] = reduce(abs(values) if absolute else values, axis=1)
        block.set_registers(call.result, list(registers.view(np.int32).T))

    return step


@assembly(
    rf"(?:@\$(\d+) )?tcgen05\.st\.sync\.aligned\.({_SHAPES})\.x(\d+)"
    + r"(\.unpack::16b)?\.b32 \[\$0\](?:, (\d+))?, \{([^}]*)\};"
)
def _store(call: Call) -> Step:
    predicate, shape, _, unpacks, offset, registers_text = call.match.groups()
    count, stride = registers_text.count("$"), 2 if unpacks else 1

    def step(block: Block) -> None:
        active = block.active
        if predicate is not None:
            block.active = active & block.per_thread(call.argument(predicate))
        if block.active.any():
            store(block)
        block.active = active

    def store(block: Block) -> None:
        memory = tensor_memory_of(block)
        addresses = block.get(call.arguments[0])
        rows, columns, warps = _words(block, addresses, shape, count, int(offset or 0), stride)
        values = [
            block.per_thread(register)[block.active] for register in call.arguments[1 : 1 + count]
        ]
        words = np.stack(values, axis=1).astype(np.int32).view(np.uint32)
        memory.access(rows, columns, warps, writes=True)
        if unpacks:
            memory.access(rows, columns + 1, warps, writes=True)
            memory.words[rows, columns + 1] = words >> np.uint32(16)
            words = words & np.uint32(0xFFFF)
        memory.words[rows, columns] = words

    return step


@assembly(r"tcgen05\.wait::st\.sync\.aligned;")
def _wait_for_stores(call: Call) -> Step:
    """Compile to nothing: stores complete at once."""
    return lambda block: None


@assembly(r"tcgen05\.wait::ld\.sync\.aligned;")
def _wait_for_loads(call: Call) -> Step:
    """Compile a wait whose results are the loaded registers, its arguments."""

    def step(block: Block) -> None:
        registers = [block.per_thread(register) for register in call.arguments]
        block.set_members(call.result, tuple(registers))

    return step


@assembly(
    r"@\$0 tcgen05\.alloc\.cta_group::(?P<group>[12])\.sync\.aligned\.shared::cta\.b32"
    r" \[\$1\], (?P<columns>\d+);"
)
def _allocate(call: Call) -> Step:
    columns = int(call.match["columns"])

    def step(block: Block) -> None:
        memory = tensor_memory_of(block)
        memory.cta_group = call.match["group"]
        executing = block.per_thread(call.arguments[0]) & block.active
        if columns < _LANES or columns & (columns - 1) or columns > COLUMNS:
            raise CodegenError(
                "tensor memory is allocated in powers of two of at least 32 columns", found=columns
            )
        if executing.sum() != _LANES or memory.allocated.any() or not memory.may_allocate:
            raise CodegenError("tensor memory must be allocated by one warp, once")
        # The allocation does not start at column 0, to notice addresses that ignore its start.
        start = COLUMNS - columns
        memory.allocated[start:] = True
        first = np.zeros(block.threads, bool)
        first[np.flatnonzero(executing)[0]] = True
        addresses = block.per_thread(call.arguments[1])
        block.shared.store(Type("i32"), addresses, np.full(1, start, np.int32), first)
        if block.shared.races is not None:
            # The async proxy writes the address: it needs no fence.
            block.shared.races.proxy_fence(first)

    return step


@assembly(r"@\$0 tcgen05\.relinquish_alloc_permit\.cta_group::(?P<group>[12])\.sync\.aligned;")
def _relinquish_permit(call: Call) -> Step:
    def step(block: Block) -> None:
        memory = tensor_memory_of(block)
        memory.check_cta_group(call.match["group"])
        memory.may_allocate = False

    return step


@assembly(
    r"@\$0 tcgen05\.dealloc\.cta_group::(?P<group>[12])\.sync\.aligned\.b32 \$1, (?P<columns>\d+);"
)
def _deallocate(call: Call) -> Step:
    columns = int(call.match["columns"])

    def step(block: Block) -> None:
        memory = tensor_memory_of(block)
        memory.check_cta_group(call.match["group"])
        start = int(block.per_thread(call.arguments[1])[block.active][0])
        if memory.allocated.sum() != columns or not memory.allocated[start]:
            raise CodegenError(
                "tensor memory is deallocated that the block did not allocate", found=columns
            )
        memory.allocated[:] = False

    return step
