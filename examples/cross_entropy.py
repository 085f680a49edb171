"""Cross entropy of rows of scores against one right class each, and its gradient.

    loss = log Σ exp(x) − x[right]          ∂x = (softmax(x) − [right]) · ∂loss

A row of scores may be a whole vocabulary, far more than a program can hold, so it is walked in
tiles. exp(x) overflows where x is large; shifted by the largest score so far it cannot, and when a
later tile raises that largest, the sum made under the old one is scaled down:

    tile        3 1 2       5 0 4                   m: largest so far, s: Σ exp(x − m)
    m           3           5
    s           1.50        1.50 · exp(3−5) + 1.37 = 1.58
                                                    log Σ exp(x) = m + log s = 5.46

Each lane of the tile has its own m and s, so the walk is element by element; the lanes
are brought together once, after it. The sum's logarithm is stored: with it the gradient needs no
reduction at all, and is one more walk in which every element is on its own.

A row whose right class is IGNORED takes no part: its loss and its gradient are 0.

Run it: `weft run examples/cross_entropy.py`, or `python examples/cross_entropy.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def cross_entropy(
    x_ptr,
    right_ptr,
    loss_ptr,
    total_ptr,
    stride,
    columns,
    IGNORED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write the loss of one row of x per program, and the logarithm of its sum of exponentials.

    x: (rows, columns), `stride` elements from row to row.  right: (rows,), the right class of each
    row, or IGNORED.  loss, total: (rows,) f32.
    """
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * stride
    lanes = tl.arange(0, BLOCK)
    # Every lane sees a score in the first tile or never: a lane past the end keeps −inf and 0.
    largest = tl.load(x_ptr + lanes, mask=lanes < columns, other=-float("inf")).to(tl.float32)
    scaled = tl.where(lanes < columns, 1.0, 0.0)
    for first in range(BLOCK, columns, BLOCK):
        column = first + lanes
        x = tl.load(x_ptr + column, mask=column < columns, other=-float("inf")).to(tl.float32)
        raised = tl.maximum(largest, x)
        scaled = scaled * tl.exp(largest - raised) + tl.exp(x - raised)
        largest = raised
    top = tl.max(largest, axis=0)
    total = top + tl.log(tl.sum(scaled * tl.exp(largest - top), axis=0))
    right = tl.load(right_ptr + row)
    counted = right != IGNORED
    score = tl.load(x_ptr + right, mask=counted, other=0.0).to(tl.float32)
    tl.store(loss_ptr + row, tl.where(counted, total - score, 0.0))
    tl.store(total_ptr + row, total)


@weft.jit
def cross_entropy_backward(
    x_ptr,
    right_ptr,
    total_ptr,
    loss_grad_ptr,
    x_grad_ptr,
    stride,
    columns,
    IGNORED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Write BLOCK columns of one row of the gradient per program; grid: (rows, column tiles).

    x, x_grad: (rows, columns), `stride` elements from row to row; they may be the same array.
    total: from the forward pass.  loss_grad: (rows,) f32, the gradient of each row's loss.
    """
    row = tl.program_id(0)
    offset = row.to(tl.int64) * stride
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < columns
    right = tl.load(right_ptr + row)
    total = tl.load(total_ptr + row)
    factor = tl.where(right == IGNORED, 0.0, tl.load(loss_grad_ptr + row))
    x = tl.load(x_ptr + offset + column, mask=inside, other=-float("inf")).to(tl.float32)
    grad = tl.exp(x - total) - tl.where(column == right, 1.0, 0.0)
    tl.store(x_grad_ptr + offset + column, grad * factor, mask=inside)


IGNORED = -100

CASES = (
    (
        cross_entropy,
        "*fp32:16, *i32:16, *fp32:16, *fp32:16, i32:16, i32:16, -100, 1024",
        {},
        {},
    ),
    (
        cross_entropy,
        "*fp16:16, *i64:16, *fp32:16, *fp32:16, i32, i32, -100, 512",
        {},
        {"num_warps": 2},
    ),
    (
        cross_entropy,
        "*bf16:16, *i32:16, *fp32:16, *fp32:16, i32:16, i32, -100, 4096",
        {},
        {"num_warps": 8},
    ),
    (
        cross_entropy_backward,
        "*fp32:16, *i32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, -100, 1024",
        {},
        {},
    ),
    (
        cross_entropy_backward,
        "*bf16:16, *i64:16, *fp32:16, *fp32:16, *bf16:16, i32, i32, -100, 2048",
        {},
        {"num_warps": 8},
    ),
)


def launch(x, right, loss, total, block=256):
    """Start one program per row of x, a matrix of shape (rows, columns) with packed rows."""
    rows, columns = x.shape
    cross_entropy[(rows,)](x, right, loss, total, columns, columns, IGNORED=IGNORED, BLOCK=block)


def launch_backward(x, right, total, loss_grad, x_grad, block=256):
    """Start one program per tile of each row."""
    rows, columns = x.shape
    cross_entropy_backward[(rows, weft.cdiv(columns, block))](
        x, right, total, loss_grad, x_grad, columns, columns, IGNORED=IGNORED, BLOCK=block
    )


def reference(x, right, loss_grad):
    """Return the losses and the gradient as numpy computes them, in f64."""
    x = x.astype(np.float64)
    rows = np.arange(x.shape[0])
    counted = right != IGNORED
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    sums = weights.sum(axis=1, keepdims=True)
    total = (np.log(sums) + x.max(axis=1, keepdims=True))[:, 0]
    loss = np.where(counted, total - x[rows, right * counted], 0)
    x_grad = weights / sums
    x_grad[rows, right * counted] -= 1
    return loss, x_grad * (loss_grad * counted)[:, None]


def check(dtype, rows, columns) -> float:
    """Compare with numpy, and return the largest error seen, relative to 1 + |expected|."""
    rng = np.random.default_rng(0)
    x = (20 * rng.standard_normal((rows, columns))).astype(dtype)
    right = rng.integers(0, columns, rows).astype(np.int32)
    right[::5] = IGNORED
    loss_grad = rng.standard_normal(rows).astype(np.float32)
    loss, total = np.empty(rows, np.float32), np.empty(rows, np.float32)
    x_grad = np.empty_like(x)
    launch(x, right, loss, total)
    launch_backward(x, right, total, loss_grad, x_grad)
    expected_loss, expected_grad = reference(x, right, loss_grad)
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-6, atol=1e-5)
    away = np.abs(x_grad.astype(np.float64) - expected_grad)
    error = float((away / (1 + np.abs(expected_grad))).max())
    # exp magnifies the rounding of the sum's logarithm, which is some 80 here, in f32.
    bound = float(ml_dtypes.finfo(dtype).eps) + 2e-5
    assert error <= bound, (error, bound)
    return error


def main() -> None:
    """Check all types on a number of classes that fills no tile."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        error = check(dtype, 97, 1153)
        print(f"cross_entropy  {np.dtype(dtype).name:9} 97 × 1153  largest error {error:.1e}")


if __name__ == "__main__":
    main()
