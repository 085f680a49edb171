"""Kernels of the kinds that packages of Triton kernels have, one of each, as they are written.

Rows are contiguous, and a program has one of them where nothing else is said.
"""

import weft
import weft.language as tl
from weft.language.extra import libdevice


@weft.jit
def rms_norm_backward(
    dy_ptr, x_ptr, weight_ptr, rstd_ptr, dx_ptr, dweight_ptr, rows, n, per_program,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Write dx of some rows, and their share of the weights' gradient."""
    program = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < n
    weight = tl.load(weight_ptr + column, mask=inside, other=0.0).to(tl.float32)
    dweight = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(program * per_program, min((program + 1) * per_program, rows)):
        dy = tl.load(dy_ptr + row * n + column, mask=inside, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + row * n + column, mask=inside, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        scaled = dy * weight
        along = tl.sum(scaled * x, axis=0) * rstd * rstd / n
        tl.store(dx_ptr + row * n + column, rstd * (scaled - along * x), mask=inside)
        dweight += dy * x * rstd
    tl.store(dweight_ptr + program * n + column, dweight, mask=inside)


@weft.jit
def rotate(
    q_ptr, k_ptr, cos_ptr, sin_ptr, length,
    Q_HEADS: tl.constexpr, K_HEADS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Turn the heads of queries and keys of one token in place."""
    token = tl.program_id(0).to(tl.int64)
    place = token % length
    half = tl.arange(0, WIDTH // 2)
    cos = tl.load(cos_ptr + place * (WIDTH // 2) + half)
    sin = tl.load(sin_ptr + place * (WIDTH // 2) + half)
    q = tl.arange(0, Q_HEADS)[:, None] * WIDTH + half[None, :] + token * Q_HEADS * WIDTH
    k = tl.arange(0, K_HEADS)[:, None] * WIDTH + half[None, :] + token * K_HEADS * WIDTH
    q1, q2 = tl.load(q_ptr + q), tl.load(q_ptr + q + WIDTH // 2)
    k1, k2 = tl.load(k_ptr + k), tl.load(k_ptr + k + WIDTH // 2)
    tl.store(q_ptr + q, q1 * cos - q2 * sin)
    tl.store(q_ptr + q + WIDTH // 2, q2 * cos + q1 * sin)
    tl.store(k_ptr + k, k1 * cos - k2 * sin)
    tl.store(k_ptr + k + WIDTH // 2, k2 * cos + k1 * sin)


@weft.jit
def cross_entropy_with_gradient(x_ptr, right_ptr, loss_ptr, n, BLOCK: tl.constexpr):
    """Write a row's loss, and the gradient over the row."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * n
    right = tl.load(right_ptr + row)
    at_right = tl.load(x_ptr + right).to(tl.float32)
    largest, total = float("-inf"), 0.0
    for first in range(0, n, BLOCK):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < n, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(largest, tl.max(x))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger))
        largest = larger
    for first in range(0, n, BLOCK):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < n, other=float("-inf")).to(tl.float32)
        weight = tl.exp(x - largest) / total
        tl.store(x_ptr + column, tl.where(column == right, weight - 1, weight), mask=column < n)
    tl.store(loss_ptr + row, largest + tl.log(total) - at_right)


@weft.jit
def kl_divergence(y_ptr, target_ptr, loss_ptr, n, least, BLOCK: tl.constexpr):
    """Write a row's Σ target · (log target - y)."""
    row = tl.program_id(0).to(tl.int64)
    total = 0.0
    for first in range(0, n, BLOCK):
        column = first + tl.arange(0, BLOCK)
        y = tl.load(y_ptr + row * n + column, mask=column < n, other=0.0)
        target = tl.load(target_ptr + row * n + column, mask=column < n, other=0.0)
        total += tl.sum(target * (tl.log(tl.maximum(target, least)) - y), axis=0)
    tl.store(loss_ptr + row, total)


