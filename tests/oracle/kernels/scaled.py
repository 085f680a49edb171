"""Scaled products of the microscaling formats: each pair of formats, tile and packing."""

from __future__ import annotations

import weft
import weft.language as tl


@weft.jit
def scaled_tile(
    a_ptr,
    a_scale_ptr,
    b_ptr,
    b_scale_ptr,
    c_ptr,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    """One tile; either format may be of 4 bits, two elements in a byte along K."""
    A_PACK: tl.constexpr = 2 if A_FORMAT == "e2m1" else 1
    B_PACK: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    m, n, groups = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 32)
    a_k, b_k = tl.arange(0, K // A_PACK), tl.arange(0, K // B_PACK)
    a = tl.load(a_ptr + m[:, None] * (K // A_PACK) + a_k[None, :])
    b = tl.load(b_ptr + n[None, :] * (K // B_PACK) + b_k[:, None])
    a_scale = tl.load(a_scale_ptr + m[:, None] * (K // 32) + groups[None, :])
    b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + groups[None, :])
    c = tl.dot_scaled(a, a_scale, A_FORMAT, b, b_scale, B_FORMAT)
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@weft.jit
def scaled_weights(
    a_ptr,
    b_ptr,
    b_scale_ptr,
    c_ptr,
    K,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Only B has scales; a loop along K."""
    B_PACK: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    m, n = tl.arange(0, M), tl.arange(0, N)
    k, b_k = tl.arange(0, BLOCK_K), tl.arange(0, BLOCK_K // B_PACK)
    groups = tl.arange(0, BLOCK_K // 32)
    acc = tl.zeros((M, N), tl.float32)
    for first in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + m[:, None] * K + (first + k)[None, :])
        b = tl.load(b_ptr + (first // B_PACK + b_k)[:, None] * N + n[None, :])
        b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + (first // 32 + groups)[None, :])
        acc = tl.dot_scaled(a, None, A_FORMAT, b, b_scale, B_FORMAT, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc.to(c_ptr.dtype.element_ty))


@weft.jit
def scaled_activations(a_ptr, a_scale_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr):
    """Only A has scales: its bytes are fp8, B is bf16."""
    m, n, k, groups = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 128), tl.arange(0, 4)
    a = tl.load(a_ptr + m[:, None] * 128 + k[None, :])
    b = tl.load(b_ptr + k[:, None] * N + n[None, :])
    a_scale = tl.load(a_scale_ptr + m[:, None] * 4 + groups[None, :])
    c = tl.dot_scaled(a, a_scale, "e4m3", b, None, "bf16")
    tl.store(c_ptr + m[:, None] * N + n[None, :], c)


@weft.jit
def packed_along_rows(
    a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr
):
    """4-bit operands packed along M and along N instead of along K."""
    m, n, k, groups = tl.arange(0, M // 2), tl.arange(0, N // 2), tl.arange(0, 128), tl.arange(0, 4)
    a = tl.load(a_ptr + m[:, None] * 128 + k[None, :])
    b = tl.load(b_ptr + k[:, None] * (N // 2) + n[None, :])
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    a_scale = tl.load(a_scale_ptr + rows[:, None] * 4 + groups[None, :])
    b_scale = tl.load(b_scale_ptr + columns[:, None] * 4 + groups[None, :])
    c = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", lhs_k_pack=False, rhs_k_pack=False)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], c)


_TILE = "*u8:16, *u8:16, *u8:16, *u8:16, *fp32:16, constexpr, constexpr"
AMD_9 = ("hip:gfx908", "hip:gfx90a", "hip:gfx942", "hip:gfx950")
AMD = (*AMD_9, "hip:gfx1100", "hip:gfx1201", "hip:gfx1250")
E4M3 = (*AMD, "cuda:89", "cuda:90", "cuda:100", "cuda:120")  # before them no e4m3 at all
ROWS = ("hip:gfx942", "hip:gfx950", "hip:gfx1100")  # where packing along rows is taken

CASES = (
    (scaled_tile, f"{_TILE}, 64, 64, 128", {"A_FORMAT": "e4m3", "B_FORMAT": "e4m3"}, {}, E4M3),
    (scaled_tile, f"{_TILE}, 128, 64, 128", {"A_FORMAT": "e5m2", "B_FORMAT": "e2m1"}, {}),
    (scaled_tile, f"{_TILE}, 32, 32, 256", {"A_FORMAT": "e2m1", "B_FORMAT": "e2m1"}, {"num_warps": 1}),
    (scaled_tile, f"{_TILE}, 128, 256, 128", {"A_FORMAT": "e2m1", "B_FORMAT": "e4m3"}, {"num_warps": 8}, E4M3),
    (scaled_weights, "*bf16:16, *u8:16, *u8:16, *bf16:16, i32:16, constexpr, constexpr, 32, 128, 64", {"A_FORMAT": "bf16", "B_FORMAT": "e4m3"}, {}, E4M3),
    (scaled_weights, "*fp16:16, *u8:16, *u8:16, *fp16:16, i32:16, constexpr, constexpr, 64, 64, 128", {"A_FORMAT": "fp16", "B_FORMAT": "e5m2"}, {}),
    (scaled_activations, "*u8:16, *u8:16, *bf16:16, *fp32:16, 64, 64", {}, {}, E4M3),
    (packed_along_rows, "*u8:16, *u8:16, *u8:16, *u8:16, *fp32:16, 128, 128", {}, {}, ROWS),
)  # fmt: skip
