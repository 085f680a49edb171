"""Reductions, scans, gathers and sorts, and what their layouts do to neighbours."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def row_softmax(x_ptr, out_ptr, columns, stride, BLOCK: tl.constexpr):
    """One row per program, masked: two reductions to scalars."""
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + column, mask=column < columns, other=-float("inf"))
    e = tl.exp(x.to(tl.float32) - tl.max(x, 0))
    tl.store(out_ptr + row * stride + column, e / tl.sum(e, 0), mask=column < columns)


@weft.jit
def running_softmax(x_ptr, out_ptr, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Reduce a tile in every turn of a loop, into carried vectors: thread locality matters."""
    row, column = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, BLOCK)
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row[:, None] * columns + (first + column)[None, :]).to(tl.float32)
        new = tl.maximum(top, tl.max(x, 1))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new[:, None]), 1)
        top = new
    tl.store(out_ptr + row, tl.log(total) + top)


@weft.jit
def sum_in_loop(x_ptr, out_ptr, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Add up rows of a tile in a loop: the accumulator is a reduction's result and nothing else."""
    row, column = tl.arange(0, ROWS), tl.arange(0, BLOCK)
    acc = tl.zeros((ROWS,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row[:, None] * columns + (first + column)[None, :])
        acc += tl.sum(x, 1)
    tl.store(out_ptr + row, acc)


@weft.jit
def layer_norm_backward(
    dy_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, rows, columns,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Row sums for dx, column sums for dw and db: both axes of one tile."""
    row, column = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, BLOCK)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    at = row[:, None] * columns + column[None, :]
    dy = tl.load(dy_ptr + at, mask=inside, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
    mean = tl.load(mean_ptr + row, mask=row < rows, other=0.0)
    rstd = tl.load(rstd_ptr + row, mask=row < rows, other=0.0)
    xhat = (x - mean[:, None]) * rstd[:, None]
    wdy = dy * w[None, :]
    c1 = tl.sum(xhat * wdy, 1) / columns
    c2 = tl.sum(wdy, 1) / columns
    dx = (wdy - (xhat * c1[:, None] + c2[:, None])) * rstd[:, None]
    tl.store(dx_ptr + at, dx.to(dx_ptr.dtype.element_ty), mask=inside)
    tl.atomic_add(dw_ptr + column, tl.sum(dy * xhat, 0), mask=column < columns)
    tl.atomic_add(db_ptr + column, tl.sum(dy, 0), mask=column < columns)


@weft.jit
def add_pair(a_value, a_count, b_value, b_count):
    """Combine two running pairs."""
    return a_value * b_count + b_value, a_count * b_count


@weft.jit
def linear_recurrence(x_ptr, decay_ptr, out_ptr, T: tl.constexpr, D: tl.constexpr):
    """An associative scan of pairs along the first axis."""
    t, d = tl.arange(0, T), tl.arange(0, D)
    at = t[:, None] * D + d[None, :]
    x, decay = tl.load(x_ptr + at), tl.load(decay_ptr + at)
    state, _ = tl.associative_scan((x, decay), 0, add_pair)
    tl.store(out_ptr + at, state)


@weft.jit
def chunked_cumsum(
    x_ptr,
    out_ptr,
    total_ptr,
    length,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
    REVERSE: tl.constexpr,
):
    """A scan in a loop with a carried sum."""
    row, i = tl.arange(0, ROWS), tl.arange(0, BLOCK)
    before = tl.zeros((ROWS,), tl.float32)
    for first in range(0, length, BLOCK):
        at = row[:, None] * length + (first + i)[None, :]
        x = tl.load(x_ptr + at).to(tl.float32)
        tl.store(out_ptr + at, tl.cumsum(x, 1, reverse=REVERSE) + before[:, None])
        before += tl.sum(x, 1)
    tl.store(total_ptr + row, before)


@weft.jit
def gather_rows(x_ptr, index_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Gather along the first axis; the result is reduced."""
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    picked = tl.gather(tl.load(x_ptr + at), tl.load(index_ptr + at), axis=0)
    tl.store(out_ptr + at, picked)
    tl.store(out_ptr + tl.arange(0, ROWS), tl.sum(picked, 1))


@weft.jit
def largest_few(x_ptr, out_ptr, place_ptr, columns, ROWS: tl.constexpr, K: tl.constexpr):
    """The K largest of each row and their places, one at a time."""
    row, column = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, 128)
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :]).to(tl.float32)
    for k in tl.static_range(K):
        value, place = tl.max(x, 1, return_indices=True)
        tl.store(out_ptr + row * K + k, value)
        tl.store(place_ptr + row * K + k, place)
        x = tl.where(column[None, :] == place[:, None], -float("inf"), x)


