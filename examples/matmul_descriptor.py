"""Matrix multiplication with tensor descriptors: tiles that hardware fetches by itself.

A descriptor is a matrix (start, shape, strides) and the shape of the tiles that are taken from it.
Where a block pointer is moved along, a descriptor stays, and each load or store names the position
of its tile. That is what the tensor memory accelerators of sm_90, sm_100 and gfx1250 work with: one
thread asks for a tile, and the machine computes addresses, checks the ends, and pads with zeros.
On other chips a pass turns the same loads into ordinary pointers and masks.

In exchange for that: rows begin at multiples of 16 bytes, and neighbours in a row are neighbours in
memory.

A descriptor can be made in two places, and both kernels here share what they do with it:

    in the kernel   tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    on the host     an object with base, shape, strides and block_shape, passed as an argument

Run it: `weft run examples/matmul_descriptor.py`, or `python examples/matmul_descriptor.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def multiply_tile(a, b, c, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Write the tile of C = A · Bᵀ that this program's ids name.

    a, b, c: descriptors of A (M, K), B (N, K) and C (M, N).
    """
    row, column = tl.program_id(1) * BLOCK_M, tl.program_id(0) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        acc = tl.dot(a.load([row, k]), b.load([column, k]).T, acc)
    c.store([row, column], acc.to(c.dtype))


@weft.jit
def matmul_descriptor(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Write a BLOCK_M × BLOCK_N tile of A · Bᵀ per program; grid: (tiles of N, tiles of M).

    A: (M, K), B: (N, K), C: (M, N), packed; rows are multiples of 16 bytes.
    """
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    multiply_tile(a, b, c, K, BLOCK_M, BLOCK_N, BLOCK_K)


@weft.jit
def matmul_host_descriptor(a, b, c, K):
    """Do the same with descriptors that the host made: the tiles' shapes are known from them."""
    multiply_tile(a, b, c, K, c.block_shape[0], c.block_shape[1], a.block_shape[1])


# One stage in the second case: Triton 3.7.1 cannot pipeline these loads on gfx1250.
CASES = (
    (
        matmul_descriptor,
        "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 128, 64",
        {},
        {"num_warps": 8},
    ),
    (
        matmul_descriptor,
        "*bf16:16, *bf16:16, *bf16:16, i32, i32:16, i32:16, 64, 128, 32",
        {},
        {"num_stages": 1},
    ),
    (
        matmul_descriptor,
        "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, 64, 32, 16",
        {},
        {"num_warps": 2},
    ),
    (
        matmul_host_descriptor,
        "tensordesc<fp16[128, 64]>, tensordesc<fp16[128, 64]>, tensordesc<fp16[128, 128]>, i32:16",
        {},
        {"num_warps": 8},
    ),
    (
        matmul_host_descriptor,
        "tensordesc<fp8e5[64, 64]>, tensordesc<fp8e5[32, 64]>, tensordesc<bf16[64, 32]>, i32",
        {},
        {},
    ),
)


@dataclass(frozen=True)
class Descriptor:
    """A matrix with packed rows, and the shape of the tiles that kernels take from it."""

    base: np.ndarray
    block_shape: list[int]

    @property
    def shape(self) -> list[int]:
        """The sizes of the matrix."""
        return list(self.base.shape)

    @property
    def strides(self) -> list[int]:
        """Elements from row to row and from column to column."""
        return [self.base.shape[1], 1]


def launch(a, b, c, block=(64, 64, 32)):
    """Start one program per tile of c. All three arrays are two-dimensional with packed rows."""
    (m, k), n = a.shape, c.shape[1]
    block_m, block_n, block_k = block
    matmul_descriptor[(weft.cdiv(n, block_n), weft.cdiv(m, block_m))](
        a, b, c, m, n, k, BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k
    )


def launch_from_host(a, b, c, block=(64, 64, 32)):
    """Do the same with descriptors made here."""
    (m, k), n = a.shape, c.shape[1]
    block_m, block_n, block_k = block
    matmul_host_descriptor[(weft.cdiv(n, block_n), weft.cdiv(m, block_m))](
        Descriptor(a, [block_m, block_k]),
        Descriptor(b, [block_n, block_k]),
        Descriptor(c, [block_m, block_n]),
        k,
    )


def check(dtype, out_dtype, m, n, k, from_host) -> float:
    """Compare with numpy, and return the largest error seen as a part of the largest result."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal((m, k)).astype(dtype)
    b = rng.standard_normal((n, k)).astype(dtype)
    c = np.empty((m, n), out_dtype)
    (launch_from_host if from_host else launch)(a, b, c)
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    error = np.abs(c.astype(np.float64) - expected).max() / np.abs(expected).max()
    bound = 4 * float(ml_dtypes.finfo(out_dtype).eps)
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check all types and both makers on sizes that fill no tile."""
    for dtype, out_dtype in (
        (np.float32, np.float32),
        (np.float16, np.float16),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
        (ml_dtypes.float8_e5m2, np.float16),
    ):
        for from_host in (False, True):
            error = check(dtype, out_dtype, 201, 152, 176, from_host)
            kind = "on the host" if from_host else "in the kernel"
            print(
                f"matmul_descriptor  {np.dtype(dtype).name:11} made {kind:13} 201 × 152 × 176"
                f"  largest error {error:.1e}"
            )


if __name__ == "__main__":
    main()
