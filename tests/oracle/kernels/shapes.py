"""Kernels that reach each rule by which tensors get their first layouts: one idea per kernel."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def transpose(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """Load a square, store it transposed."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :])
    tl.store(out_ptr + j[:, None] * rows + i[None, :], tl.trans(x))


@weft.jit
def permute_cube(x_ptr, out_ptr):
    """Permute three axes."""
    i = tl.arange(0, 4)[:, None, None]
    j = tl.arange(0, 8)[None, :, None]
    k = tl.arange(0, 16)[None, None, :]
    x = tl.load(x_ptr + i * 128 + j * 16 + k)
    y = tl.permute(x, (2, 0, 1))
    tl.store(
        out_ptr
        + tl.arange(0, 16)[:, None, None] * 32
        + tl.arange(0, 4)[None, :, None] * 8
        + tl.arange(0, 8)[None, None, :],
        y,
    )


@weft.jit
def interleave_and_split(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    """Join, reshape and split again."""
    index = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + index)
    y = tl.load(y_ptr + index)
    mixed = tl.interleave(x, y)
    even, odd = tl.split(tl.reshape(mixed, (BLOCK, 2)))
    tl.store(out_ptr + index, even - odd)
    tl.store(out_ptr + BLOCK + index, tl.join(x, y).reshape(2 * BLOCK).sum(0))


@weft.jit
def concatenate(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    """Put two vectors into one, in any order."""
    index = tl.arange(0, BLOCK)
    both = tl.cat(tl.load(x_ptr + index), tl.load(y_ptr + index), can_reorder=True)
    tl.store(out_ptr + tl.arange(0, 2 * BLOCK), both)


@weft.jit
def statistics(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Reduce over either axis, over both, and to a place and a value."""
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + i[:, None] * COLUMNS + j[None, :])
    tl.store(out_ptr + i, tl.sum(x, axis=1))
    tl.store(out_ptr + j, tl.max(x, axis=0))
    tl.store(out_ptr, tl.sum(x))
    tl.store(out_ptr + i, tl.argmax(x, axis=1).to(x.dtype))
    value, place = tl.min(x, axis=0, return_indices=True)
    tl.store(out_ptr + j, value + place)
    tl.store(out_ptr + j[None, :], tl.sum(x, axis=0, keep_dims=True))


@weft.jit
def running(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Scan along either axis, forwards and backwards."""
    offsets = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, tl.cumsum(x, axis=1))
    tl.store(out_ptr + offsets, tl.cumprod(x, axis=0, reverse=True))


@weft.jit
def pick(x_ptr, index_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Gather along the last axis, and count values."""
    offsets = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    index = tl.load(index_ptr + offsets)
    tl.store(out_ptr + offsets, tl.gather(tl.load(x_ptr + offsets), index, axis=1))
    counts = tl.histogram(tl.reshape(index, (ROWS * COLUMNS,)), COLUMNS)
    tl.store(index_ptr + tl.arange(0, COLUMNS), counts)


@weft.jit
def sort_rows(x_ptr, out_ptr, COLUMNS: tl.constexpr):
    """Sort, which is reshapes and reductions all the way."""
    column = tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + column)
    tl.store(out_ptr + column, tl.sort(x))
    tl.store(out_ptr + column, tl.flip(x, 0))


@weft.jit
def chained_dots(a_ptr, b_ptr, c_ptr, out_ptr, BLOCK: tl.constexpr):
    """Multiply three matrices; the product of the first two is an operand of the second dot."""
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    a = tl.load(a_ptr + i * BLOCK + j)
    b = tl.load(b_ptr + i * BLOCK + j)
    c = tl.load(c_ptr + i * BLOCK + j)
    ab = tl.dot(a, tl.trans(b))
    out = tl.dot(ab.to(c.dtype), c, input_precision="ieee")
    tl.store(out_ptr + i * BLOCK + j, out)


@weft.jit
def batched_dot(a_ptr, b_ptr, out_ptr, BATCH: tl.constexpr, BLOCK: tl.constexpr):
    """Multiply a batch of matrices: a dot of three axes."""
    n = tl.arange(0, BATCH)[:, None, None] * BLOCK * BLOCK
    offsets = n + tl.arange(0, BLOCK)[None, :, None] * BLOCK + tl.arange(0, BLOCK)[None, None, :]
    out = tl.dot(tl.load(a_ptr + offsets), tl.load(b_ptr + offsets), out_dtype=tl.float32)
    tl.store(out_ptr + offsets, out)


@weft.jit
def outer_in_loop(x_ptr, y_ptr, out_ptr, steps, BLOCK: tl.constexpr):
    """Broadcast both ways inside of a loop, with a carried accumulator."""
    i = tl.arange(0, BLOCK)
    acc = tl.full((BLOCK, BLOCK), 0.5, tl.float32)
    for step in tl.range(0, steps, num_stages=3):
        x = tl.load(x_ptr + step * BLOCK + i)
        y = tl.load(y_ptr + step * BLOCK + i, cache_modifier=".cg", eviction_policy="evict_last")
        acc += x[:, None] * y[None, :]
    tl.store(out_ptr + i[:, None] * BLOCK + i[None, :], acc, cache_modifier=".cs")


@weft.jit
def many_types(x_ptr, y_ptr, z_ptr, out_ptr, scale, BLOCK: tl.constexpr):
    """Mix widths and signs, and convert back."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    z = tl.load(z_ptr + i)
    mixed = (x + y) * scale - z.to(tl.float32) / 3
    bits = mixed.to(tl.int32, bitcast=True) >> 3 ^ 5
    wide = bits.to(tl.int64) * y // 7 % 11
    chosen = tl.where((mixed > 0) & (y != 3), mixed, tl.cast(wide, tl.float32))
    tl.store(out_ptr + i, tl.minimum(tl.maximum(chosen, -1.0), 1.0))


CASES = (
    (transpose, "*fp16:16, *fp16:16, i32:16, i32:16, 64", {}, {}),
    (transpose, "*i8, *i8, i32, i32, 32", {}, {"num_warps": 1}),
    (permute_cube, "*fp32:16, *fp32:16", {}, {}),
    (interleave_and_split, "*fp16:16, *fp16:16, *fp16:16, 128", {}, {}),
    (concatenate, "*fp32:16, *fp32:16, *fp32:16, 256", {}, {"num_warps": 8}),
    (statistics, "*fp32:16, *fp32:16, 32, 64", {}, {}),
    (statistics, "*i32:16, *i32:16, 16, 256", {}, {"num_warps": 16}),
    (running, "*fp32:16, *fp32:16, 16, 32", {}, {"num_warps": 2}),
    (pick, "*fp32:16, *i32:16, *fp32:16, 16, 32", {}, {}),
    (sort_rows, "*fp32:16, *fp32:16, 64", {}, {}),
    (chained_dots, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, 64", {}, {}),
    (chained_dots, "*bf16:16, *bf16:16, *bf16:16, *fp32:16, 128", {}, {"num_warps": 8}),
    (batched_dot, "*fp16:16, *fp16:16, *fp32:16, 4, 32", {}, {}),
    (outer_in_loop, "*fp32:16, *fp32:16, *fp32:16, i32, 64", {}, {}),
    (many_types, "*fp16:16, *i16:16, *u8, *fp32:16, fp32, 256", {}, {}),
)
