"""Transpose a matrix with layouts that the kernel spells, through swizzled shared memory.

In Gluon the author says which thread holds which element. A tile is read in a layout that walks
along the rows of the input, and written in the same layout, which walks along the rows of the
output. Between them it passes through shared memory, where a transposed view costs nothing:

    registers            shared memory          view              registers
    rows of x    ───▶    M × N, swizzled  ───▶  N × M     ───▶    rows of out

Without a swizzle the columns of the view would be in one bank; the exclusive or with the row number
spreads them.

Run it: `weft run examples/gluon_transpose.py`, or `python examples/gluon_transpose.py`.
"""

from __future__ import annotations

import numpy as np

import weft
import weft.gluon as gl
from weft.experimental import gluon


@gluon.jit
def transpose(
    x_ptr,
    out_ptr,
    rows,
    columns,
    BLOCK_M: gl.constexpr,
    BLOCK_N: gl.constexpr,
    layout: gl.constexpr,
    memory: gl.constexpr,
):
    """Write one BLOCK_M × BLOCK_N tile of x, transposed, per program.

    x: (rows, columns), out: (columns, rows), both with packed rows.
    Grid: (tiles along the columns of x, tiles along its rows).
    """
    first_row, first_column = gl.program_id(1) * BLOCK_M, gl.program_id(0) * BLOCK_N
    m = first_row + gl.arange(0, BLOCK_M, layout=gl.SliceLayout(1, layout))
    n = first_column + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(0, layout))
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    tile = gl.load(x_ptr + m[:, None] * columns + n[None, :], mask=inside)
    buffer = gl.allocate_shared_memory(tile.dtype, [BLOCK_M, BLOCK_N], memory, tile)
    # The layout of the view is the transposed one, so the loads are along its rows.
    turned = buffer.permute((1, 0)).load(layout)
    n = first_column + gl.arange(0, BLOCK_N, layout=gl.SliceLayout(1, layout))
    m = first_row + gl.arange(0, BLOCK_M, layout=gl.SliceLayout(0, layout))
    inside = (n[:, None] < columns) & (m[None, :] < rows)
    gl.store(out_ptr + n[:, None] * rows + m[None, :], turned, mask=inside)


LAYOUT = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
WAVE64 = gl.BlockedLayout([1, 1], [1, 64], [4, 1], [1, 0])
MEMORY = gl.SwizzledSharedLayout(1, 1, 32, [1, 0])


def launch(x, out, block=(32, 32), layout=LAYOUT):
    """Start one program per tile of x, a matrix with packed rows; out has its shape transposed."""
    rows, columns = x.shape
    block_m, block_n = block
    grid = (weft.cdiv(columns, block_n), weft.cdiv(rows, block_m))
    transpose[grid](x, out, rows, columns, block_m, block_n, layout, MEMORY)


def check(dtype, rows, columns) -> int:
    """Compare with numpy, and return how many bytes were moved: they agree to the last bit."""
    x = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)
    out = np.empty((columns, rows), dtype)
    launch(x, out)
    assert out.tobytes() == x.T.tobytes()
    return x.nbytes


def main() -> None:
    """Check two types on a size that fills no tile."""
    for dtype in (np.float32, np.float16):
        moved = check(dtype, 517, 389)
        print(f"gluon transpose  {np.dtype(dtype).name:8} 517 × 389  {moved:,} bytes agree")


if __name__ == "__main__":
    main()
