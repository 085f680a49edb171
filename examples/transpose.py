"""Transpose a matrix tile by tile, so that both the reading and the writing walk along rows.

Element by element, one side of a transpose has to jump: neighbours in a row of the input are a
whole row apart in the output, and memory that is touched in jumps moves mostly bytes that are not
used. A program that holds a tile can turn it while it is on the chip, where jumps are cheap:

    input                       output
    ┌──┬──┬──┬──┐               ┌──┬──┬──┐
    │  │  │ab│  │               │  │  │  │        rows of the tile are read as rows,
    │  │  │cd│  │               ├──┼──┼──┤        rows of the turned tile are written as rows
    ├──┼──┼──┼──┤     ────▶     │ac│  │  │
    │  │  │  │  │               │bd│  │  │
    └──┴──┴──┴──┘               ├──┼──┼──┤ …

`tl.trans` itself moves nothing: it renames which lane holds which element. The layouts that suit
the load and the store differ, and the compiler puts the conversion between them.

Run it: `weft run examples/transpose.py`, or `python examples/transpose.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def transpose(
    x_ptr,
    out_ptr,
    rows,
    columns,
    x_stride,
    out_stride,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Write one BLOCK_M × BLOCK_N tile of x, turned, per program.

    x: (rows, columns), out: (columns, rows); the strides count elements from row to row.
    Grid: (tiles along the columns of x, tiles along its rows).
    """
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    tile = tl.load(x_ptr + m[:, None] * x_stride + n[None, :], mask=inside)
    # The mask turns with the tile.
    tl.store(out_ptr + n[:, None] * out_stride + m[None, :], tl.trans(tile), mask=tl.trans(inside))


CASES = (
    (transpose, "*fp32:16, *fp32:16, i32:16, i32:16, i32:16, i32:16, 64, 64", {}, {}),
    (transpose, "*fp16:16, *fp16:16, i32, i32, i32, i32, 32, 128", {}, {"num_warps": 2}),
    (transpose, "*bf16:16, *bf16:16, i32, i32, i32:16, i32:16, 128, 64", {}, {"num_warps": 8}),
    (transpose, "*fp8e5:16, *fp8e5:16, i32:16, i32:16, i32:16, i32:16, 64, 64", {}, {}),
)


def launch(x, out, block=(64, 32)):
    """Start one program per tile of x, a matrix with packed rows; out has its shape turned."""
    rows, columns = x.shape
    block_m, block_n = block
    grid = (weft.cdiv(columns, block_n), weft.cdiv(rows, block_m))
    transpose[grid](x, out, rows, columns, columns, rows, BLOCK_M=block_m, BLOCK_N=block_n)


def check(dtype, rows, columns) -> int:
    """Compare with numpy, and return how many bytes were moved: they agree to the last bit."""
    x = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)
    out = np.empty((columns, rows), dtype)
    launch(x, out)
    assert out.tobytes() == x.T.tobytes()
    return x.nbytes


def main() -> None:
    """Check types of four, two and one bytes on sizes that fill no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        moved = check(dtype, 517, 389)
        print(f"transpose  {np.dtype(dtype).name:11} 517 × 389  {moved:,} bytes agree")


if __name__ == "__main__":
    main()
