"""Whole products as libraries write them: loops, schedules, epilogues and options of back ends."""

from __future__ import annotations

import weft
import weft.language as tl

MFMA = ("hip:gfx908", "hip:gfx90a", "hip:gfx942", "hip:gfx950")
HIP = (*MFMA, "hip:gfx1100", "hip:gfx1201", "hip:gfx1250")


@weft.jit
def grouped_tile(tile, rows, columns, GROUP: tl.constexpr):
    """Return the row and column of a tile, in groups of rows that share columns."""
    in_group = GROUP * columns
    first = tile // in_group * GROUP
    size = min(rows - first, GROUP)
    return first + tile % in_group % size, tile % in_group // size


@weft.jit
def masked_product(
    a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    """Grouped tiles, masked loads, and an epilogue of bias and activation, masked store."""
    row, column = grouped_tile(tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN), 8)
    m, n, k = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    a_ptrs = a_ptr + (m % M)[:, None] * stride_a + k[None, :]
    b_ptrs = b_ptr + k[:, None] * stride_b + (n % N)[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK
        b_ptrs += BK * stride_b
    acc += tl.load(bias_ptr + n, mask=n < N, other=0.0)[None, :]
    if ACTIVATION == "gelu":
        acc = 0.5 * acc * (1.0 + tl.erf(acc * 0.70710678))
    elif ACTIVATION == "leaky":
        acc = tl.where(acc > 0, acc, 0.01 * acc)
    inside = (m[:, None] < M) & (n[None, :] < N)
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * stride_c + n[None, :], c, mask=inside)


@weft.jit
def split_k(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """Each program sums a part of K, and adds its tile to memory atomically."""
    part = tl.program_id(2)
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    k = part * BK + tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK * PARTS)):
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
        a_ptrs += BK * PARTS
        b_ptrs += BK * PARTS * N
    tl.atomic_add(c_ptr + m[:, None] * N + n[None, :], acc, sem="relaxed")


@weft.jit
def persistent(
    a_ptr, b_ptr, c_ptr, M, N, K, PROGRAMS: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    """A program walks over many tiles: a loop over tiles around the loop along K."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), rows * columns, PROGRAMS, flatten=FLATTEN):
        row, column = grouped_tile(tile, rows, columns, 4)
        m, n = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for step in range(0, tl.cdiv(K, BK)):
            k = step * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=k[None, :] < K, other=0.0)
            b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=k[:, None] < K, other=0.0)
            acc = tl.dot(a, b, acc)
        c = acc.to(c_ptr.dtype.element_ty)
        inside = (m[:, None] < M) & (n[None, :] < N)
        tl.store(c_ptr + m[:, None] * N + n[None, :], c, mask=inside)


@weft.jit
def two_results(x_ptr, w_ptr, out_ptr, amax_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """The accumulator is stored narrowed, and reduced for the scale of its rows."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, 32):
        x = tl.load(x_ptr + m[:, None] * K + (first + k)[None, :])
        acc = tl.dot(x, tl.load(w_ptr + (first + k)[:, None] * N + n[None, :]), acc)
    largest = tl.max(tl.abs(acc), 1)
    tl.store(amax_ptr + m, largest)
    acc = acc * (448.0 / largest)[:, None]
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc.to(tl.float8e5))


@weft.jit
def residual_norm(x_ptr, w_ptr, skip_ptr, gain_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """A product, plus a residual, normed along rows: product, load and reduction meet."""
    m, n, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, 32):
        x = tl.load(x_ptr + m[:, None] * K + (first + k)[None, :])
        acc = tl.dot(x, tl.load(w_ptr + (first + k)[:, None] * N + n[None, :]), acc)
    at = m[:, None] * N + n[None, :]
    acc += tl.load(skip_ptr + at).to(tl.float32)
    rms = tl.rsqrt(tl.sum(acc * acc, 1) / N + 1e-6)
    out = acc * rms[:, None] * tl.load(gain_ptr + n)[None, :]
    tl.store(out_ptr + at, out.to(out_ptr.dtype.element_ty))