@weft.jit
def quantize_rows(x_ptr, q_ptr, scale_ptr, n, BLOCK: tl.constexpr):
    """Write a row as integers of 8 bits, and the scale that takes them back."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + column, mask=column < n, other=0.0).to(tl.float32)
    largest = tl.maximum(tl.max(tl.abs(x)), 1e-10)
    q = libdevice.round(x * (127 / largest)).to(tl.int8)
    tl.store(q_ptr + row * n + column, q, mask=column < n)
    tl.store(scale_ptr + row, largest / 127)


@weft.jit
def dequantize_4_bits(
    q_ptr, scale_ptr, zero_ptr, out_ptr, columns, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):  # fmt: skip
    """Write a tile of numbers, eight to a word, with a scale and a zero per group of rows."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    words = tl.load(q_ptr + row * (columns // 8) + column // 8)
    q = (words >> (column % 8 * 4)) & 0xF
    scale = tl.load(scale_ptr + row // GROUP * columns + column)
    zero = tl.load(zero_ptr + row // GROUP * columns + column)
    tl.store(out_ptr + row * columns + column, (q.to(tl.float16) - zero) * scale)


@weft.jit
def top_k(x_ptr, value_ptr, index_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    """Write a row's K largest numbers and where they are, one after the other."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + column, mask=column < n, other=float("-inf"))
    for k in tl.static_range(K):
        value, index = tl.max(x, axis=0, return_indices=True)
        tl.store(value_ptr + row * K + k, value)
        tl.store(index_ptr + row * K + k, index)
        x = tl.where(column == index, float("-inf"), x)


@weft.jit
def linear_step(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@weft.jit
def linear_recurrence(
    a_ptr, b_ptr, y_ptr, length, WIDTH: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_D: tl.constexpr
):
    """Write y[t] = a[t] y[t - 1] + b[t] of some columns, a tile of steps at a time."""
    column = tl.program_id(0) * BLOCK_D + tl.arange(0, BLOCK_D)
    before = tl.zeros((BLOCK_D,), tl.float32)
    for first in range(0, length, BLOCK_T):
        step = first + tl.arange(0, BLOCK_T)
        place = step[:, None] * WIDTH + column[None, :]
        a = tl.load(a_ptr + place, mask=step[:, None] < length, other=1.0)
        b = tl.load(b_ptr + place, mask=step[:, None] < length, other=0.0)
        product, y = tl.associative_scan((a, b), 0, linear_step)
        y += product * before[None, :]
        tl.store(y_ptr + place, y, mask=step[:, None] < length)
        is_last = tl.arange(0, BLOCK_T) == BLOCK_T - 1
        before = tl.sum(tl.where(is_last[:, None], y, 0.0), 0)


@weft.jit
def causal_convolution(
    x_ptr, weight_ptr, bias_ptr, y_ptr, length, width, TAPS: tl.constexpr, BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):  # fmt: skip
    """Write a tile of a depthwise convolution over steps, through x · sigmoid(x)."""
    column = tl.program_id(0) * BLOCK_D + tl.arange(0, BLOCK_D)
    step = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    batch = tl.program_id(2) * length * width
    inside = column < width
    total = tl.zeros((BLOCK_T, BLOCK_D), tl.float32)
    for tap in tl.static_range(TAPS):
        source = step - (TAPS - 1) + tap
        there = (source[:, None] >= 0) & (source[:, None] < length) & inside[None, :]
        place = batch + source[:, None] * width + column[None, :]
        x = tl.load(x_ptr + place, mask=there, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + column * TAPS + tap, mask=inside, other=0.0).to(tl.float32)
        total += x * weight[None, :]
    total += tl.load(bias_ptr + column, mask=inside, other=0.0).to(tl.float32)[None, :]
    place = batch + step[:, None] * width + column[None, :]
    there = (step[:, None] < length) & inside[None, :]
    tl.store(y_ptr + place, total * tl.sigmoid(total), mask=there)


@weft.jit
def update_state(
    state_ptr, x_ptr, dt_ptr, a_ptr, b_ptr, c_ptr, out_ptr, width, STATES: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Take one step of a selective state space model for some columns of one sequence."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    batch = tl.program_id(1)
    inside = row < width
    n = tl.arange(0, STATES)
    place = state_ptr + (batch * width + row[:, None]) * STATES + n[None, :]
    state = tl.load(place, mask=inside[:, None], other=0.0)
    x = tl.load(x_ptr + batch * width + row, mask=inside, other=0.0).to(tl.float32)
    dt = tl.load(dt_ptr + batch * width + row, mask=inside, other=0.0).to(tl.float32)
    dt = tl.where(dt <= 20.0, tl.log(tl.exp(dt) + 1), dt)
    a = tl.load(a_ptr + row[:, None] * STATES + n[None, :], mask=inside[:, None], other=0.0)
    b = tl.load(b_ptr + batch * STATES + n).to(tl.float32)
    c = tl.load(c_ptr + batch * STATES + n).to(tl.float32)
    state = state * tl.exp(a * dt[:, None]) + b[None, :] * (dt * x)[:, None]
    tl.store(place, state, mask=inside[:, None])
    tl.store(out_ptr + batch * width + row, tl.sum(state * c[None, :], axis=1), mask=inside)


@weft.jit
def decode(
    q_ptr, k_ptr, v_ptr, out_ptr, length_ptr, scale, heads, group, longest,
    WIDTH: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Attend with one query of one head to its keys, by online softmax and without tl.dot."""
    batch, head = tl.program_id(0), tl.program_id(1)
    length = tl.load(length_ptr + batch)
    d = tl.arange(0, WIDTH)
    q = tl.load(q_ptr + (batch * heads + head) * WIDTH + d).to(tl.float32)
    first_row = (batch * (heads // group) + head // group) * longest
    largest, total = -float("inf"), 0.0
    accumulator = tl.zeros((WIDTH,), tl.float32)
    for first in range(0, length, BLOCK):
        n = first + tl.arange(0, BLOCK)
        place = (first_row + n[:, None]) * WIDTH + d[None, :]
        k = tl.load(k_ptr + place, mask=n[:, None] < length, other=0.0)
        v = tl.load(v_ptr + place, mask=n[:, None] < length, other=0.0)
        score = tl.where(n < length, tl.sum(q[None, :] * k, 1) * scale, float("-inf"))
        larger = tl.maximum(tl.max(score, 0), largest)
        weight, rescale = tl.exp(score - larger), tl.exp(largest - larger)
        accumulator = accumulator * rescale + tl.sum(weight[:, None] * v, 0)
        total = total * rescale + tl.sum(weight, 0)
        largest = larger
    tl.store(out_ptr + (batch * heads + head) * WIDTH + d, accumulator / total)


@weft.jit
def count_experts(expert_ptr, count_ptr, n, EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    """Write how many of some tokens go to each expert."""
    program = tl.program_id(0)
    place = program * BLOCK + tl.arange(0, BLOCK)
    expert = tl.load(expert_ptr + place, mask=place < n, other=EXPERTS)
    hits = expert[:, None] == tl.arange(0, EXPERTS)[None, :]
    counts = tl.sum(hits.to(tl.int32), 0)
    tl.store(count_ptr + program * EXPERTS + tl.arange(0, EXPERTS), counts)
