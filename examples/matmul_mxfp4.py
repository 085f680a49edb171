"""Matrix multiplication of 4-bit floats in the microscaling format: mxfp4.

A 4-bit float, e2m1, is one of 0 ½ 1 1½ 2 3 4 6, or its negative. Every 32 neighbours along K share
a scale, a power of two in one byte, e8m0: the byte s encodes 2^(s − 127).

    element       0   1   2   3 …    31   32 …             M × K elements
    in memory    ┌─────┬─────┬─ … ─┬─────┬─ …              M × K/2 bytes, the earlier element low
                 │ 1│ 0│ 3│ 2│     │31│30│
                 └─────┴─────┴─ … ─┴─────┴─ …
    scales       s₀ ──────────────────── s₁ …              M × K/32 bytes

The scales change along K, so they cannot wait for the end of the sum as those of `matmul_fp8.py`
do: `tl.dot_scaled` takes them with each tile. Chips whose matrix units know the format are given it
as it is (sm_100, gfx950); for others the compiler widens tiles to 16 bits on the way.

A model often has only its weights in 4 bits: with A_FORMAT "bf16" or "fp16", A has no scales.

Run it: `weft run examples/matmul_mxfp4.py`, or `python examples/matmul_mxfp4.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def matmul_mxfp4(
    a_ptr,
    a_scale_ptr,
    b_ptr,
    b_scale_ptr,
    c_ptr,
    M,
    N,
    K,
    A_FORMAT: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Write one BLOCK_M × BLOCK_N tile of C = A · Bᵀ per program; grid: (tiles of N, tiles of M).

    A: (M, K/2) bytes of two e2m1 each, a_scale: (M, K/32) bytes, if A_FORMAT is "e2m1";
    else A: (M, K) of A_FORMAT, and a_scale is not read.
    B: (N, K/2) bytes, b_scale: (N, K/32) bytes.  C: (M, N).  All packed; K a multiple of 32.
    """
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    A_PACK: tl.constexpr = 2 if A_FORMAT == "e2m1" else 1
    a_ks = tl.arange(0, BLOCK_K // A_PACK)
    b_ks = tl.arange(0, BLOCK_K // 2)
    groups = tl.arange(0, BLOCK_K // 32)
    a_ptrs = a_ptr + rows[:, None] * (K // A_PACK) + a_ks[None, :]
    b_ptrs = b_ptr + columns[None, :] * (K // 2) + b_ks[:, None]
    a_scale_ptrs = a_scale_ptr + rows[:, None] * (K // 32) + groups[None, :]
    b_scale_ptrs = b_scale_ptr + columns[:, None] * (K // 32) + groups[None, :]

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        remaining = K - k
        # A byte of zeros is two elements 0; a scale outside then multiplies nothing.
        a_inside = (rows[:, None] < M) & (a_ks[None, :] < remaining // A_PACK)
        b_inside = (columns[None, :] < N) & (b_ks[:, None] < remaining // 2)
        a = tl.load(a_ptrs, mask=a_inside, other=0.0)
        b = tl.load(b_ptrs, mask=b_inside, other=0)
        known = groups[None, :] < remaining // 32
        b_scale = tl.load(b_scale_ptrs, mask=(columns[:, None] < N) & known, other=0)
        if A_FORMAT == "e2m1":
            a_scale = tl.load(a_scale_ptrs, mask=(rows[:, None] < M) & known, other=0)
            acc = tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", acc)
        else:
            acc = tl.dot_scaled(a, None, A_FORMAT, b, b_scale, "e2m1", acc)
        a_ptrs += BLOCK_K // A_PACK
        b_ptrs += BLOCK_K // 2
        a_scale_ptrs += BLOCK_K // 32
        b_scale_ptrs += BLOCK_K // 32

    c_ptrs = c_ptr + rows[:, None] * N + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=inside)


CASES = (
    (
        matmul_mxfp4,
        "*u8:16, *u8:16, *u8:16, *u8:16, *fp16:16, i32:16, i32:16, i32:16, "
        "constexpr, 128, 128, 128",
        {"A_FORMAT": "e2m1"},
        {"num_warps": 8},
    ),
    (
        matmul_mxfp4,
        "*bf16:16, *u8:16, *u8:16, *u8:16, *bf16:16, i32, i32, i32:16, constexpr, 64, 128, 64",
        {"A_FORMAT": "bf16"},
        {},
    ),
    (
        matmul_mxfp4,
        "*fp16:16, *u8:16, *u8:16, *u8:16, *fp32:16, i32, i32, i32:16, constexpr, 32, 64, 128",
        {"A_FORMAT": "fp16"},
        {},
    ),
)

FORMATS = {"e2m1": np.uint8, "fp16": np.float16, "bf16": ml_dtypes.bfloat16}


def quantise(x):
    """Return x, (rows, K), as (bytes of two e2m1, e8m0 bytes), and their values."""
    groups = x.reshape(x.shape[0], -1, 32)
    largest = np.abs(groups).max(axis=2, keepdims=True)
    # The scale that brings the largest of 32 to 4 … 8; what is then above 6 is rounded to 6.
    exponent = np.floor(np.log2(np.where(largest > 0, largest, 1))) - 2
    small = np.clip(groups / 2.0**exponent, -6, 6).astype(ml_dtypes.float4_e2m1fn)
    nibbles = small.view(np.uint8).reshape(x.shape) & 0xF
    packed = nibbles[:, ::2] | nibbles[:, 1::2] << 4
    stands_for = (small.astype(np.float64) * 2.0**exponent).reshape(x.shape)
    return packed, (exponent[..., 0] + 127).astype(np.uint8), stands_for


def launch(a, a_scale, b, b_scale, c, a_format, block=(32, 64, 64)):
    """Start one program per tile of c. All arrays are two-dimensional with packed rows."""
    (m, n), k = c.shape, b.shape[1] * 2
    block_m, block_n, block_k = block
    matmul_mxfp4[(weft.cdiv(n, block_n), weft.cdiv(m, block_m))](
        a,
        a_scale,
        b,
        b_scale,
        c,
        m,
        n,
        k,
        A_FORMAT=a_format,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
    )


def check(a_format, out_dtype, m, n, k) -> float:
    """Compare with numpy, and return the largest error seen as a part of the largest result.

    The expected product is that of the values of elements and scales.
    """
    rng = np.random.default_rng(0)
    # Rows of all magnitudes, so that scales differ.
    x = rng.standard_normal((m, k)) * 2.0 ** rng.integers(-8, 8, (m, 1))
    b, b_scale, b_wide = quantise(rng.standard_normal((n, k)))
    if a_format == "e2m1":
        a, a_scale, a_wide = quantise(x)
    else:
        a, a_scale = x.astype(FORMATS[a_format]), np.zeros((1, 1), np.uint8)
        a_wide = a.astype(np.float64)
    c = np.empty((m, n), out_dtype)
    launch(a, a_scale, b, b_scale, c, a_format)
    expected = a_wide @ b_wide.T
    error = np.abs(c.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 4 * float(ml_dtypes.finfo(out_dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check three formats of A and three types of the result on sizes that fill no tile."""
    for a_format in FORMATS:
        for out_dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
            error = check(a_format, out_dtype, 75, 101, 160)
            print(
                f"matmul_mxfp4  {a_format:4} × e2m1 to {np.dtype(out_dtype).name:8}"
                f"  75 × 101 × 160  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
