"""Matrix instructions of a warp: gather fragments from the lanes, multiply, scatter the result.

A fragment is the part of an operand that a lane holds. A `Shape` gives the position of each element
of each lane: (row, k) in A, (column, k) in B, (row, column) in D.

    mma.sync m16n8      A: element n of lane l is in row l / 4 + 8·(n / e % 2), with e elements in a
                        register, and at k = 4·e·(n / (2·e)) + e·(l % 4) + n % e
    mfma 32x32          D: element r of lane l is in row 8·(r / 4) + 4·(l / 32) + r % 4, column
                        l % 32

Products are summed in f64, or in integers, and rounded once: more precise than any chip.
Sources: PTX ISA 9.0, fragments of mma; AMD's instruction set references; AMD results as Triton
3.7.1 lays them out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import ml_dtypes
import numpy as np

__all__ = [
    "DTYPES",
    "Shape",
    "mfma_shape",
    "mma_shape",
    "multiply",
    "multiply_4x4_blocks",
    "to_tf32",
    "wmma_shape",
]

DTYPES: dict[str, np.dtype] = {
    name: np.dtype(kind)
    for name, kind in {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "tf32": np.float32,
        "f32": np.float32,
        "f64": np.float64,
        "s8": np.int8,
        "i8": np.int8,
        "s32": np.int32,
        "i32": np.int32,
        "e4m3": ml_dtypes.float8_e4m3fn,
        "e5m2": ml_dtypes.float8_e5m2,
    }.items()
}
"""Element type in an instruction's name → numpy type."""

Index: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Computes an index from arrays of lanes and of elements."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Positions of the elements of all lanes.

    Attributes:
        m: Rows of the tile.
        n: Columns of the tile.
        k: Depth of the tile.
        a: [lane, element, (row, k)] of A.
        b: [lane, element, (column, k)] of B.
        d: [lane, element, (row, column)] of D.
    """

    m: int
    n: int
    k: int
    a: np.ndarray
    b: np.ndarray
    d: np.ndarray


def _positions(lanes: int, count: int, first: Index, second: Index) -> np.ndarray:
    """Evaluate two index functions on all lanes and elements: [lane, element, 2]."""
    lane, element = np.meshgrid(np.arange(lanes), np.arange(count), indexing="ij")
    return np.stack([first(lane, element), second(lane, element)], axis=-1)


def mma_shape(m: int, k: int, bits: int) -> Shape:
    """Compute the shape of mma.sync m8n8 or m16n8 with operands of a number of bits.

    The registers of a lane, or its f64 values, are in one row of A or alternate between two rows, 8
    apart.
    """
    e = max(1, 32 // bits)  # elements of a register
    rows = m // 8
    registers = k // (4 * e)
    a = _positions(
        32,
        rows * registers * e,
        lambda lane, n: lane // 4 + 8 * (n // e % rows),
        lambda lane, n: 4 * e * (n // e // rows) + e * (lane % 4) + n % e,
    )
    b = _positions(
        32,
        registers * e,
        lambda lane, n: lane // 4,
        lambda lane, n: 4 * e * (n // e) + e * (lane % 4) + n % e,
    )
    d = _positions(
        32,
        2 * rows,
        lambda lane, n: lane // 4 + 8 * (n // 2),
        lambda lane, n: 2 * (lane % 4) + n % 2,
    )
    return Shape(m, 8, k, a, b, d)


def mfma_shape(m: int, n: int, k: int, *, is_f64: bool) -> Shape:
    """Compute the shape of an MFMA of one block.

    Args:
        m: Rows.
        n: Columns.
        k: Depth.
        is_f64: Whether the result has 64-bit elements, which are not grouped by four rows.
    """
    count = m * k // 64
    a = _positions(64, count, lambda lane, e: lane % m, lambda lane, e: lane // m * count + e)
    b = _positions(64, count, lambda lane, e: lane % n, lambda lane, e: lane // n * count + e)
    run = 1 if is_f64 else 4
    groups = 64 // n
    d = _positions(
        64,
        m * n // 64,
        lambda lane, r: r // run * run * groups + lane // n * run + r % run,
        lambda lane, r: lane % n,
    )
    return Shape(m, n, k, a, b, d)


def wmma_shape(k: int, elements: int) -> Shape:
    """Compute the shape of a 16x16 WMMA.

    Args:
        k: Depth.
        elements: Elements of an operand in a lane; if there are k, both halves of the wavefront
            hold the whole operand (RDNA 3).
    """
    is_replicated = elements == k

    def depth(lane: np.ndarray, e: np.ndarray) -> np.ndarray:
        return e if is_replicated else lane // 16 * elements + e

    operand = _positions(32, elements, lambda lane, e: lane % 16, depth)
    d = _positions(
        32,
        8,
        lambda lane, r: 2 * r + lane // 16 if is_replicated else 8 * (lane // 16) + r,
        lambda lane, r: lane % 16,
    )
    return Shape(16, 16, k, operand, operand, d)


def multiply(
    shape: Shape, a: np.ndarray, b: np.ndarray, c: np.ndarray, *, saturates: bool = False
) -> np.ndarray:
    """Compute D = A B + C.

    Args:
        shape: Positions of the elements.
        a: [thread, element] of whole warps.
        b: [thread, element].
        c: [thread, element].
        saturates: Whether integers out of the range of D become its limits; otherwise they wrap.

    Returns:
        D: [thread, element], in the type of C.
    """
    lanes = shape.a.shape[0]
    dtype = np.int64 if c.dtype.kind == "i" else np.float64
    left = _gather(a, shape.a, lanes, (shape.m, shape.k), dtype)
    right = _gather(b, shape.b, lanes, (shape.n, shape.k), dtype)
    product = left @ right.transpose(0, 2, 1)
    rows, columns = shape.d[..., 0], shape.d[..., 1]
    fragments = product[:, rows, columns].reshape(c.shape)
    total = fragments + c.astype(dtype)
    if saturates:
        limits = np.iinfo(c.dtype)
        total = np.clip(total, limits.min, limits.max)
    return total.astype(c.dtype)


def multiply_4x4_blocks(
    k: int, log2_broadcast: int, block: int, a: np.ndarray, b: np.ndarray, c: np.ndarray
) -> np.ndarray:
    """Compute D = A B + C of the 16 blocks of 4x4 of an MFMA; lane l belongs to block l / 4.

    Args:
        k: Depth.
        log2_broadcast: log2 of the number of adjacent blocks that share one block of A (cbsz).
        block: Number of the block that they share (abid).
        a: [thread, k].
        b: [thread, k].
        c: [thread, row].
    """
    dtype = np.int64 if c.dtype.kind == "i" else np.float64
    left, right = (each.reshape(-1, 16, 4, k).astype(dtype) for each in (a, b))
    sources = np.arange(16) >> log2_broadcast << log2_broadcast | block
    product = np.einsum("wbik,wbjk->wbji", left[:, sources], right).reshape(c.shape)
    return (product + c.astype(dtype)).astype(c.dtype)


def _gather(
    values: np.ndarray, positions: np.ndarray, lanes: int, sizes: tuple[int, int], dtype: type
) -> np.ndarray:
    """Assemble the matrix of each warp from its fragments."""
    matrices = np.zeros((len(values) // lanes, *sizes), dtype)
    fragments = values.reshape(-1, *positions.shape[:2]).astype(dtype)
    matrices[:, positions[..., 0], positions[..., 1]] = fragments
    return matrices


def to_tf32(values: np.ndarray) -> np.ndarray:
    """Truncate f32 as tensor cores do: they ignore the low 13 bits of the fraction."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
