"""Loops as packages write them: state spaces, losses, norms, scans, nests, and loops that stop."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def state_passing(states_ptr, out_ptr, decay_ptr, chunks, D: tl.constexpr):
    """Pass states from chunk to chunk (Mamba 2)."""
    d = tl.program_id(0) * D + tl.arange(0, D)
    state = tl.zeros((D,), tl.float32)
    for chunk in range(chunks):
        new = tl.load(states_ptr + chunk * D + d).to(tl.float32)
        decay = tl.exp(tl.load(decay_ptr + chunk))
        state = decay * state + new
        tl.store(out_ptr + (chunk + 1) * D + d, state)


@weft.jit
def chunk_scan(
    x_ptr, b_ptr, c_ptr, dt_ptr, cumsum_ptr, state_ptr, z_ptr, out_ptr, rows, skip, length,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, S: tl.constexpr,
):  # fmt: skip
    """The output of a chunk: what earlier chunks left, and a causal product within (Mamba 2)."""
    m, n = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    s, k = tl.arange(0, S), tl.arange(0, K)
    cumsum_m = tl.load(cumsum_ptr + m, mask=m < rows, other=0.0).to(tl.float32)
    c = tl.load(c_ptr + m[:, None] * S + s[None, :], mask=m[:, None] < rows, other=0.0)
    state = tl.load(state_ptr + n[None, :] * S + s[:, None]).to(c.dtype)
    acc = tl.dot(c, state) * tl.exp(cumsum_m)[:, None]
    last = tl.minimum((tl.program_id(0) + 1) * M, rows)
    for first in range(0, last, K):
        at = first + k
        cb = tl.load(b_ptr + m[:, None] * length + at[None, :], mask=at[None, :] < rows, other=0.0)
        cumsum_k = tl.load(cumsum_ptr + at, mask=at < rows, other=0.0).to(tl.float32)
        dt = tl.load(dt_ptr + at, mask=at < rows, other=0.0).to(tl.float32)
        w = cb.to(tl.float32) * tl.exp(cumsum_m[:, None] - cumsum_k[None, :]) * dt[None, :]
        w = tl.where(m[:, None] >= at[None, :], w, 0.0)
        x = tl.load(x_ptr + at[:, None] * N + n[None, :], mask=at[:, None] < rows, other=0.0)
        acc = tl.dot(w.to(x.dtype), x, acc)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :], mask=m[:, None] < rows, other=0.0)
    acc += x.to(tl.float32) * skip
    z = tl.load(z_ptr + m[:, None] * N + n[None, :], mask=m[:, None] < rows, other=0.0)
    z = z.to(tl.float32)
    acc *= z * tl.sigmoid(z)
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=m[:, None] < rows)


@weft.jit
def chunk_state(
    x_ptr, b_ptr, dt_ptr, cumsum_ptr, state_ptr, rows,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """The state of a chunk: a product over its steps with weights that decay (Mamba 2)."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    end = tl.load(cumsum_ptr + rows - 1).to(tl.float32)
    x_ptrs = x_ptr + m[:, None] + k[None, :] * M
    b_ptrs = b_ptr + k[:, None] * N + n[None, :]
    dt_ptrs, cumsum_ptrs = dt_ptr + k, cumsum_ptr + k
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, rows, K):
        remaining = rows - first
        x = tl.load(x_ptrs, mask=k[None, :] < remaining, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < remaining, other=0.0).to(tl.float32)
        cumsum = tl.load(cumsum_ptrs, mask=k < remaining, other=0.0).to(tl.float32)
        dt = tl.load(dt_ptrs, mask=k < remaining, other=0.0).to(tl.float32)
        b = (b * (tl.exp(end - cumsum) * dt)[:, None]).to(x.dtype)
        acc += tl.dot(x, b)
        x_ptrs += K * M
        b_ptrs += K * N
        dt_ptrs += K
        cumsum_ptrs += K
    tl.store(state_ptr + m[:, None] * N + n[None, :], acc)