@weft.jit
def sorted_rows(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Sort every row of a tile downwards: reshapes, exclusive ors, broadcasts."""
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at), dim=1, descending=True))


@weft.jit
def counts(x_ptr, out_ptr, length, BLOCK: tl.constexpr, BINS: tl.constexpr):
    """Histograms in a loop, summed, and added to memory atomically."""
    i, bins = tl.arange(0, BLOCK), tl.arange(0, BINS)
    acc = tl.zeros((BINS,), tl.int32)
    for first in range(0, length, BLOCK):
        acc += tl.histogram(tl.load(x_ptr + first + i), BINS, mask=first + i < length)
    tl.atomic_add(out_ptr + bins, acc, sem="relaxed")


@weft.jit
def reduce_cube(x_ptr, out_ptr, middle_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """Reduce three axes one by one, and the middle one alone."""
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    x = tl.load(x_ptr + a[:, None, None] * B * C + b[None, :, None] * C + c[None, None, :])
    tl.store(out_ptr + a, tl.sum(tl.max(x, 2), 1))
    tl.store(middle_ptr + a[:, None] * C + c[None, :], tl.min(x, 1))


CASES = (
    (row_softmax, "*fp16:16, *fp16:16, i32, i32:16, 1024", {}, {}),
    (row_softmax, "*fp32:16, *fp32:16, i32:16, i32:16, 4096", {}, {"num_warps": 16}),
    (running_softmax, "*bf16:16, *fp32:16, i32:16, 16, 128", {}, {}),
    (running_softmax, "*fp32:16, *fp32:16, i32:16, 4, 256", {}, {"num_warps": 8}),
    (sum_in_loop, "*fp32:16, *fp32:16, i32:16, 32, 128", {}, {}),
    (sum_in_loop, "*fp32:16, *fp32:16, i32:16, 128, 16", {}, {"num_warps": 1}),
    (layer_norm_backward, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, *fp32:16, *fp32:16, i32, i32:16, 16, 256", {}, {"num_warps": 8}),
    (linear_recurrence, "*fp32:16, *fp32:16, *fp32:16, 64, 32", {}, {}),
    (chunked_cumsum, "*fp16:16, *fp32:16, *fp32:16, i32:16, 16, 128, constexpr", {"REVERSE": False}, {}),
    (chunked_cumsum, "*fp32:16, *fp32:16, *fp32:16, i32:16, 16, 64, constexpr", {"REVERSE": True}, {"num_warps": 2}),
    (gather_rows, "*fp32:16, *i32:16, *fp32:16, 32, 64", {}, {}),
    (largest_few, "*fp32:16, *fp32:16, *i32:16, i32:16, 16, 3", {}, {}),
    (sorted_rows, "*i32:16, *i32:16, 4, 64", {}, {"num_warps": 2}),
    (counts, "*i32:16, *i32:16, i32, 512, 128", {}, {}),
    (reduce_cube, "*fp32:16, *fp32:16, *fp32:16, 8, 16, 32", {}, {}),
)  # fmt: skip
