"""Layer normalisation, backward: gradients of the input, the weight and the bias.

With x̂ = (x − mean) · rstd, the forward pass is out = x̂ · weight + bias. Let g be the gradient of
out, and h = g · weight that of x̂. Mean and variance depend on every element of the row, so each
element of x sends its gradient through them too, and two averages over the row appear:

    ∂x      = rstd · (h − average(h) − x̂ · average(h · x̂))
    ∂weight = Σ over rows of g · x̂          ∂bias = Σ over rows of g

∂x needs sums along rows, which one program makes alone. ∂weight and ∂bias need sums down columns,
across programs. Instead of adding all rows to one accumulator under a lock, a few programs
stride over the rows, each summing what it meets in registers, and a second kernel adds those few:

    rows                  partial sums             ∂weight
    0 ──program 0──┐
    1 ──program 1──│─┐    ┌── 0 + 2 + 4 ──┐
    2 ──program 0──┤ │    │               ├──  Σ
    3 ──program 1──│─┤    └── 1 + 3 ──────┘
    4 ──program 0──┘ …

No program waits for another, and the result does not depend on which finished first.

Run it: `weft run examples/layer_norm_backward.py`, or `python examples/layer_norm_backward.py`.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

import weft
import weft.language as tl


@weft.jit
def backward_rows(
    x_ptr,
    weight_ptr,
    grad_ptr,
    mean_ptr,
    rstd_ptr,
    x_grad_ptr,
    weight_partial_ptr,
    bias_partial_ptr,
    rows,
    columns,
    BLOCK: tl.constexpr,
):
    """Write ∂x of the rows p, p + programs, p + 2·programs, …, and their share of the other two.

    x, grad (that of out), x_grad: (rows, columns), packed.  weight: (columns,), columns ≤ BLOCK.
    mean, rstd: (rows,) f32, from the forward pass.  Partials: (programs, columns) f32.
    """
    program = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    weight = tl.load(weight_ptr + column, mask=inside, other=0.0).to(tl.float32)
    weight_partial = tl.zeros((BLOCK,), dtype=tl.float32)
    bias_partial = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        offset = row.to(tl.int64) * columns + column
        x = tl.load(x_ptr + offset, mask=inside, other=0.0).to(tl.float32)
        grad = tl.load(grad_ptr + offset, mask=inside, other=0.0).to(tl.float32)
        mean, rstd = tl.load(mean_ptr + row), tl.load(rstd_ptr + row)
        # Outside of the row the gradient is 0, and so is all that is summed.
        normed = (x - mean) * rstd
        scaled = grad * weight
        along = tl.sum(scaled * normed, axis=0) / columns
        average = tl.sum(scaled, axis=0) / columns
        x_grad = rstd * (scaled - average - normed * along)
        tl.store(x_grad_ptr + offset, x_grad, mask=inside)
        weight_partial += grad * normed
        bias_partial += grad
    tl.store(weight_partial_ptr + program * columns + column, weight_partial, mask=inside)
    tl.store(bias_partial_ptr + program * columns + column, bias_partial, mask=inside)


@weft.jit
def sum_partials(
    weight_partial_ptr,
    bias_partial_ptr,
    weight_grad_ptr,
    bias_grad_ptr,
    partials,
    columns,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """Add BLOCK_N columns of the partial sums, BLOCK_M rows of them at a time, per program.

    Partials: (partials, columns) f32, packed.  Gradients: (columns,).
    """
    column = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    weight_sum = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    bias_sum = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, partials, BLOCK_M):
        row = first + tl.arange(0, BLOCK_M)
        inside = (row[:, None] < partials) & (column[None, :] < columns)
        offset = row[:, None] * columns + column[None, :]
        weight_sum += tl.load(weight_partial_ptr + offset, mask=inside, other=0.0)
        bias_sum += tl.load(bias_partial_ptr + offset, mask=inside, other=0.0)
    tl.store(weight_grad_ptr + column, tl.sum(weight_sum, axis=0), mask=column < columns)
    tl.store(bias_grad_ptr + column, tl.sum(bias_sum, axis=0), mask=column < columns)


CASES = (
    (
        backward_rows,
        "*fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, *fp32:16, "
        "i32, i32:16, 1024",
        {},
        {},
    ),
    (
        backward_rows,
        "*fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, *fp16:16, *fp32:16, *fp32:16, "
        "i32:16, i32, 512",
        {},
        {"num_warps": 2},
    ),
    (
        backward_rows,
        "*bf16:16, *bf16:16, *bf16:16, *fp32:16, *fp32:16, *bf16:16, *fp32:16, *fp32:16, "
        "i32:16, i32:16, 4096",
        {},
        {"num_warps": 8},
    ),
    (
        sum_partials,
        "*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, 32, 128",
        {},
        {},
    ),
    (
        sum_partials,
        "*fp32:16, *fp32:16, *bf16:16, *bf16:16, i32, i32, 16, 64",
        {},
        {"num_warps": 2},
    ),
)


def launch(x, weight, grad, mean, rstd, x_grad, weight_grad, bias_grad, programs=16):
    """Run both kernels on x, a matrix of shape (rows, columns) with packed rows."""
    rows, columns = x.shape
    weight_partial = np.empty((programs, columns), np.float32)
    bias_partial = np.empty((programs, columns), np.float32)
    backward_rows[(programs,)](
        x,
        weight,
        grad,
        mean,
        rstd,
        x_grad,
        weight_partial,
        bias_partial,
        rows,
        columns,
        BLOCK=weft.next_power_of_2(columns),
    )
    sum_partials[(weft.cdiv(columns, 128),)](
        weight_partial,
        bias_partial,
        weight_grad,
        bias_grad,
        programs,
        columns,
        BLOCK_M=8,
        BLOCK_N=128,
    )


def reference(x, weight, grad, epsilon=1e-5):
    """Return ∂x, ∂weight and ∂bias as numpy computes them, in f64."""
    x, weight, grad = (each.astype(np.float64) for each in (x, weight, grad))
    away = x - x.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt((away * away).mean(axis=1, keepdims=True) + epsilon)
    normed, scaled = away * rstd, grad * weight
    along = (scaled * normed).mean(axis=1, keepdims=True)
    x_grad = rstd * (scaled - scaled.mean(axis=1, keepdims=True) - normed * along)
    return x_grad, (grad * normed).sum(axis=0), grad.sum(axis=0)


def check(dtype, rows, columns, epsilon=1e-5) -> float:
    """Compare with numpy, and return the largest error as a part of each largest gradient."""
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((rows, columns)) + 3).astype(dtype)
    grad = rng.standard_normal((rows, columns)).astype(dtype)
    weight = rng.standard_normal(columns).astype(dtype)
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1).astype(np.float32)
    rstd = (1 / np.sqrt(wide.var(axis=1) + epsilon)).astype(np.float32)
    gradients = np.empty_like(x), np.empty_like(weight), np.empty_like(weight)
    launch(x, weight, grad, mean, rstd, *gradients)
    error = 0.0
    for ours, expected in zip(gradients, reference(x, weight, grad, epsilon), strict=True):
        away = np.abs(ours.astype(np.float64) - expected).max()
        error = max(error, float(away / np.abs(expected).max()))
    bound = 8 * float(ml_dtypes.finfo(dtype).eps)
    assert error <= bound, (error, bound)
    return error


def main() -> None:
    """Check all types on numbers of rows and columns that divide nothing."""
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        error = check(dtype, 151, 781)
        print(f"layer_norm_backward  {np.dtype(dtype).name:9} 151 × 781  largest error {error:.1e}")


if __name__ == "__main__":
    main()
