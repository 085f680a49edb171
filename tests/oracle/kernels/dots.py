"""Matrix products of every element type, tile and number of warps: one idea per kernel."""

from __future__ import annotations

import weft
import weft.language as tl

NVIDIA = ("cuda:80", "cuda:86", "cuda:89", "cuda:90", "cuda:100", "cuda:120")
OCP = ("hip:gfx950", "hip:gfx1201", "hip:gfx1250", "cuda:89", "cuda:90", "cuda:100", "cuda:120")
FNUZ = ("hip:gfx942",)


@weft.jit
def tile_product(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One tile, no loop: what a dot asks for when nothing else does."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c = tl.dot(a, b, out_dtype=c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@weft.jit
def product(
    a_ptr,
    b_ptr,
    c_ptr,
    K,
    stride_a,
    stride_b,
    stride_c,
    M: tl.constexpr,
    N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Walk along K with a carried accumulator, pointers advanced in the loop."""
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_a + k[None, :]
    b_ptrs = b_ptr + k[:, None] * stride_b + n[None, :]
    acc = tl.zeros((M, N), tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=acc.dtype)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_b
    c = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * stride_c + n[None, :], c)


@weft.jit
def product_of_transposes(a_ptr, b_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """Both operands lie the wrong way round in memory: contiguous along M, and along K."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, 32):
        a = tl.load(a_ptr + (first + k)[:, None] * M + m[None, :])
        b = tl.load(b_ptr + n[:, None] * K + (first + k)[None, :])
        acc += tl.dot(tl.trans(a), tl.trans(b))
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(tl.float16))


@weft.jit
def widened_weights(a_ptr, w_ptr, scale_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """Weights of 8 bits are widened and scaled on the way to the dot: mixed precision."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64)
    scale = tl.load(scale_ptr + n)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, 64):
        a = tl.load(a_ptr + m[:, None] * K + (first + k)[None, :])
        w = tl.load(w_ptr + (first + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, w.to(a.dtype), acc)
    acc = acc * scale[None, :]
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty))


@weft.jit
def unpacked_nibbles(a_ptr, w_ptr, c_ptr, K, M: tl.constexpr, N: tl.constexpr):
    """Weights of 4 bits, two in a byte along K, are unpacked by join and reshape before the dot."""
    m, n, k, half = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 64), tl.arange(0, 32)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, 64):
        a = tl.load(a_ptr + m[:, None] * K + (first + k)[None, :])
        packed = tl.load(w_ptr + n[:, None] * (K // 2) + (first // 2 + half)[None, :])
        low = (packed & 0xF).to(tl.int8) - 8
        high = (packed >> 4).to(tl.int8) - 8
        w = tl.join(low, high).reshape(N, 64).to(a.dtype)
        acc = tl.dot(a, tl.trans(w), acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty))


@weft.jit
def batched_in_loop(
    a_ptr, b_ptr, c_ptr, K, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr
):
    """A dot of three axes in a loop."""
    batch, m, n = tl.arange(0, B)[:, None, None], tl.arange(0, M), tl.arange(0, N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + batch * M * K + m[None, :, None] * K + k[None, None, :]
    b_ptrs = b_ptr + batch * K * N + k[None, :, None] * N + n[None, None, :]
    acc = tl.zeros((B, M, N), tl.float32)
    for _ in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N
    tl.store(c_ptr + batch * M * N + m[None, :, None] * N + n[None, None, :], acc)


@weft.jit
def mixed_fp8(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """One operand of fp8 widened to the other's type, the product to bf16."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    c = tl.dot(a.to(b.dtype), b)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c.to(tl.bfloat16))


_LOOP = "i32:16, i32:16, i32:16, i32:16"

CASES = (
    (tile_product, "*fp16:16, *fp16:16, *fp32:16, 16, 16, 16", {}, {"num_warps": 1}),
    (tile_product, "*fp16:16, *fp16:16, *fp32:16, 32, 128, 16", {}, {"num_warps": 2}),
    (tile_product, "*bf16:16, *bf16:16, *fp32:16, 256, 64, 64", {}, {"num_warps": 16}),
    (tile_product, "*fp64:16, *fp64:16, *fp64:16, 32, 32, 16", {}, {}, ("cuda:80", "cuda:90")),
    (product, f"*fp16:16, *fp16:16, *fp16:16, {_LOOP}, 128, 256, 64, constexpr", {"PRECISION": "ieee"}, {"num_warps": 8}),
    (product, f"*fp16:16, *fp16:16, *fp32:16, {_LOOP}, 64, 16, 32, constexpr", {"PRECISION": "ieee"}, {}),
    (product, f"*fp32:16, *fp32:16, *fp32:16, {_LOOP}, 64, 64, 32, constexpr", {"PRECISION": "tf32"}, {}, (*NVIDIA, "hip:gfx942")),
    (product, f"*fp32:16, *fp32:16, *fp32:16, {_LOOP}, 64, 64, 16, constexpr", {"PRECISION": "ieee"}, {}),
    (product, f"*fp32:16, *fp32:16, *fp32:16, {_LOOP}, 64, 32, 32, constexpr", {"PRECISION": "tf32x3"}, {}, NVIDIA),
    (product, f"*i8:16, *i8:16, *i32:16, {_LOOP}, 64, 128, 64, constexpr", {"PRECISION": "ieee"}, {}),
    (product, f"*fp8e5:16, *fp8e5:16, *fp16:16, {_LOOP}, 128, 128, 64, constexpr", {"PRECISION": "ieee"}, {"num_warps": 8}),
    (product, f"*fp8e4nv:16, *fp8e4nv:16, *bf16:16, {_LOOP}, 64, 64, 128, constexpr", {"PRECISION": "ieee"}, {}, OCP),
    (product, f"*fp8e4b8:16, *fp8e4b8:16, *bf16:16, {_LOOP}, 64, 64, 128, constexpr", {"PRECISION": "ieee"}, {}, FNUZ),
    (product_of_transposes, "*fp16:16, *fp16:16, *fp16:16, i32:16, 64, 128", {}, {}),
    (widened_weights, "*fp16:16, *i8:16, *fp32:16, *fp16:16, i32:16, 64, 64", {}, {}),
    (widened_weights, "*bf16:16, *i8:16, *fp32:16, *bf16:16, i32:16, 16, 128", {}, {"num_warps": 2}),
    (unpacked_nibbles, "*fp16:16, *u8:16, *fp16:16, i32:16, 32, 64", {}, {}),
    (batched_in_loop, "*fp16:16, *fp16:16, *fp32:16, i32:16, 4, 32, 32, 32", {}, {}),
    (batched_in_loop, "*fp32:16, *fp32:16, *fp32:16, i32:16, 2, 16, 64, 16", {}, {"num_warps": 8}),
    (mixed_fp8, "*fp8e5:16, *fp16:16, *bf16:16, 64, 64, 64", {}, {}),
)  # fmt: skip