@weft.jit
def linear_cross_entropy(
    x_ptr, w_ptr, target_ptr, loss_ptr, lse_ptr, vocabulary, K,
    BM: tl.constexpr, BV: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """The loss of a product that is never stored: a nest of loops, the outer over words."""
    m, v, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BV), tl.arange(0, BK)
    target = tl.load(target_ptr + m)
    top = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    right = tl.zeros((BM,), tl.float32)
    for first in range(0, vocabulary, BV):
        words = first + v
        logits = tl.zeros((BM, BV), tl.float32)
        for begin in range(0, K, BK):
            x = tl.load(x_ptr + m[:, None] * K + (begin + k)[None, :])
            w = tl.load(
                w_ptr + words[None, :] * K + (begin + k)[:, None],
                mask=words[None, :] < vocabulary,
                other=0.0,
            )
            logits = tl.dot(x, w, logits)
        logits = tl.where(words[None, :] < vocabulary, logits, -float("inf"))
        right += tl.sum(tl.where(words[None, :] == target[:, None], logits, 0.0), 1)
        new = tl.maximum(top, tl.max(logits, 1))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(logits - new[:, None]), 1)
        top = new
    lse = top + tl.log(total)
    tl.store(lse_ptr + m, lse)
    tl.store(loss_ptr + m, lse - right)


@weft.jit
def vocabulary_loss(
    x_ptr, target_ptr, loss_ptr, n, smoothing, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """The loss of a row and its gradient in place, in two staged loops without dots."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * n
    target = tl.load(target_ptr + row)
    if target == -100:
        for first in tl.range(0, n, BLOCK, num_stages=STAGES):
            column = first + tl.arange(0, BLOCK)
            tl.store(x_ptr + column, 0.0, mask=column < n)
        return
    top, total, mean = float("-inf"), 0.0, 0.0
    for first in tl.range(0, n, BLOCK, num_stages=STAGES):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < n, other=float("-inf")).to(tl.float32)
        mean += tl.sum(tl.where(column < n, -smoothing * x, 0.0))
        new = tl.maximum(top, tl.max(x))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new))
        top = new
    at_target = tl.load(x_ptr + target).to(tl.float32)
    for first in tl.range(0, n, BLOCK, num_stages=STAGES):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < n, other=float("-inf")).to(tl.float32)
        g = tl.exp(x - top) / total - smoothing
        g = tl.where(column == target, g - (1 - smoothing), g)
        tl.store(x_ptr + column, g, mask=column < n)
    tl.store(loss_ptr + row, top + tl.log(total) - at_target + mean)


@weft.jit
def welford_norm(x_ptr, g_ptr, b_ptr, y_ptr, n, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """A layer norm in two loops over long rows; the loads of each are staged."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    mean = tl.zeros((ROWS, BLOCK), tl.float32)
    squares = tl.zeros((ROWS, BLOCK), tl.float32)
    for first in tl.range(0, n, BLOCK, num_stages=3):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row[:, None] * n + column[None, :], mask=column[None, :] < n, other=0.0)
        x = x.to(tl.float32)
        mean += x
        squares += x * x
    average = tl.sum(mean, 1) / n
    rstd = tl.rsqrt(tl.sum(squares, 1) / n - average * average + eps)
    for first in tl.range(0, n, BLOCK, num_stages=2):
        column = first + tl.arange(0, BLOCK)
        mask = column[None, :] < n
        x = tl.load(x_ptr + row[:, None] * n + column[None, :], mask=mask, other=0.0).to(tl.float32)
        g = tl.load(g_ptr + column, mask=column < n, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + column, mask=column < n, other=0.0).to(tl.float32)
        y = (x - average[:, None]) * rstd[:, None] * g[None, :] + b[None, :]
        tl.store(y_ptr + row[:, None] * n + column[None, :], y, mask=mask)


@weft.jit
def combine_steps(a1, x1, a2, x2):
    """Compose two affine steps."""
    return a1 * a2, x1 * a2 + x2


@weft.jit
def selective_scan(
    x_ptr,
    dt_ptr,
    a_ptr,
    b_ptr,
    c_ptr,
    y_ptr,
    length,
    D: tl.constexpr,
    S: tl.constexpr,
    T: tl.constexpr,
):
    """A selective scan by blocks of time: an associative scan, and a state between blocks."""
    d = tl.program_id(0) * D + tl.arange(0, D)
    s, t = tl.arange(0, S), tl.arange(0, T)
    a = tl.load(a_ptr + d[:, None] * S + s[None, :])
    state = tl.zeros((D, S), tl.float32)
    for first in range(0, length, T):
        at = first + t
        x = tl.load(x_ptr + at[:, None] * D + d[None, :])
        dt = tl.load(dt_ptr + at[:, None] * D + d[None, :])
        b = tl.load(b_ptr + at[:, None] * S + s[None, :])
        c = tl.load(c_ptr + at[:, None] * S + s[None, :])
        decay = tl.exp(dt[:, :, None] * a[None, :, :])
        step = (dt * x)[:, :, None] * b[:, None, :]
        decays, states = tl.associative_scan((decay, step), 0, combine_steps)
        states += decays * state[None, :, :]
        tl.store(y_ptr + at[:, None] * D + d[None, :], tl.sum(states * c[:, None, :], 2))
        state = tl.sum(tl.where((t == T - 1)[:, None, None], states, 0.0), 0)


