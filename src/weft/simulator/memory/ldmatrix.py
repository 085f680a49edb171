"""ldmatrix and stmatrix: matrices of 8 rows of 16 bytes, one register per matrix in 32 lanes.

    lane 8·m + r supplies the address of row r of matrix m
    lane l holds the 32-bit word l % 4 of row l / 4; with .trans, column l / 4 of rows
    2·(l % 4) and 2·(l % 4) + 1

Source: PTX ISA 9.0, ldmatrix and stmatrix.
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


def _row_addresses(block: Block, addresses: np.ndarray, matrix: int) -> np.ndarray:
    """Find, for each thread, the address that lane 8·matrix + lane % 8 of its warp supplies."""
    thread = np.arange(block.threads)
    source = thread // _LANES * _LANES + 8 * matrix + thread % 8
    return np.broadcast_to(addresses, block.threads)[source]


def _load(
    block: Block, addresses: np.ndarray, count: int, transposes: bool
) -> tuple[np.ndarray, ...]:
    """Load matrices; returns one i32 per matrix for every thread."""
    lane = np.arange(_LANES)
    registers = []
    for matrix in range(count):
        block.shared.traffic.add("ldmatrix", 16, block.active_warps)
        row_addresses = _row_addresses(block, addresses, matrix)
        rows = block.shared.load(_ROW, row_addresses, block.active, alignment=_ROW_BYTES)
        matrices = rows.reshape(-1, _LANES, 8)[:, :8]  # [warp, row, column]; 8 lanes load
        columns = [2 * (lane % 4) + n for n in range(2)]
        if transposes:
            pairs = np.stack([matrices[:, column, lane // 4] for column in columns], axis=-1)
        else:
            pairs = np.stack([matrices[:, lane // 4, column] for column in columns], axis=-1)
        words = np.ascontiguousarray(pairs).reshape(block.threads, 2).view(np.int32)
        registers.append(words[:, 0])
    return tuple(registers)


def _store(
    block: Block, addresses: np.ndarray, registers: tuple[np.ndarray, ...], transposes: bool
) -> None:
    """Store matrices, from one i32 per matrix of every thread."""
    lane = np.arange(_LANES)
    for matrix, register in enumerate(registers):
        block.shared.traffic.add("stmatrix", 16, block.active_warps)
        pairs = np.ascontiguousarray(np.broadcast_to(register, block.threads)).view(np.int16)
        pairs = pairs.reshape(-1, _LANES, 2)
        matrices = np.zeros((len(pairs), 8, 8), np.int16)  # [warp, row, column]
        for n in range(2):
            if transposes:
                matrices[:, 2 * (lane % 4) + n, lane // 4] = pairs[:, :, n]
            else:
                matrices[:, lane // 4, 2 * (lane % 4) + n] = pairs[:, :, n]
        rows = np.zeros((len(pairs), _LANES, 8), np.int16)
        rows[:, :8] = matrices  # 8 lanes store a row each
        mask = block.active & (np.arange(block.threads) % _LANES < 8)
        row_addresses = _row_addresses(block, addresses, matrix)
        values = rows.reshape(block.threads, 8)
        block.shared.store(_ROW, row_addresses, values, mask, alignment=_ROW_BYTES)


@intrinsic(r"llvm\.nvvm\.(ld|st)matrix\.sync\.aligned\.m8n8\.x(\d)(\.trans)?\.b16\.p3")
def _compile(call: Call) -> Step:
    """Compile ldmatrix or stmatrix."""
    count, transposes = int(call.match[2]), call.match[3] is not None
    pointer, *words = call.arguments

    def count_access(block: Block, kind: str, *, writes: bool) -> None:
        """Count the rows whose addresses the first lanes supply."""
        lanes = block.active & (np.arange(block.threads) % _LANES < 8 * count)
        addresses, bits = block.get(pointer), 32 * count
        block.count_shared(kind, _ROW_BYTES, addresses, lanes, writes=writes, bits=bits)

    def load(block: Block) -> None:
        count_access(block, "matrix load", writes=False)
        block.set_registers(call.result, _load(block, block.get(pointer), count, transposes))

    def store(block: Block) -> None:
        count_access(block, "matrix store", writes=True)
        registers = tuple(block.get(word) for word in words)
        _store(block, block.get(pointer), registers, transposes)

    return load if call.match[1] == "ld" else store