@weft.jit
def block_scaled_product(
    a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr
):
    """Scales per block of 128 along K multiply the result of each dot."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 128)
    acc = tl.zeros((M, N), tl.float32)
    for step in range(0, tl.cdiv(K, 128)):
        a = tl.load(a_ptr + m[:, None] * K + (step * 128 + k)[None, :])
        b = tl.load(b_ptr + n[None, :] * K + (step * 128 + k)[:, None])
        a_scale = tl.load(a_scale_ptr + m * (K // 128) + step)
        b_scale = tl.load(b_scale_ptr + n * (K // 128) + step)
        acc += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty))


@weft.jit
def gathered_rows(x_ptr, w_ptr, index_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """Rows of the left operand at loaded places, scattered back: a layer of experts."""
    m, n, k = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64)
    token = tl.load(index_ptr + m)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, 64):
        x = tl.load(x_ptr + token[:, None] * K + (first + k)[None, :], mask=token[:, None] >= 0)
        acc = tl.dot(x, tl.load(w_ptr + (first + k)[:, None] * N + n[None, :]), acc)
    out = acc.to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + token[:, None] * N + n[None, :], out, mask=token[:, None] >= 0)


@weft.jit
def convolution(x_ptr, w_ptr, out_ptr, width, CHANNELS: tl.constexpr, M: tl.constexpr):
    """Three shifted products into one accumulator, unrolled."""
    m, c = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, CHANNELS)
    acc = tl.zeros((M, CHANNELS), tl.float32)
    for tap in tl.static_range(3):
        at = m + tap - 1
        inside = (at >= 0) & (at < width)
        x = tl.load(x_ptr + at[:, None] * CHANNELS + c[None, :], mask=inside[:, None], other=0.0)
        w = tl.load(w_ptr + tap * CHANNELS * CHANNELS + c[:, None] * CHANNELS + c[None, :])
        acc = tl.dot(x, w, acc)
    tl.store(out_ptr + m[:, None] * CHANNELS + c[None, :], acc, mask=(m < width)[:, None])


_H = "*fp16:16, *fp16:16, *fp16:16"
_MASKED = f"{_H}, *fp16:16, i32, i32, i32:16, i32:16, i32:16, i32:16"
_WALK = f"{_H}, i32, i32:16, i32:16"
_GELU, _LEAKY = {"ACTIVATION": "gelu"}, {"ACTIVATION": "leaky"}

CASES = (
    (masked_product, f"{_MASKED}, 128, 128, 64, constexpr", _LEAKY, {"num_warps": 8}),
    (masked_product, f"{_MASKED}, 64, 256, 32, constexpr", _GELU, {}),
    (masked_product, f"{_MASKED}, 256, 256, 64, constexpr", _LEAKY, {"num_warps": 8, "num_stages": 2}, HIP),
    (masked_product, f"{_MASKED}, 64, 64, 64, constexpr", _LEAKY, {"kpack": 2}, ("hip:gfx908", "hip:gfx90a", "hip:gfx942")),
    (masked_product, f"{_MASKED}, 64, 64, 64, constexpr", _LEAKY, {"matrix_instr_nonkdim": 16}, MFMA),
    (masked_product, f"{_MASKED}, 128, 64, 32, constexpr", _LEAKY, {"matrix_instr_nonkdim": 32, "num_warps": 2}, MFMA),
    (masked_product, f"{_MASKED}, 16, 64, 64, constexpr", _LEAKY, {"matrix_instr_nonkdim": 16, "kpack": 2, "num_warps": 1}, ("hip:gfx90a", "hip:gfx942")),
    (split_k, f"{_WALK.replace('*fp16:16, i32', '*fp32:16, i32')}, 64, 64, 32, 4", {}, {}),
    (split_k, "*bf16:16, *bf16:16, *bf16:16, i32, i32:16, i32:16, 32, 64, 64, 8", {}, {"num_warps": 2}),
    (persistent, f"{_WALK}, 132, 128, 128, 64, constexpr", {"FLATTEN": False}, {"num_warps": 8}),
    (persistent, f"{_WALK}, 304, 64, 64, 32, constexpr", {"FLATTEN": True}, {}),
    (two_results, "*fp16:16, *fp16:16, *fp8e5:16, *fp32:16, i32:16, 64, 128", {}, {}),
    (residual_norm, "*bf16:16, *bf16:16, *bf16:16, *fp32:16, *bf16:16, i32:16, 32, 256", {}, {"num_warps": 8}),
    (block_scaled_product, "*fp8e5:16, *fp8e5:16, *fp32, *fp32, *bf16:16, i32:16, 64, 64", {}, {}),
    (gathered_rows, "*fp16:16, *fp16:16, *i32:16, *fp16:16, i32:16, 32, 64", {}, {}),
    (convolution, "*fp16:16, *fp16:16, *fp32:16, i32, 64, 64", {}, {}),
    (convolution, "*fp32:16, *fp32:16, *fp32:16, i32, 32, 128", {}, {"num_warps": 16}),
)  # fmt: skip
