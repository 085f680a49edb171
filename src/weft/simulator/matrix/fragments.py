"""Matrix instructions, a warp at a time: collect the operands from the lanes, multiply, hand out.

For every lane and element of an operand there is one place (row, k), and for every lane and
element of the result one (row, column):

    mma.sync m16n8      A word w of lane l: row l / 4 + 8·(w % 2), k from 4·e·(w / 2) + e·(l % 4)
    mfma 32x32          D element r of lane l: row 8·(r / 4) + 4·(l / 32) + r % 4, column l % 32

Sums are done in f64, or in integers, and rounded once: more precise than any chip.
Sources: PTX ISA 9.0; AMD's instruction set references, as Triton 3.7.1 lays results out.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

__all__ = [
    "FORMATS",
    "Shape",
    "as_tf32",
    "blocks_multiply",
    "mfma_shape",
    "mma_shape",
    "multiply",
    "wmma_shape",
]

FORMATS: dict[str, np.dtype] = {
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


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the elements of lanes belong.

    a, b: [lane, element, (outer, k)].  d: [lane, element, (row, column)].  m, n, k: the tile.
    """

    m: int
    n: int
    k: int
    a: np.ndarray
    b: np.ndarray
    d: np.ndarray


def _places(lanes: int, count: int, outer: object, inner: object) -> np.ndarray:
    """Return [lane, element, 2] of two functions of arrays of lanes and elements."""
    lane, element = np.meshgrid(np.arange(lanes), np.arange(count), indexing="ij")
    return np.stack([outer(lane, element), inner(lane, element)], axis=-1)  # pyright: ignore


def mma_shape(m: int, k: int, bits: int) -> Shape:
    """Return mma.sync's m8n8 or m16n8, of operands of so many bits.

    A lane's words of 32 bits, or of one f64, are in one row of A, or in turns in two, 8 apart.
    """
    e = max(1, 32 // bits)
    rows = m // 8
    words = k // (4 * e)
    a = _places(
        32,
        rows * words * e,
        lambda lane, n: lane // 4 + 8 * (n // e % rows),
        lambda lane, n: 4 * e * (n // e // rows) + e * (lane % 4) + n % e,
    )
    b = _places(
        32,
        words * e,
        lambda lane, n: lane // 4,
        lambda lane, n: 4 * e * (n // e) + e * (lane % 4) + n % e,
    )
    d = _places(
        32,
        2 * rows,
        lambda lane, n: lane // 4 + 8 * (n // 2),
        lambda lane, n: 2 * (lane % 4) + n % 2,
    )
    return Shape(m, 8, k, a, b, d)


def mfma_shape(m: int, n: int, k: int, *, wide: bool) -> Shape:
    """Return an MFMA of one block.  wide: whether the result's elements have 64 bits."""
    each = m * k // 64
    a = _places(64, each, lambda l, e: l % m, lambda l, e: l // m * each + e)  # noqa: E741
    b = _places(64, each, lambda l, e: l % n, lambda l, e: l // n * each + e)  # noqa: E741
    run = 1 if wide else 4
    groups = 64 // n
    d = _places(
        64,
        m * n // 64,
        lambda lane, r: r // run * run * groups + lane // n * run + r % run,
        lambda lane, r: lane % n,
    )
    return Shape(m, n, k, a, b, d)


def wmma_shape(k: int, elements: int) -> Shape:
    """Return a WMMA of 16x16; with 16 elements along k of 16, both halves of the wave hold all."""
    copied = elements == k

    def along(lane: np.ndarray, e: np.ndarray) -> np.ndarray:
        return e if copied else lane // 16 * elements + e

    operand = _places(32, elements, lambda lane, e: lane % 16, along)
    d = _places(
        32,
        8,
        lambda lane, r: 2 * r + lane // 16 if copied else 8 * (lane // 16) + r,
        lambda lane, r: lane % 16,
    )
    return Shape(16, 16, k, operand, operand, d)


def multiply(shape: Shape, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return D = A B + C.

    Args: a, b, c: [thread, element], whole warps.  Returns: the same of D, in c's type.
    """
    lanes = shape.a.shape[0]
    wide = np.int64 if c.dtype.kind == "i" else np.float64
    left = _collected(a, shape.a, lanes, (shape.m, shape.k), wide)
    right = _collected(b, shape.b, lanes, (shape.n, shape.k), wide)
    product = left @ right.transpose(0, 2, 1)
    rows, columns = shape.d[..., 0], shape.d[..., 1]
    found = product[:, rows, columns].reshape(c.shape)
    return (found + c.astype(wide)).astype(c.dtype)


def blocks_multiply(
    k: int, spread: int, number: int, a: np.ndarray, b: np.ndarray, c: np.ndarray
) -> np.ndarray:
    """Return D of 16 products of 4x4 at once; lane l is of block l / 4.

    Args: spread: log2 of the neighbouring blocks that take A from the same block, which is
          `number` of them.  a, b: [thread, k].  c: [thread, row].
    """
    wide = np.int64 if c.dtype.kind == "i" else np.float64
    left, right = (each.reshape(-1, 16, 4, k).astype(wide) for each in (a, b))
    taken = np.arange(16) >> spread << spread | number
    found = np.einsum("wbik,wbjk->wbji", left[:, taken], right).reshape(c.shape)
    return (found + c.astype(wide)).astype(c.dtype)


def _collected(
    values: np.ndarray, places: np.ndarray, lanes: int, sizes: tuple[int, int], wide: type
) -> np.ndarray:
    whole = np.zeros((len(values) // lanes, *sizes), wide)
    whole[:, places[..., 0], places[..., 1]] = values.reshape(-1, *places.shape[:2]).astype(wide)
    return whole


def as_tf32(values: np.ndarray) -> np.ndarray:
    """Return floats as tensor cores read them: the low 13 bits of the fraction are not there."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
