"""Prefix scans: a running sum over a vector in one pass, and a linear recurrence along rows.

Each element of a scan needs all that come before it, and yet it can be made in parallel, because
the operation is associative. Inside of a tile the language does it (`tl.cumsum`, and for any other
operation `tl.associative_scan`); between tiles there are two ways, one for each kernel here.

**Looking back** (`prefix_sum`). A program scans its tile, then needs the sum of all tiles before.
It publishes its tile's own sum at once, and walks back over its predecessors, adding the sums
that it meets, until it meets one that already knows everything before itself:

    tile             0          1          2          3          4
    published    everything  everything   own sum    own sum     ?
                     10         17          4          2         ▲ 4 walks: 2, then 4, then 17: 23

The vector is read once and written once. A sum and what is known of it must be seen together, so
both are in one 64-bit word, written by one atomic: what is known above, the bits of the f32 below.
Tiles are numbered by a ticket rather than by program id: a program then waits only for a program
that has begun, and so will end, in whatever order the GPU starts them.

**Carrying** (`recurrence`). h[t] = a[t]·h[t−1] + b[t] maps one h to the next. Two such maps, one
after the other, are again one, (a₂·a₁, a₂·b₁ + b₂): associative, though it does not commute. A
program walks along its rows tile by tile and carries the last h into the next tile.

Run it: `weft run examples/prefix_scan.py`, or `python examples/prefix_scan.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def publish(word_ptr, known: tl.constexpr, value):
    """Write what is known and an f32 as one word; all that was written before is seen before it."""
    bits = value.to(tl.uint32, bitcast=True).to(tl.int64)
    tl.atomic_xchg(word_ptr, bits | (known << 32), sem="release")


@weft.jit
def prefix_sum(x_ptr, out_ptr, words_ptr, ticket_ptr, length, BLOCK: tl.constexpr):
    """Write the running sum of BLOCK elements per program.

    x, out: (length,); sums are made in f32, and grouped as the programs happen to meet.
    words: (tiles,) i64 and ticket: (1,) i32, all 0 at the start.
    A word's upper half: 0 nothing is known yet, 1 the tile's own sum, 2 that of all up to it.
    """
    tile = tl.atomic_add(ticket_ptr, 1)
    index = tile * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index, mask=index < length, other=0.0).to(tl.float32)
    own = tl.sum(x, axis=0)
    publish(words_ptr + tile, 1, own)

    before = 0.0
    at = tile - 1
    while at >= 0:
        # An addition of 0 reads the word anew each time, past every cache.
        word = tl.atomic_add(words_ptr + at, 0, sem="acquire")
        known = (word >> 32).to(tl.int32)
        before += tl.where(known > 0, word.to(tl.int32).to(tl.float32, bitcast=True), 0.0)
        at = tl.where(known == 2, -1, tl.where(known == 1, at - 1, at))
    publish(words_ptr + tile, 2, before + own)
    tl.store(out_ptr + index, before + tl.cumsum(x, axis=0), mask=index < length)


@weft.jit
def after(a_first, b_first, a_second, b_second):
    """Return the map h ↦ a·h + b that is the first map followed by the second."""
    return a_second * a_first, a_second * b_first + b_second


@weft.jit
def recurrence(a_ptr, b_ptr, h_ptr, rows, length, BLOCK_M: tl.constexpr, BLOCK_T: tl.constexpr):
    """Write h[t] = a[t]·h[t−1] + b[t], h[−1] = 0, for BLOCK_M rows per program.

    a, b, h: (rows, length), packed.
    """
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    lanes = tl.arange(0, BLOCK_T)
    carried = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for first in range(0, length, BLOCK_T):
        t = first + lanes
        offset = row[:, None] * length + t[None, :]
        inside = (row[:, None] < rows) & (t[None, :] < length)
        # Outside of the rows h stays as it is: 1·h + 0.
        a = tl.load(a_ptr + offset, mask=inside, other=1.0).to(tl.float32)
        b = tl.load(b_ptr + offset, mask=inside, other=0.0).to(tl.float32)
        a, b = tl.associative_scan((a, b), 1, after)
        h = a * carried[:, None] + b
        tl.store(h_ptr + offset, h, mask=inside)
        carried = tl.sum(tl.where(lanes[None, :] == BLOCK_T - 1, h, 0.0), axis=1)


CASES = (
    (prefix_sum, "*fp32:16, *fp32:16, *i64:16, *i32:16, i32:16, 1024", {}, {}),
    (prefix_sum, "*fp16:16, *fp32:16, *i64:16, *i32:16, i32, 256", {}, {"num_warps": 1}),
    (prefix_sum, "*bf16:16, *bf16:16, *i64:16, *i32:16, i32, 2048", {}, {"num_warps": 8}),
    (recurrence, "*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, 4, 128", {}, {}),
    (recurrence, "*bf16:16, *bf16:16, *fp32:16, i32, i32, 16, 64", {}, {"num_warps": 8}),
)


def launch(x, out, block=1024):
    """Write the running sum of x, a vector, to out."""
    tiles = weft.cdiv(x.shape[0], block)
    words, ticket = np.zeros(tiles, np.int64), np.zeros(1, np.int32)
    prefix_sum[(tiles,)](x, out, words, ticket, x.shape[0], BLOCK=block)


def launch_recurrence(a, b, h, block=(4, 128)):
    """Write the recurrence along each row of a and b, of shape (rows, length), to h."""
    (rows, length), (block_m, block_t) = a.shape, block
    recurrence[(weft.cdiv(rows, block_m),)](a, b, h, rows, length, BLOCK_M=block_m, BLOCK_T=block_t)


def reference(a, b):
    """Return the recurrence as numpy computes it, step by step, in f64."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    h = np.zeros_like(b)
    for t in range(b.shape[1]):
        h[:, t] = a[:, t] * h[:, t - 1] * (t > 0) + b[:, t]
    return h


def error_of(found, expected) -> float:
    """Return the largest error as a part of the largest result; raise if it is not rounding."""
    error = np.abs(found.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 16 * float(ml_dtypes.finfo(found.dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def check(dtype, length) -> float:
    """Compare a running sum with numpy's, and return its largest error."""
    x = np.random.default_rng(0).standard_normal(length).astype(dtype)
    out = np.empty_like(x)
    launch(x, out)
    return error_of(out, x.astype(np.float64).cumsum())


def check_recurrence(dtype, rows, length) -> float:
    """Compare a recurrence with numpy's, and return its largest error."""
    rng = np.random.default_rng(0)
    a = rng.uniform(0.5, 1, (rows, length)).astype(dtype)
    b = rng.standard_normal((rows, length)).astype(dtype)
    h = np.empty_like(b)
    launch_recurrence(a, b, h)
    return error_of(h, reference(a, b))


def main() -> None:
    """Check both kernels for all types on lengths that fill no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        name = np.dtype(dtype).name
        error = check(dtype, 98_431)
        print(f"prefix_scan  {name:9} sum of 98,431 elements  largest error {error:.1e}")
        error = check_recurrence(dtype, 27, 781)
        print(f"prefix_scan  {name:9} recurrence, 27 × 781    largest error {error:.1e}")


if __name__ == "__main__":
    main()
