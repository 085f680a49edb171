"""Tensor memory: 128 rows of 512 words, and what warps load and store there.

A warp reaches 32 rows. For lane l and register j of an instruction's smallest form, the word is

    32x32b      row l                                    column j
    16x32bx2    row l % 16                               column j, for the upper lanes behind H
    16x64b      row l / 4 + 8 · (l % 2)                  column l / 2 % 2
    16x128b     row l / 4 + 8 · (j % 2)                  column l % 4
    16x256b     row l / 4 + 8 · (j / 2)                  column 2 · (l % 4) + j % 2

and repetitions follow in the columns.
Source: PTX ISA 9.0, tcgen05 data movement shapes.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.matrix.tensor_memory_state import COLUMNS, Tensor
from weft.simulator.registry import Call, assembly

__all__ = ["tensor_of"]

_LANES = 32


def tensor_of(block: Block) -> Tensor:
    """Return the tensor memory of a block."""
    if block.tensor is None:
        block.tensor = Tensor()
    return block.tensor


def _whole_warps(block: Block) -> np.ndarray:
    """Return the threads that run, whole warps.

    Raises: CodegenError: some lanes of a warp are elsewhere.
    """
    warps = block.mask.reshape(-1, _LANES)
    if (warps.any(axis=1) & ~warps.all(axis=1)).any():
        raise CodegenError("tcgen05 while some lanes of the warp are elsewhere")
    return np.flatnonzero(block.mask)


def _column_of(shape: str, lane: np.ndarray, j: np.ndarray, half: int, step: int) -> np.ndarray:
    if shape == "32x32b":
        return j * step
    if shape == "16x32bx2":
        return j * step + lane // 16 * half
    if shape == "16x64b":
        return (lane // 2 % 2 + 2 * j) * step
    if shape == "16x128b":
        return (lane % 4 + 4 * (j // 2)) * step
    return (2 * (lane % 4) + j % 2 + 8 * (j // 4)) * step


def _row_of(shape: str, lane: np.ndarray, j: np.ndarray) -> np.ndarray:
    if shape == "32x32b":
        return lane + 0 * j
    if shape == "16x32bx2":
        return lane % 16 + 0 * j
    high = {
        "16x64b": lane % 2 + 0 * j,
        "16x128b": j % 2 + 0 * lane,
        "16x256b": j // 2 % 2 + 0 * lane,
    }
    return lane // 4 + 8 * high[shape]


def _places(
    block: Block, address: np.ndarray, shape: str, count: int, half: int, step: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and warps [thread, register] of those that run.

    Raises: CodegenError: rows that the warp does not reach.
    """
    threads = _whole_warps(block)
    where = np.broadcast_to(address, block.threads)[threads][:, None].astype(np.int64)
    lane, j = (threads % _LANES)[:, None], np.arange(count)[None]
    rows = (where >> 16) + _row_of(shape, lane, j)
    columns = (where & 0xFFFF) + _column_of(shape, lane, j, half, step)
    warps = np.broadcast_to((threads // _LANES)[:, None], rows.shape)
    if (rows // _LANES != warps % 4).any():
        raise CodegenError(
            "a warp reaches 32 rows of tensor memory",
            found=f"row {int(rows.flat[0])} in warp {int(warps.flat[0])}",
        )
    return rows, columns, warps


_HALF = r"(?:, (\d+))?;"
_SHAPES = "32x32b|16x32bx2|16x64b|16x128b|16x256b"


@assembly(
    rf"tcgen05\.ld\.sync\.aligned\.({_SHAPES})\.x(\d+)"
    + r"(\.pack::16b)?\.b32 \{([^}]*)\}, \[\$\d+\]"
    + _HALF
    + r"( tcgen05\.wait::ld\.sync\.aligned;)?"
)
def _load(call: Call) -> Step:
    shape, _, paired, outs, half, _ = call.match.groups()
    count, step_ = outs.count("$"), 2 if paired else 1

    def step(block: Block) -> None:
        tensor = tensor_of(block)
        address = block.get(call.arguments[0])
        rows, columns, warps = _places(block, address, shape, count, int(half or 0), step_)
        tensor.touch(rows, columns, warps, writes=False)
        words = tensor.words[rows, columns]
        if paired:
            tensor.touch(rows, columns + 1, warps, writes=False)
            words = words & 0xFFFF | tensor.words[rows, columns + 1] << np.uint32(16)
        whole = np.zeros((block.threads, count), np.uint32)
        whole[block.mask] = words
        held = tuple(whole.view(np.int32).T)
        if count == 1:
            block.set(call.result, held[0])
        else:
            block.set_members(call.result, held)

    return step


@assembly(
    rf"(?:@\$(\d+) )?tcgen05\.st\.sync\.aligned\.({_SHAPES})\.x(\d+)"
    + r"(\.unpack::16b)?\.b32 \[\$0\](?:, (\d+))?, \{([^}]*)\};"
)
def _store(call: Call) -> Step:
    guard, shape, _, paired, half, given = call.match.groups()
    count, step_ = given.count("$"), 2 if paired else 1

    def step(block: Block) -> None:
        before = block.mask
        if guard is not None:
            holds = np.broadcast_to(block.get(call.numbered(guard)), block.threads)
            block.mask = before & holds
        if block.mask.any():
            store(block)
        block.mask = before

    def store(block: Block) -> None:
        tensor = tensor_of(block)
        address = block.get(call.arguments[0])
        rows, columns, warps = _places(block, address, shape, count, int(half or 0), step_)
        values = [
            np.broadcast_to(block.get(word), block.threads)[block.mask]
            for word in call.arguments[1 : 1 + count]
        ]
        words = np.stack(values, axis=1).astype(np.int32).view(np.uint32)
        tensor.touch(rows, columns, warps, writes=True)
        if paired:
            tensor.touch(rows, columns + 1, warps, writes=True)
            tensor.words[rows, columns + 1] = words >> np.uint32(16)
            words = words & np.uint32(0xFFFF)
        tensor.words[rows, columns] = words

    return step


@assembly(r"tcgen05\.wait::st\.sync\.aligned;")
def _stored(call: Call) -> Step:
    """Return nothing: what a thread stores is there before its next instruction."""
    return lambda block: None


@assembly(r"tcgen05\.wait::ld\.sync\.aligned;")
def _loaded(call: Call) -> Step:
    """Return a wait that passes on the registers that were loaded."""

    def step(block: Block) -> None:
        values = [np.broadcast_to(block.get(one), block.threads) for one in call.arguments]
        block.set_members(call.result, tuple(values))

    return step


@assembly(
    r"@\$0 tcgen05\.alloc\.cta_group::(?P<group>[12])\.sync\.aligned\.shared::cta\.b32"
    r" \[\$1\], (?P<columns>\d+);"
)
def _allocate(call: Call) -> Step:
    columns = int(call.match["columns"])

    def step(block: Block) -> None:
        tensor = tensor_of(block)
        tensor.group = call.match["group"]
        holds = np.broadcast_to(block.get(call.arguments[0]), block.threads) & block.mask
        if columns < _LANES or columns & (columns - 1) or columns > COLUMNS:
            raise CodegenError("tensor memory is allocated in powers of two", found=columns)
        if holds.sum() != _LANES or tensor.owned.any() or not tensor.may_allocate:
            raise CodegenError("one warp allocates tensor memory, once")
        start = COLUMNS - columns  # not where everything starts, to see that it is added
        tensor.owned[start:] = True
        first = np.zeros(block.threads, bool)
        first[np.flatnonzero(holds)[0]] = True
        address = np.broadcast_to(block.get(call.arguments[1]), block.threads)
        block.shared.store(Type("i32"), address, np.full(1, start, np.int32), first)
        if block.shared.races is not None:  # the tensor cores write the address, and no thread
            block.shared.races.fence(first)

    return step


@assembly(r"@\$0 tcgen05\.relinquish_alloc_permit\.cta_group::(?P<group>[12])\.sync\.aligned;")
def _relinquish(call: Call) -> Step:
    def step(block: Block) -> None:
        tensor_of(block).require_group(call.match["group"])
        tensor_of(block).may_allocate = False

    return step


@assembly(
    r"@\$0 tcgen05\.dealloc\.cta_group::(?P<group>[12])\.sync\.aligned\.b32 \$1, (?P<columns>\d+);"
)
def _free(call: Call) -> Step:
    columns = int(call.match["columns"])

    def step(block: Block) -> None:
        tensor = tensor_of(block)
        tensor.require_group(call.match["group"])
        start = int(np.broadcast_to(block.get(call.arguments[1]), block.threads)[block.mask][0])
        if tensor.owned.sum() != columns or not tensor.owned[start]:
            raise CodegenError("a block gives back the columns that it allocated", found=columns)
        tensor.owned[:] = False

    return step
