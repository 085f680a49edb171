"""Large products, whose loops AMD's ping-pong scheduling rewrites."""

from __future__ import annotations

import weft
import weft.language as tl

HIP = ("hip:gfx942", "hip:gfx950")
CDNA4 = ("hip:gfx950",)


@weft.jit
def large_product(
    a_ptr, b_ptr, c_ptr, K, lda, ldb, ldc,
    M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, TRANSPOSED: tl.constexpr,
):  # fmt: skip
    """A product whose operands are loaded through advancing pointers."""
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * lda + k[None, :]
    if TRANSPOSED:
        b = b_ptr + n[None, :] * ldb + k[:, None]
    else:
        b = b_ptr + k[:, None] * ldb + n[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        if TRANSPOSED:
            b += BK
        else:
            b += BK * ldb
    tl.store(c_ptr + m[:, None] * ldc + n[None, :], acc.to(c_ptr.dtype.element_ty))


@weft.jit
def masked_product(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """A product whose last step is masked."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :], k[None, :] < K - start, 0.0)
        b = tl.load(b_ptr + n[None, :] * K + start + k[:, None], k[:, None] < K - start, 0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty))


@weft.jit
def widened_product(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    """The right operand is widened between its load from shared memory and the dot."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + start + k[:, None])
        acc = tl.dot(a, b.to(tl.float16), acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@weft.jit
def biased_product(
    a_ptr, b_ptr, s_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr
):
    """The accumulator is scaled by a loaded value in each step."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + start + k[:, None])
        s = tl.load(s_ptr + start + n)
        acc = tl.dot(a, b, acc * s[None, :])
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


@weft.jit
def flat_product(
    a_ptr, b_ptr, c_ptr, TILES, STEPS, K,
    M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr, PROGRAMS: tl.constexpr,
):  # fmt: skip
    """Several tiles in one loop, which begin and end under conditions."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    step = -1
    tile = tl.program_id(0) - PROGRAMS
    rows = m
    for _ in range(0, TILES * STEPS):
        step = tl.where(step == STEPS - 1, 0, step + 1)
        if step == 0:
            tile += PROGRAMS
            rows = tile * M + m
        a = tl.load(a_ptr + rows[:, None] * K + step * BK + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + step * BK + k[:, None])
        acc = tl.dot(a, b, acc)
        if step == STEPS - 1:
            tl.store(c_ptr + rows[:, None] * N + n[None, :], acc.to(tl.float16))
            acc = tl.zeros((M, N), tl.float32)


@weft.jit
def scaled_product(
    a_ptr, sa_ptr, b_ptr, sb_ptr, c_ptr, K,
    M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """A product of microscaled f8 operands."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BK)
    g = tl.arange(0, BK // 32)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        b = tl.load(b_ptr + n[None, :] * K + start + k[:, None])
        sa = tl.load(sa_ptr + m[:, None] * (K // 32) + start // 32 + g[None, :])
        sb = tl.load(sb_ptr + n[:, None] * (K // 32) + start // 32 + g[None, :])
        acc = tl.dot_scaled(a, sa, "e4m3", b, sb, "e4m3", acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)


_LARGE = "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16"
_BYTES = "*fp8e4b8:16, *fp8e4b8:16, *fp16:16, i32:16, i32:16, i32:16, i32:16"
_SMALL = "*fp16:16, *fp16:16, *fp16:16, i32:16"
_WARPS = {"num_warps": 8}
_ROWS, _COLUMNS = {"TRANSPOSED": False}, {"TRANSPOSED": True}

CASES = (
    (large_product, f"{_LARGE}, 256, 256, 64, constexpr", _ROWS, _WARPS, HIP),
    (large_product, f"{_LARGE}, 256, 256, 64, constexpr", _COLUMNS, _WARPS, HIP),
    (large_product, f"{_LARGE}, 256, 256, 64, constexpr", _COLUMNS, {"num_warps": 8, "matrix_instr_nonkdim": 16, "kpack": 2}, HIP),
    (large_product, f"{_LARGE}, 256, 128, 64, constexpr", _ROWS, _WARPS, HIP),
    (large_product, f"{_LARGE}, 128, 256, 64, constexpr", _COLUMNS, {"num_warps": 8, "matrix_instr_nonkdim": 16}, HIP),
    (large_product, f"{_LARGE}, 256, 256, 32, constexpr", _ROWS, {"num_warps": 8, "num_stages": 3}, HIP),
    (large_product, f"{_LARGE}, 128, 128, 64, constexpr", _ROWS, {}, HIP),
    (large_product, f"{_LARGE}, 64, 64, 32, constexpr", _COLUMNS, {}, HIP),
    (large_product, f"{_BYTES}, 256, 256, 128, constexpr", _COLUMNS, _WARPS, ("hip:gfx942",)),
    (masked_product, f"{_SMALL}, 256, 256, 64", {}, _WARPS, HIP),
    (masked_product, f"{_SMALL}, 128, 64, 64", {}, {}, HIP),
    (widened_product, "*fp16:16, *i8:16, *fp32:16, i32:16, 256, 128, 64", {}, _WARPS, HIP),
    (biased_product, "*fp16:16, *fp16:16, *fp32:16, *fp32:16, i32:16, 256, 128, 64", {}, _WARPS, HIP),
    (flat_product, "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32:16, 256, 256, 64, 304", {}, _WARPS, HIP),
    (flat_product, "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32:16, 256, 128, 64, 304", {}, _WARPS, HIP),
    (scaled_product, "*fp8e4nv:16, *u8:16, *fp8e4nv:16, *u8:16, *fp32:16, i32:16, 256, 256, 128", {}, _WARPS, CDNA4),
)  # fmt: skip
