"""Matrix multiplication with a fused activation, its programs in an order that suits the caches.

Each program makes one tile of C = activation(A·B), walking along K:

            B  K×N                     acc = 0
            ┌──┬──┬──┐                 for each tile of K:
            │  │▓▓│  │                     acc += A[rows, k] · B[k, columns]
    A  M×K  │  │▓▓│  │                 C[rows, columns] = activation(acc)
    ┌────┐  ├──┼──┼──┤
    │    │  │  │  │  │
    │▓▓▓▓│  │  │██│  │  C
    │    │  │  │  │  │
    └────┘  └──┴──┴──┘

Programs that run at the same time share a cache. Numbered row by row, 9 of them on a 9-wide grid
read 1 band of A and 9 of B; numbered in groups of 3 tile rows, column by column inside a group,
they cover a 3×3 square: 3 bands of A and 3 of B. GROUP is the height of that square.

Run it: `weft run examples/matmul.py`, or `python examples/matmul.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def silu(x):
    """Return x · sigmoid(x), in f32."""
    return x / (1 + tl.exp(-x))


@weft.jit
def grouped_tile(program, tile_rows, tile_columns, GROUP: tl.constexpr):
    """Return the (tile row, tile column) of a program; the last group may be less than GROUP high.

    GROUP = 2, 3 tile rows, 3 tile columns:     0 2 4
                                                1 3 5
                                                6 7 8
    """
    group = program // (GROUP * tile_columns)
    first = group * GROUP
    height = min(tile_rows - first, GROUP)
    within = program % (GROUP * tile_columns)
    return first + within % height, within // height


@weft.jit
def matmul(
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
    GROUP: tl.constexpr,
    ACTIVATION: tl.constexpr,
):
    """Write one BLOCK_M × BLOCK_N tile of activation(A·B) per program.

    A: (M, K), B: (K, N), C: (M, N); elements of a row are neighbours, and the strides count
    elements from row to row.  ACTIVATION: "none", "relu" or "silu".
    """
    tile_row, tile_column = grouped_tile(
        tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP
    )
    rows = tile_row * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_column * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + rows[:, None] * a_stride + ks[None, :]
    b_ptrs = b_ptr + ks[:, None] * b_stride + columns[None, :]

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        # Zeros outside of A and B add nothing to the product.
        remaining = K - k
        a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < remaining), other=0.0)
        b = tl.load(b_ptrs, mask=(ks[:, None] < remaining) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * b_stride

    # ACTIVATION is known when the kernel is compiled: only one of these branches is in its code.
    if ACTIVATION == "relu":
        acc = tl.maximum(acc, 0.0)
    elif ACTIVATION == "silu":
        acc = silu(acc)
    c_ptrs = c_ptr + rows[:, None] * c_stride + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=inside)


CASES = (
    (
        matmul,
        "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, i32:16, i32:16, "
        "128, 128, 64, 8, constexpr",
        {"ACTIVATION": "none"},
        {"num_warps": 8},
    ),
    (
        matmul,
        "*bf16:16, *bf16:16, *bf16:16, i32, i32, i32, i32:16, i32:16, i32:16, "
        "64, 128, 32, 4, constexpr",
        {"ACTIVATION": "silu"},
        {},
    ),
    (
        matmul,
        "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, i32, 64, 32, 16, 8, constexpr",
        {"ACTIVATION": "relu"},
        {"num_warps": 2},
    ),
)

ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


def launch(a, b, c, activation="none", block=(64, 64, 32), group=8):
    """Start one program per tile of c. All three arrays are two-dimensional with packed rows."""
    (m, k), n = a.shape, b.shape[1]
    block_m, block_n, block_k = block
    programs = weft.cdiv(m, block_m) * weft.cdiv(n, block_n)
    matmul[(programs,)](
        a,
        b,
        c,
        m,
        n,
        k,
        k,
        n,
        n,
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
        GROUP=group,
        ACTIVATION=activation,
    )


def check(dtype, m, n, k, activation="none") -> float:
    """Compare with numpy, and return the largest error seen as a part of the largest result."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((m, k)).astype(dtype)
    b = rng.standard_normal((k, n)).astype(dtype)
    c = np.empty((m, n), dtype)
    launch(a, b, c, activation)
    expected = ACTIVATIONS[activation](a.astype(np.float64) @ b.astype(np.float64))
    error = np.abs(c.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 4 * float(ml_dtypes.finfo(dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check all types and activations on sizes that fill no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        for activation in ACTIVATIONS:
            error = check(dtype, 201, 155, 173, activation)
            print(
                f"matmul  {np.dtype(dtype).name:9} {activation:5} 201 × 155 × 173"
                f"  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
