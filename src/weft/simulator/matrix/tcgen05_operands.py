"""Read the operands of tcgen05.mma and write its accumulators.

Row r of an accumulator of 128 rows is in row r of tensor memory; of 64 rows in row
r % 16 + 32 · (r / 16); each relative to the row of its address. A and B are tiles in shared memory,
which matrix descriptors describe. In a pair of blocks, each block holds its rows of A and D and
half of the columns of B.
Source: PTX ISA 9.0, tcgen05.mma, matrix and data movement layouts.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from weft.simulator.block import Block
from weft.simulator.matrix.fp4 import unpack_fp4
from weft.simulator.matrix.fragments import to_tf32
from weft.simulator.matrix.shared_tiles import read_tile
from weft.simulator.matrix.tcgen05_descriptor import FP4, MmaShape
from weft.simulator.matrix.tensor_memory_state import TensorMemory

__all__ = [
    "K_BYTES",
    "NUMPY_TYPES",
    "accumulate",
    "accumulator_words",
    "read_b",
    "read_operand",
    "tmem_columns",
    "tmem_rows",
]

K_BYTES = 32  # bytes of a row of A that an instruction reads
_HALF = 64  # rows of an accumulator in each block of a pair
NUMPY_TYPES = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
}


def tmem_rows(address: int, rows: int) -> np.ndarray:
    """Compute the rows of tensor memory that hold the rows of a tile."""
    row = np.arange(rows)
    return (address >> 16) + (row if rows == 128 else row % 16 + 32 * (row // 16))


def tmem_columns(address: int, count: int) -> np.ndarray:
    """Compute a number of columns of tensor memory from an address on."""
    return (address & 0xFFFF) + np.arange(count)


def accumulator_words(address: int, m: int, n: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute rows and columns of tensor memory that hold an accumulator of m x n in a block.

    Of 64 rows in each block of a pair, the right half of the columns is below the left half.
    """
    if blocks == 1 or m != _HALF:
        return tmem_rows(address, m)[:, None], tmem_columns(address, n)[None]
    row, column = np.arange(m)[:, None], np.arange(n)[None]
    is_right = column // (n // 2)
    rows = (address >> 16) + row + _HALF * is_right
    return rows, (address & 0xFFFF) + column % (n // 2) + 0 * row


def _unpack_padded_fp4(raw: np.ndarray) -> np.ndarray:
    """Convert fp4 elements that occupy the first 8 of each 16 bytes."""
    return unpack_fp4(raw.reshape(*raw.shape[:-1], -1, 16)[..., :8]).reshape(raw.shape)


def read_operand(
    block: Block, descriptor: int, rows: int, type_: str, *, mn_major: bool, is_dense: bool
) -> np.ndarray:
    """Read an operand [row, k] in shared memory.

    Args:
        block: The block.
        descriptor: Its matrix descriptor.
        rows: Rows of A, or columns of B.
        type_: Element type.
        mn_major: Whether the tile is MN-major.
        is_dense: Whether fp4 elements are packed without padding.
    """
    if type_ != FP4:
        dtype = NUMPY_TYPES[type_]
        depth = K_BYTES // dtype.itemsize
        values = read_tile(block.shared, descriptor, rows, depth, dtype, mn_major=mn_major)
        return to_tf32(values) if type_ == "tf32" else values
    raw = read_tile(block.shared, descriptor, rows, K_BYTES, np.dtype(np.uint8), mn_major=mn_major)
    if is_dense:
        return unpack_fp4(raw)
    return _unpack_padded_fp4(raw.T).T if mn_major else _unpack_padded_fp4(raw)


def read_b(
    pair: list[tuple[Block, int]], descriptor: int, shape: MmaShape, *, is_dense: bool
) -> np.ndarray:
    """Read B [column, k], of which each block holds a part of the columns."""
    parts = [
        read_operand(
            each,
            descriptor,
            shape.n_per_block,
            shape.b_type,
            mn_major=shape.b_mn_major,
            is_dense=is_dense,
        )
        for each, _ in pair
    ]
    return np.concatenate(parts).astype(np.float64)


def accumulate(
    memory: TensorMemory,
    words: tuple[np.ndarray, np.ndarray],
    product: np.ndarray,
    dtype: np.dtype,
    *,
    accumulates: bool,
) -> None:
    """Add a product to accumulators, or replace them; f16 uses the low half of each word."""
    raw = np.ascontiguousarray(memory.read(*words))
    if dtype.itemsize == 2:
        old = raw.view(np.float16)[:, ::2].astype(np.float64)
        new = (product + (old if accumulates else 0)).astype(np.float16)
        memory.write(*words, new.view(np.uint16).astype(np.uint32))
        return
    old = raw.view(np.float32).astype(np.float64)
    new = (product + (old if accumulates else 0)).astype(np.float32)
    memory.write(*words, new.view(np.uint32))