@weft.jit
def flat_nest(
    x_ptr,
    w_ptr,
    y_ptr,
    B,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    STAGES: tl.constexpr,
):
    """A nest that is flattened into one loop, with its own number of stages."""
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    for batch in tl.range(tl.program_id(0), B, 16, flatten=True, num_stages=STAGES):
        acc = tl.zeros((BM, BN), tl.float32)
        for first in tl.range(0, K, BK):
            x = tl.load(x_ptr + (batch * BM + m[:, None]) * K + (first + k)[None, :])
            w = tl.load(w_ptr + (first + k)[:, None] * BN + n[None, :])
            acc = tl.dot(x, w, acc)
        tl.store(y_ptr + (batch * BM + m[:, None]) * BN + n[None, :], acc.to(tl.float16))


@weft.jit
def staged_inner_loops(x_ptr, w_ptr, v_ptr, y_ptr, B, K, BM: tl.constexpr, BK: tl.constexpr):
    """Two inner loops with different numbers of stages, one of them unrolled, in a plain loop."""
    m, k = tl.arange(0, BM), tl.arange(0, BK)
    for batch in range(0, B):
        acc = tl.zeros((BM, BM), tl.float32)
        for first in tl.range(0, K, BK, num_stages=4):
            x = tl.load(x_ptr + (batch * BM + m[:, None]) * K + (first + k)[None, :])
            w = tl.load(w_ptr + (first + k)[:, None] * BM + m[None, :])
            acc = tl.dot(x, w, acc)
        total = tl.zeros((BM, BM), tl.float32)
        for first in tl.range(0, K, BK, num_stages=2, loop_unroll_factor=2):
            v = tl.load(v_ptr + (first + k)[:, None] * BM + m[None, :])
            x = tl.load(x_ptr + (batch * BM + m[:, None]) * K + (first + k)[None, :])
            total = tl.dot(x, v, total, input_precision="tf32")
        tl.store(y_ptr + (batch * BM + m[:, None]) * BM + m[None, :], acc * total)


@weft.jit
def until_converged(x_ptr, w_ptr, y_ptr, limit, most, K, BM: tl.constexpr, BK: tl.constexpr):
    """A while loop around a product: steps until the change is small."""
    m, k = tl.arange(0, BM), tl.arange(0, BK)
    y = tl.load(y_ptr + m[:, None] * BM + m[None, :])
    change, step = limit + 1.0, 0
    while (change > limit) & (step < most):
        acc = tl.zeros((BM, BM), tl.float32)
        for first in range(0, K, BK):
            x = tl.load(x_ptr + m[:, None] * K + (first + k)[None, :])
            w = tl.load(w_ptr + (first + k)[:, None] * BM + m[None, :])
            acc = tl.dot(x, w, acc)
        new = 0.5 * (y + acc)
        change = tl.max(tl.max(tl.abs(new - y), 1), 0)
        y = new
        step += 1
    tl.store(y_ptr + m[:, None] * BM + m[None, :], y)


@weft.jit
def stop_by_mask(x_ptr, out_ptr, count_ptr, n, bound, BLOCK: tl.constexpr):
    """Rows that reach a bound stop adding; the loop ends when its elements do."""
    lane = tl.arange(0, BLOCK)
    running = tl.full((BLOCK,), 1, tl.int1)
    total = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.int32)
    for step in tl.range(0, n, num_stages=4):
        x = tl.load(x_ptr + step * BLOCK + lane, mask=running, other=0.0)
        total += x
        count += running.to(tl.int32)
        running = running & (total < bound)
    tl.store(out_ptr + lane, total)
    tl.store(count_ptr + lane, count)


@weft.jit
def walk_list(next_ptr, x_ptr, out_ptr, start, BLOCK: tl.constexpr):
    """Follow a list of blocks until its end: a while loop of loads that depend on each other."""
    at = tl.arange(0, BLOCK)
    node, total = start, tl.zeros((BLOCK,), tl.float32)
    while node >= 0:
        total += tl.load(x_ptr + node * BLOCK + at)
        node = tl.load(next_ptr + node)
    tl.store(out_ptr + at, total)


