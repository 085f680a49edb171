"""Matrix multiplication with block pointers: say where a tile is, not where each element is.

A tile of ordinary pointers is a tensor of addresses, one per element, with a mask of the same shape
that is computed again for each step. A block pointer is the matrix (start, shape, strides) and a
position in it; a load names the dimensions whose end it may cross, and what is to be read there:

    matrix  M × K                        make_block_ptr(start, (M, K), (stride, 1),
    ┌────────────────────┐                              offsets, block_shape, order)
    │      ┌─────┐       │
    │      │tile │──▶    │               advance(pointer, (0, BLOCK_K))
    │      └─────┘       │
    └────────────────────┘               load(pointer, boundary_check=(0, 1), padding_option=…)

`order` lists the dimensions, the one whose elements are neighbours in memory first. A matrix that
is stored by columns needs no transpose: its strides and its order say so. Here that may be B.

Run it: `weft run examples/matmul_block_pointer.py`, or `python examples/matmul_block_pointer.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def matmul_block_pointer(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_stride,
    b_stride,
    c_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    B_COLUMNS: tl.constexpr,
):
    """Write one BLOCK_M × BLOCK_N tile of A · B per program; grid: (tiles of N, tiles of M).

    A: (M, K) and C: (M, N), packed rows.  B: (K, N), packed columns if B_COLUMNS, else rows.
    Strides count elements from row to row, or from column to column.
    """
    row, column = tl.program_id(1) * BLOCK_M, tl.program_id(0) * BLOCK_N
    a_block = tl.make_block_ptr(
        a_ptr, (M, K), (a_stride, 1), (row, 0), (BLOCK_M, BLOCK_K), order=(1, 0)
    )
    if B_COLUMNS:
        b_block = tl.make_block_ptr(
            b_ptr, (K, N), (1, b_stride), (0, column), (BLOCK_K, BLOCK_N), order=(0, 1)
        )
    else:
        b_block = tl.make_block_ptr(
            b_ptr, (K, N), (b_stride, 1), (0, column), (BLOCK_K, BLOCK_N), order=(1, 0)
        )

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))

    c_block = tl.make_block_ptr(
        c_ptr, (M, N), (c_stride, 1), (row, column), (BLOCK_M, BLOCK_N), order=(1, 0)
    )
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


CASES = (
    (
        matmul_block_pointer,
        "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16, "
        "128, 128, 64, constexpr",
        {"B_COLUMNS": True},
        {"num_warps": 8},
    ),
    (
        matmul_block_pointer,
        "*bf16:16, *bf16:16, *bf16:16, i32, i32, i32, i32:16, i32:16, i32:16, "
        "64, 128, 32, constexpr",
        {"B_COLUMNS": False},
        {},
    ),
    (
        matmul_block_pointer,
        "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, i32, 64, 32, 16, constexpr",
        {"B_COLUMNS": False},
        {"num_warps": 2},
    ),
)


def launch(a, b, c, b_columns, block=(64, 64, 32)):
    """Start one program per tile of c. a: (M, K), c: (M, N), b: (N, K) if b_columns else (K, N)."""
    (m, k), n = a.shape, c.shape[1]
    block_m, block_n, block_k = block
    matmul_block_pointer[(weft.cdiv(n, block_n), weft.cdiv(m, block_m))](
        a,
        b,
        c,
        m,
        n,
        k,
        k,
        b.shape[1],
        n,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
        B_COLUMNS=b_columns,
    )


def check(dtype, m, n, k, b_columns) -> float:
    """Compare with numpy, and return the largest error seen as a part of the largest result."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((m, k)).astype(dtype)
    b = rng.standard_normal((k, n)).astype(dtype)
    c = np.empty((m, n), dtype)
    launch(a, np.ascontiguousarray(b.T) if b_columns else b, c, b_columns)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    error = np.abs(c.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 4 * float(ml_dtypes.finfo(dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check all types and both orders of B on sizes that fill no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        for b_columns in (False, True):
            error = check(dtype, 201, 155, 173, b_columns)
            kind = "columns" if b_columns else "rows"
            print(
                f"matmul_block_pointer  {np.dtype(dtype).name:8} B by {kind:7} 201 × 155 × 173"
                f"  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
