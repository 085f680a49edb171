"""ldmatrix and stmatrix: eight rows of 16 bytes, held by 32 lanes in one register per matrix.

lane 8·m + r gives the address of row r of matrix m
lane l holds the 32-bit word l % 4 of row l / 4; transposed, column l / 4 of rows 2·(l % 4) + 0, 1
"""

from __future__ import annotations

import numpy as np

from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.types import Type
from weft.simulator.registry import Call, intrinsic

__all__: list[str] = []

_ROW = Type("i16", 8)
_ROW_BYTES = 16
_LANES = 32


def _row_addresses(block: Block, address: np.ndarray, matrix: int) -> np.ndarray:
    """Return for each thread the address of the row that lane 8·matrix + lane % 8 gives."""
    thread = np.arange(block.threads)
    giver = thread // _LANES * _LANES + 8 * matrix + thread % 8
    return np.broadcast_to(address, block.threads)[giver]


def _held(rows: np.ndarray, trans: bool) -> np.ndarray:
    """Return each lane's two elements of matrices [warp, row, column]."""
    lane = np.arange(_LANES)
    if trans:
        return np.stack([rows[:, 2 * (lane % 4) + n, lane // 4] for n in range(2)], axis=-1)
    return np.stack([rows[:, lane // 4, 2 * (lane % 4) + n] for n in range(2)], axis=-1)


def _load(block: Block, address: np.ndarray, count: int, trans: bool) -> tuple[np.ndarray, ...]:
    """Return one i32 per matrix for every thread."""
    found = []
    for matrix in range(count):
        block.shared.traffic.add("ldmatrix", 16, block.warps)
        places = _row_addresses(block, address, matrix)
        rows = block.shared.load(_ROW, places, block.mask, aligned=_ROW_BYTES)
        first_eight = rows.reshape(-1, _LANES, 8)[:, :8]
        pairs = np.ascontiguousarray(_held(first_eight, trans)).reshape(block.threads, 2)
        found.append(pairs.view(np.int32)[:, 0])
    return tuple(found)


def _store(block: Block, address: np.ndarray, words: tuple[np.ndarray, ...], trans: bool) -> None:
    """Write one i32 per matrix of every thread."""
    lane = np.arange(_LANES)
    for matrix, word in enumerate(words):
        block.shared.traffic.add("stmatrix", 16, block.warps)
        pairs = np.ascontiguousarray(np.broadcast_to(word, block.threads)).view(np.int16)
        pairs = pairs.reshape(-1, _LANES, 2)
        rows = np.zeros((len(pairs), 8, 8), np.int16)
        for n in range(2):
            if trans:
                rows[:, 2 * (lane % 4) + n, lane // 4] = pairs[:, :, n]
            else:
                rows[:, lane // 4, 2 * (lane % 4) + n] = pairs[:, :, n]
        whole = np.zeros((len(pairs), _LANES, 8), np.int16)
        whole[:, :8] = rows
        writers = block.mask & (np.arange(block.threads) % _LANES < 8)
        places = _row_addresses(block, address, matrix)
        values = whole.reshape(block.threads, 8)
        block.shared.store(_ROW, places, values, writers, aligned=_ROW_BYTES)


@intrinsic(r"llvm\.nvvm\.(ld|st)matrix\.sync\.aligned\.m8n8\.x(\d)(\.trans)?\.b16\.p3")
def _matrices(call: Call) -> Step:
    """Return ldmatrix or stmatrix as a step."""
    count, trans = int(call.match[2]), call.match[3] is not None
    address, *words = call.arguments

    def load(block: Block) -> None:
        found = _load(block, block.get(address), count, trans)
        if count == 1:
            block.set(call.result, found[0])
        else:
            block.set_members(call.result, found)

    def store(block: Block) -> None:
        _store(block, block.get(address), tuple(block.get(word) for word in words), trans)

    return load if call.match[1] == "ld" else store
