"""Softmax of each row of a matrix, fused: every element is read once and written once.

softmax(x) = exp(x − max x) / Σ exp(x − max x). Written with whole-array operations that is four
trips through memory (max, subtract and exp, sum, divide). Here one program holds a whole row in
registers, so the two reductions and the division cost no memory traffic at all.

A row is padded to a power of two, as every tile is. The padding must not change the answer: the
largest of a row ignores −inf, and exp(−inf) adds 0 to the sum.

Run it: `weft run examples/softmax.py`, or `python examples/softmax.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def softmax_row(x_ptr, out_ptr, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    """Write the softmax of one row of x per program.

    x and out have `columns` ≤ BLOCK elements in a row; the strides count elements from row to row.
    """
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * x_stride + column, mask=inside, other=-float("inf"))
    # Small types hold inputs well and sums badly, so the arithmetic is in f32.
    x = x.to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    result = numerator / tl.sum(numerator, axis=0)
    # A store converts to the type that its pointer points to.
    tl.store(out_ptr + row * out_stride + column, result, mask=inside)


CASES = (
    (softmax_row, "*fp32:16, *fp32:16, i32:16, i32:16, i32, 1024", {}, {}),
    (softmax_row, "*fp16:16, *fp16:16, i32, i32, i32, 512", {}, {"num_warps": 2}),
    (softmax_row, "*bf16:16, *bf16:16, i32:16, i32:16, i32:16, 4096", {}, {"num_warps": 8}),
)


def launch(x, out):
    """Start one program per row of x, an array of shape (rows, columns) with packed rows."""
    rows, columns = x.shape
    block = weft.next_power_of_2(columns)
    softmax_row[(rows,)](x, out, columns, columns, columns, BLOCK=block)


def reference(x):
    """Return the softmax of each row as numpy computes it, in f64."""
    x = x.astype(np.float64)
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    return numerator / numerator.sum(axis=1, keepdims=True)


def check(dtype, rows, columns) -> float:
    """Compare with numpy, and return the largest error seen."""
    x = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)
    out = np.empty_like(x)
    launch(x, out)
    # The results are at most 1, so half a unit in the last place of the type bounds the rounding.
    bound = float(ml_dtypes.finfo(dtype).eps)
    error = np.abs(out.astype(np.float64) - reference(x)).max()
    assert error <= bound, (error, bound)
    return float(error)


def main() -> None:
    """Check all types on a row length that is no power of two."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        error = check(dtype, 183, 781)
        print(f"softmax  {np.dtype(dtype).name:9} 183 × 781  largest error {error:.1e}")


if __name__ == "__main__":
    main()