@weft.jit
def ragged_sums(x_ptr, offset_ptr, out_ptr, width, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    """Sums over the rows of a segment that offsets limit, with an early end by rows."""
    segment = tl.program_id(0)
    first, last = tl.load(offset_ptr + segment), tl.load(offset_ptr + segment + 1)
    column = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    total = tl.zeros((BLOCK_R, BLOCK_C), tl.float32)
    for begin in tl.range(first, last, BLOCK_R, num_stages=3):
        row = begin + tl.arange(0, BLOCK_R)
        mask = (row[:, None] < last) & (column[None, :] < width)
        total += tl.load(x_ptr + row[:, None] * width + column[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + segment * width + column, tl.sum(total, 0), mask=column < width)


@weft.jit
def embedding_bag(index_ptr, weight_ptr, table_ptr, out_ptr, bag, D: tl.constexpr):
    """A weighted sum of rows that indices name: loads of loads without a dot, staged."""
    d, sample = tl.arange(0, D), tl.program_id(0)
    total = tl.zeros((D,), tl.float32)
    for entry in tl.range(0, bag, num_stages=4):
        row = tl.load(index_ptr + sample * bag + entry)
        weight = tl.load(weight_ptr + sample * bag + entry)
        total += weight * tl.load(table_ptr + row.to(tl.int64) * D + d).to(tl.float32)
    tl.store(out_ptr + sample * D + d, total)


@weft.jit
def sparse_rows(
    start_ptr, column_ptr, value_ptr, x_ptr, y_ptr, BLOCK: tl.constexpr, BN: tl.constexpr
):
    """Rows of a block-sparse matrix times a dense one: the columns of each block are loaded."""
    row = tl.program_id(0)
    m, n = tl.arange(0, BLOCK), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BLOCK, BN), tl.float32)
    for block in range(tl.load(start_ptr + row), tl.load(start_ptr + row + 1)):
        column = tl.load(column_ptr + block)
        a = tl.load(value_ptr + block * BLOCK * BLOCK + m[:, None] * BLOCK + m[None, :])
        x = tl.load(x_ptr + (column * BLOCK + m)[:, None] * 1024 + n[None, :])
        acc = tl.dot(a, x, acc)
    tl.store(y_ptr + (row * BLOCK + m)[:, None] * 1024 + n[None, :], acc.to(tl.float16))


_WITH_TF32 = ("cuda:80", "cuda:90", "cuda:100", "hip:gfx942")
_SSD = "*bf16:16, *bf16:16, *bf16:16, *fp32:16, *fp32:16, *fp32:16, *bf16:16, *bf16:16"

CASES = (
    (state_passing, "*bf16:16, *fp32:16, *fp32:16, i32, 128", {}, {}),
    (chunk_scan, f"{_SSD}, i32, fp32, i32:16, 64, 64, 32, 64", {}, {}),
    (chunk_scan, f"{_SSD}, i32:16, fp32, i32:16, 128, 64, 64, 128", {}, {"num_warps": 8, "num_stages": 4}),
    (chunk_state, "*bf16:16, *bf16:16, *fp32:16, *fp32:16, *fp32:16, i32, 64, 128, 32", {}, {}),
    (linear_cross_entropy, "*bf16:16, *bf16:16, *i64:16, *fp32:16, *fp32:16, i32, i32:16, 64, 128, 64", {}, {}),
    (vocabulary_loss, "*bf16:16, *i64:16, *fp32:16, i32:16, fp32, 2048, 3", {}, {"num_warps": 8}),
    (welford_norm, "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, fp32, 4, 512", {}, {}),
    (selective_scan, "*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, 16, 16, 32", {}, {}),
    (flat_nest, "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, 64, 64, 32, 3", {}, {}),
    (flat_nest, "*fp16:16, *fp16:16, *fp16:16, i32, i32:16, 128, 128, 64, 4", {}, {"num_warps": 8}),
    (staged_inner_loops, "*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32, i32:16, 64, 32", {}, {}, _WITH_TF32),
    (staged_inner_loops, "*fp16:16, *fp16:16, *fp16:16, *fp32:16, i32, i32:16, 64, 64", {}, {}, _WITH_TF32),
    (until_converged, "*fp16:16, *fp16:16, *fp32:16, fp32, i32, i32:16, 64, 32", {}, {}),
    (stop_by_mask, "*fp32:16, *fp32:16, *i32:16, i32, fp32, 1024", {}, {}),
    (walk_list, "*i32:16, *fp32:16, *fp32:16, i32, 256", {}, {}),
    (ragged_sums, "*fp32:16, *i32:16, *fp32:16, i32:16, 32, 64", {}, {}),
    (embedding_bag, "*i32:16, *fp32:16, *fp16:16, *fp32:16, i32, 256", {}, {}),
    (sparse_rows, "*i32:16, *i32:16, *fp16:16, *fp16:16, *fp16:16, 32, 64", {}, {}),
)  # fmt: skip
