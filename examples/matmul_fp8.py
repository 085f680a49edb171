"""Matrix multiplication of 8-bit floats, each row of A and each column of B with a scale.

An 8-bit float has four exponent bits and three of fraction (e4m3), or five and two (e5m2): little
range or little precision. So a matrix is divided, row by row or column by column, by what makes its
largest element the largest number of the type, and the product is multiplied back:

    A ≈ diag(a_scale) · A₈        B ≈ B₈ · diag(b_scale)
    A · B ≈ diag(a_scale) · (A₈ · B₈) · diag(b_scale)

The scales are factored out of the sum along K, so the inner loop does not read them: it multiplies
8-bit floats and sums in f32, and the tile is scaled once, at the end.

e4m3 exists twice. `fp8e4nv` reaches 448 and has NaN but no infinity: NVIDIA from sm_89 on, and AMD.
`fp8e4b8`, from the MI300's first days, has another bias and reaches 240. CASES says which case is
for which chip.

Run it: `weft run examples/matmul_fp8.py`, or `python examples/matmul_fp8.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def matmul_fp8(
    a_ptr,
    b_ptr,
    c_ptr,
    a_scale_ptr,
    b_scale_ptr,
    M,
    N,
    K,
    a_stride,
    b_stride,
    c_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Write one BLOCK_M × BLOCK_N tile of the scaled product per program.

    A: (M, K), packed rows of an 8-bit float, a_scale: (M,) f32.
    B: (K, N), packed *columns* of an 8-bit float, b_scale: (N,) f32.
    C: (M, N), packed rows.  Strides count elements from row to row, for B from column to column.
    Grid: (tiles along N, tiles along M).
    """
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    # Both walk along K with K's neighbours side by side: so the matrix units take 8-bit operands.
    a_ptrs = a_ptr + rows[:, None] * a_stride + ks[None, :]
    b_ptrs = b_ptr + columns[None, :] * b_stride + ks[:, None]

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        remaining = K - k
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < remaining), other=0.0)
        b = tl.load(b_ptrs, mask=(ks[:, None] < remaining) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K

    a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + columns, mask=columns < N, other=0.0)
    acc = acc * a_scale[:, None] * b_scale[None, :]
    c_ptrs = c_ptr + rows[:, None] * c_stride + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=inside)


# A fifth part names the chips that a case is for, where it is not for all of them.
CASES = (
    (
        matmul_fp8,
        "*fp8e5:16, *fp8e5:16, *fp16:16, *fp32:16, *fp32:16, "
        "i32:16, i32:16, i32:16, i32:16, i32:16, i32:16, 128, 128, 64",
        {},
        {"num_warps": 8},
    ),
    (
        matmul_fp8,
        "*fp8e4nv:16, *fp8e4nv:16, *bf16:16, *fp32:16, *fp32:16, "
        "i32, i32, i32:16, i32:16, i32:16, i32:16, 64, 128, 128",
        {},
        {},
        (
            "cuda:89", "cuda:90", "cuda:100", "hip:gfx908", "hip:gfx90a", "hip:gfx942",
            "hip:gfx950", "hip:gfx1100", "hip:gfx1201", "hip:gfx1250",
        ),
    ),
    (
        matmul_fp8,
        "*fp8e4b8:16, *fp8e4b8:16, *fp32:16, *fp32:16, *fp32:16, "
        "i32, i32, i32, i32, i32, i32, 64, 64, 32",
        {},
        {"num_warps": 2},
        ("hip:gfx908", "hip:gfx90a", "hip:gfx942"),
    ),
)  # fmt: skip


def quantise(x, dtype, axis):
    """Return x divided into an 8-bit float and an f32 scale per row (axis 1) or column (axis 0)."""
    scale = np.abs(x).max(axis=axis, keepdims=True) / float(ml_dtypes.finfo(dtype).max)
    scale = np.where(scale > 0, scale, 1).astype(np.float32)
    return (x / scale).astype(dtype), scale.ravel()


def launch(a, b, c, a_scale, b_scale, block=(64, 64, 64)):
    """Start one program per tile of c. a: (M, K), b: (N, K), c: (M, N), all with packed rows."""
    (m, k), n = a.shape, b.shape[0]
    block_m, block_n, block_k = block
    matmul_fp8[(weft.cdiv(n, block_n), weft.cdiv(m, block_m))](
        a,
        b,
        c,
        a_scale,
        b_scale,
        m,
        n,
        k,
        k,
        k,
        n,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
    )


def check(dtype, out_dtype, m, n, k) -> float:
    """Compare with numpy, and return the largest error seen as a part of the largest result.

    The expected product is that of the 8-bit elements: the rounding to 8 bits is not the kernel's.
    """
    rng = np.random.default_rng(0)
    a, a_scale = quantise(rng.standard_normal((m, k)), dtype, axis=1)
    b, b_scale = quantise(rng.standard_normal((k, n)), dtype, axis=0)
    c = np.empty((m, n), out_dtype)
    launch(a, np.ascontiguousarray(b.T), c, a_scale, b_scale)
    expected = (a.astype(np.float64) * a_scale[:, None]) @ (b.astype(np.float64) * b_scale)
    error = np.abs(c.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 4 * float(ml_dtypes.finfo(out_dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check three 8-bit types and three types of the result on sizes that fill no tile."""
    for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz):
        for out_dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
            error = check(dtype, out_dtype, 101, 155, 173)
            print(
                f"matmul_fp8  {np.dtype(dtype).name:15} to {np.dtype(out_dtype).name:8}"
                f"  101 × 155 × 173  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
