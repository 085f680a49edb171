"""Layer normalisation, forward: rows of any length, a tile at a time.

    out = (x − mean) · rstd · weight + bias,      rstd = 1 / sqrt(variance + epsilon)

A row here may be longer than what a program can hold, so it is walked three times, in tiles:
once for the mean, once for the variance, once to write. Two walks for mean and variance rather
than one for Σx and Σx²: with a mean far from zero, Σx² − n·mean² cancels all its digits.

Partial sums are kept per element of the tile and reduced once, after the loop. A reduction talks
to other threads, an addition does not.

Run it: `weft run examples/layer_norm.py`, or `python examples/layer_norm.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def layer_norm_row(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    mean_ptr,
    rstd_ptr,
    stride,
    columns,
    epsilon,
    BLOCK: tl.constexpr,
):
    """Normalise one row of x per program.

    x and out: (rows, columns), `stride` elements from row to row.  weight, bias: (columns,).
    mean, rstd: (rows,) f32, kept for a backward pass.
    """
    row = tl.program_id(0)
    x_ptr += row * stride
    out_ptr += row * stride

    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + column, mask=column < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < columns
        x = tl.load(x_ptr + column, mask=inside, other=0.0).to(tl.float32)
        # Outside of the row x is 0, and 0 − mean would count: mask the difference, not x.
        away = tl.where(inside, x - mean, 0.0)
        squares += away * away
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < columns
        x = tl.load(x_ptr + column, mask=inside).to(tl.float32)
        weight = tl.load(weight_ptr + column, mask=inside)
        bias = tl.load(bias_ptr + column, mask=inside)
        tl.store(out_ptr + column, (x - mean) * rstd * weight + bias, mask=inside)


CASES = (
    (
        layer_norm_row,
        "*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, fp32, 1024",
        {},
        {},
    ),
    (
        layer_norm_row,
        "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, i32, i32, fp32, 256",
        {},
        {"num_warps": 2},
    ),
    (
        layer_norm_row,
        "*bf16:16, *bf16:16, *bf16:16, *bf16:16, *fp32:16, *fp32:16, i32:16, i32, fp32, 4096",
        {},
        {"num_warps": 8},
    ),
)


def launch(x, weight, bias, out, mean, rstd, epsilon=1e-5, block=256):
    """Start one program per row of x, an array of shape (rows, columns) with packed rows."""
    rows, columns = x.shape
    layer_norm_row[(rows,)](
        x, weight, bias, out, mean, rstd, columns, columns, epsilon, BLOCK=block
    )


def reference(x, weight, bias, epsilon=1e-5):
    """Return the normalised rows as numpy computes them, in f64."""
    x = x.astype(np.float64)
    away = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((away * away).mean(axis=1, keepdims=True) + epsilon)
    return away * rstd * weight.astype(np.float64) + bias.astype(np.float64)


def check(dtype, rows, columns) -> float:
    """Compare with numpy, and return the largest error seen, relative to 1 + |expected|."""
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((rows, columns)) + 3).astype(dtype)
    weight = rng.standard_normal(columns).astype(dtype)
    bias = rng.standard_normal(columns).astype(dtype)
    out = np.empty_like(x)
    mean, rstd = np.empty(rows, np.float32), np.empty(rows, np.float32)
    launch(x, weight, bias, out, mean, rstd)
    expected = reference(x, weight, bias)
    error = (np.abs(out.astype(np.float64) - expected) / (1 + np.abs(expected))).max()
    bound = 16 * float(ml_dtypes.finfo(dtype).eps)
    assert error <= bound, (error, bound)
    np.testing.assert_allclose(mean, x.astype(np.float64).mean(axis=1), rtol=1e-5)
    return float(error)


def main() -> None:
    """Check all types on a row length that fills no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        error = check(dtype, 151, 1153)
        print(f"layer_norm  {np.dtype(dtype).name:9} 151 × 1153  largest error {error:.1e}")


if __name__ == "__main__":
    main()
