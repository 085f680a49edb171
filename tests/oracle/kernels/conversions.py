"""Kernels where layouts disagree, so that conversions are moved, hoisted, sunk or made twice."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def both_ways(x_ptr, rows_ptr, columns_ptr, N: tl.constexpr):
    """One tile stored along rows and along columns."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * N + j) * 2.0
    tl.store(rows_ptr + i * N + j, x)
    tl.store(columns_ptr + j * N + i, x)


@weft.jit
def nested_loops(x_ptr, y_ptr, out_ptr, outer, inner, N: tl.constexpr):
    """Two loops, each with a carried tile; what is loaded transposed meets what is not."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    for a in range(outer):
        part = tl.load(y_ptr + a * N * N + i * N + j)
        for b in range(inner):
            part += tl.load(x_ptr + b * N * N + j * N + i)
        total += part
    tl.store(out_ptr + i * N + j, total)


@weft.jit
def in_one_branch(x_ptr, y_ptr, out_ptr, mode, N: tl.constexpr):
    """Only one branch needs the other layout: the conversion belongs into it."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + i * N + j)
    if mode > 0:
        x = x + tl.load(y_ptr + j * N + i)
    tl.store(out_ptr + i * N + j, x)


@weft.jit
def in_both_branches(x_ptr, y_ptr, out_ptr, mode, N: tl.constexpr):
    """Branches that end in different layouts, inside of a loop."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for step in range(mode):
        if step % 2 == 0:
            value = tl.load(x_ptr + step + i * N + j)
        else:
            value = tl.load(y_ptr + step + j * N + i)
        acc += value
    tl.store(out_ptr + i * N + j, acc)


@weft.jit
def branch_around_dot(x_ptr, y_ptr, bias_ptr, out_ptr, steps, has_bias, N: tl.constexpr):
    """A condition between a loop of dots and the store: the accumulator goes through it."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        x = tl.load(x_ptr + step * N * N + i * N + j)
        acc = tl.dot(x, tl.load(y_ptr + step * N * N + i * N + j), acc)
    if has_bias:
        acc += tl.load(bias_ptr + j)
    tl.store(out_ptr + i * N + j, acc.to(tl.float16))


@weft.jit
def dot_in_branch(x_ptr, y_ptr, out_ptr, steps, N: tl.constexpr):
    """A dot within a condition within a loop."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        x = tl.load(x_ptr + step * N * N + i * N + j)
        if tl.load(y_ptr + step) > 0:
            acc = tl.dot(x, x, acc)
        else:
            acc += x
    tl.store(out_ptr + i * N + j, acc)


@weft.jit
def widened_before(x_ptr, out_ptr, N: tl.constexpr):
    """A conversion is cheaper before the widening than after it."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + j * N + i)
    tl.store(out_ptr + i * N + j, tl.exp(x.to(tl.float32)) + 1.0)


@weft.jit
def narrowed_after(x_ptr, out_ptr, N: tl.constexpr):
    """A conversion is cheaper after the narrowing."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + j * N + i)
    tl.store(out_ptr + i * N + j, (x * 3.0).to(tl.float8e5))


@weft.jit
def broadcast_vectors(x_ptr, y_ptr, tile_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    """Vectors loaded in their own layout, broadcast against a tile: slices of it are asked for."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + j)
    tile = tl.load(tile_ptr + i[:, None] * N + j[None, :])
    tl.store(out_ptr + i[:, None] * N + j[None, :], tile * x[:, None] + y[None, :])


@weft.jit
def reduced_and_broadcast(x_ptr, out_ptr, rows, N: tl.constexpr):
    """A row sum is broadcast back over its tile, and over a second of another layout."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    for first in range(0, rows, N):
        x = tl.load(x_ptr + (first + i) * N + j)
        y = tl.load(x_ptr + (first + j) * N + i)
        total = tl.sum(x, 1)[:, None]
        tl.store(out_ptr + (first + i) * N + j, x / total + y * total)


@weft.jit
def select_masks(x_ptr, out_ptr, n, N: tl.constexpr):
    """Masks and indices are cheap to compute again in any layout."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    inside = (i < n) & (j < n)
    x = tl.load(x_ptr + j * N + i, mask=inside, other=0.0)
    x = tl.where(i >= j, x, (i * n + j).to(tl.float32))
    tl.store(out_ptr + i * N + j, x, mask=inside)


@weft.jit
def while_carries_tile(x_ptr, out_ptr, limit, N: tl.constexpr):
    """A while loop carries a tile and a scalar that a reduction of it decides."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + j * N + i)
    norm = tl.sum(tl.sum(x * x, 1), 0)
    while norm > limit:
        x = x * 0.5 + tl.load(x_ptr + i * N + j)
        norm = tl.sum(tl.sum(x * x, 1), 0)
    tl.store(out_ptr + i * N + j, x)


@weft.jit
def reshaped_between(x_ptr, out_ptr, N: tl.constexpr):
    """Views between a load and a store: reshape, transpose, join, split."""
    i = tl.arange(0, N * N)
    x = tl.load(x_ptr + i).reshape(N, N).trans()
    low, high = tl.split(tl.reshape(x, (N, N // 2, 2)))
    y = tl.join(high, low).permute(2, 0, 1).reshape(2 * N, N // 2)
    j, k = tl.arange(0, 2 * N)[:, None], tl.arange(0, N // 2)[None, :]
    tl.store(out_ptr + j * (N // 2) + k, y)


@weft.jit
def loop_carries_two(x_ptr, y_ptr, out_ptr, steps, N: tl.constexpr):
    """Two carried tiles change places in every turn, so that their layouts must agree."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x_ptr + i * N + j)
    b = tl.load(y_ptr + j * N + i)
    for _ in range(steps):
        a, b = b, a + b
    tl.store(out_ptr + i * N + j, a)
    tl.store(out_ptr + N * N + j * N + i, b)


_TWO, _THREE, _FOUR = (", ".join(["*fp32:16"] * n) for n in (2, 3, 4))

CASES = (
    (both_ways, f"{_THREE}, 64", {}, {}),
    (both_ways, "*i8:16, *i8:16, *i8:16, 128", {}, {"num_warps": 8}),
    (nested_loops, f"{_THREE}, i32, i32, 32", {}, {}),
    (in_one_branch, f"{_THREE}, i32, 64", {}, {}),
    (in_both_branches, f"{_THREE}, i32, 32", {}, {}),
    (branch_around_dot, "*fp16:16, *fp16:16, *fp32:16, *fp16:16, i32, i1, 64", {}, {}),
    (dot_in_branch, "*fp16:16, *i32, *fp32:16, i32, 32", {}, {}),
    (widened_before, "*fp16:16, *fp32:16, 64", {}, {}),
    (widened_before, "*fp8e5:16, *fp32:16, 128", {}, {"num_warps": 8}),
    (narrowed_after, "*fp32:16, *fp8e5:16, 64", {}, {}),
    (broadcast_vectors, f"{_FOUR}, 64, 128", {}, {}),
    (broadcast_vectors, "*bf16:16, *bf16:16, *bf16:16, *bf16:16, 256, 16", {}, {"num_warps": 2}),
    (reduced_and_broadcast, f"{_TWO}, i32, 64", {}, {}),
    (select_masks, f"{_TWO}, i32, 64", {}, {}),
    (while_carries_tile, f"{_TWO}, fp32, 32", {}, {}),
    (reshaped_between, "*fp16:16, *fp16:16, 32", {}, {}),
    (loop_carries_two, f"{_THREE}, i32, 32", {}, {"num_warps": 1}),
)
