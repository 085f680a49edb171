"""The sweeps of `benchmarks.cards`: kernels in the configurations that an autotuner would try.

    sweep = SWEEPS["softmax"](Inputs("cuda", full=True))
    sweep.points[0].name, sweep.points[0].launch()

A sweep is one problem: one kernel on tensors of one size. Its configurations are a whole grid of
tile sizes, warps and stages. Of matmul's 192 it is every seventh; 7 is prime to the length of each
axis, so every value of an axis occurs. The grids of kernels over rows leave out tiles with less
than one element or more than 128 elements per thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch

import weft
import weft.language as tl
from benchmarks import package_kernels, pipelined_kernels

__all__ = ["SWEEPS", "Inputs", "Point", "Sweep"]

WARPS = (1, 2, 4, 8, 16, 32)
_LANES = 32
_MOST_ELEMENTS = 128  # of a thread: half of its registers


@dataclass(frozen=True, slots=True)
class Point:
    """A configuration of a kernel.

    Attributes:
        name: For the table.
        launch: Launches the kernel.
    """

    name: str
    launch: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A kernel in several configurations."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Makes tensors on a device.

    Attributes:
        device: "cuda"; or "cpu" for tensors without contents, to predict only.
        full: Whether sizes fill a GPU.
    """

    device: str
    full: bool

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        if self.device == "cpu":
            return torch.empty(shape, dtype=dtype)
        return torch.randn(shape, device=self.device, dtype=dtype)

    def zeros(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        if self.device == "cpu":
            return torch.empty(shape, dtype=dtype)
        return torch.zeros(shape, device=self.device, dtype=dtype)


@weft.jit
def softmax(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Write the softmax of ROWS rows per program; columns ≤ BLOCK."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < columns)
    at = row.to(tl.int64) * columns + column
    x = tl.load(x_ptr + at, mask=inside, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(out_ptr + at, numerator / tl.sum(numerator, axis=1)[:, None], mask=inside)


def matmul(inputs: Inputs) -> Sweep:
    """Multiply two matrices of f16."""
    sides, depths, stages = ((32, 64, 128, 256), (32, 64), (2, 3, 4))
    side = 2048 if inputs.full else 64
    a, b, c = (inputs.normal(side, side, dtype=torch.float16) for _ in range(3))

    def point(bm: int, bn: int, bk: int, warps: int, stages: int) -> Point:
        grid = (math.ceil(side / bm) * math.ceil(side / bn),)
        return Point(
            f"{bm}x{bn}x{bk} w{warps} s{stages}",
            lambda: pipelined_kernels.matmul_pointers[grid](
                a, b, c, side, side, side, BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages
            ),
        )

    grid = product(sides, sides, depths, (4, 8), stages)
    chosen = list(grid)[::7] if inputs.full else [(32, 32, 32, 4, 3), (64, 32, 32, 4, 3)]
    return Sweep("matmul", tuple(point(*each) for each in chosen))


def attention(inputs: Inputs) -> Sweep:
    """Attend over all keys; the grid is that of Triton's tutorial on attention."""
    heads, length, width = (64, 4096, 64) if inputs.full else (2, 64, 16)
    q, k, v, o = (inputs.normal(heads, length, width, dtype=torch.float16) for _ in range(4))
    sums = inputs.zeros(heads, length)
    scale = math.log2(math.e) / math.sqrt(width)

    def point(m: int, n: int, warps: int, stages: int) -> Point:
        options = {"num_warps": warps, "num_stages": stages}
        constants = {"M": m, "N": n, "D": width, "CAUSAL": False}
        return Point(
            f"{m}x{n} w{warps} s{stages}",
            lambda: pipelined_kernels.attention_forward[(length // m, heads)](
                q, k, v, o, sums, length, scale, **constants, **options
            ),
        )

    grid = product((64, 128), (32, 64, 128), (4, 8), (2, 3, 4))
    chosen = list(grid) if inputs.full else [(32, 16, 4, 3), (32, 32, 4, 3)]
    return Sweep("attention", tuple(point(*each) for each in chosen))


def softmax_rows(inputs: Inputs) -> Sweep:
    """Compute the softmax of rows of f16 that are no power of two long."""
    rows, columns = (65536, 1000) if inputs.full else (8, 50)
    x, out = (inputs.normal(rows, columns, dtype=torch.float16) for _ in range(2))

    def point(of_program: int, block: int, warps: int) -> Point:
        return Point(
            f"{of_program}x{block} w{warps}",
            lambda: softmax[(rows // of_program,)](
                x, out, rows, columns, ROWS=of_program, BLOCK=block, num_warps=warps
            ),
        )

    blocks, heights = ((1024, 2048), (1, 2, 4, 8)) if inputs.full else ((64,), (1, 2))
    grid = product(heights, blocks, WARPS)
    return Sweep("softmax", tuple(point(*each) for each in grid if _fits(each)))


def cross_entropy(inputs: Inputs) -> Sweep:
    """Compute the loss of rows in one loop, and the gradient in another."""
    rows, n = _rows(inputs)
    x, loss = inputs.normal(rows, n), inputs.zeros(rows)
    right = inputs.zeros(rows, dtype=torch.int64)
    kernel = package_kernels.cross_entropy_with_gradient
    return _over_blocks("cross entropy", kernel, (x, right, loss, n), inputs)


def kl_divergence(inputs: Inputs) -> Sweep:
    """Sum over rows of two matrices, block by block."""
    rows, n = _rows(inputs)
    arguments = inputs.normal(rows, n), inputs.normal(rows, n), inputs.zeros(rows), n, 1e-10
    return _over_blocks("KL divergence", package_kernels.kl_divergence, arguments, inputs)


def quantize_rows(inputs: Inputs) -> Sweep:
    """Convert rows to 8 bits, each held whole by a program."""
    rows, n = (32768, 2048) if inputs.full else (4, 128)
    x, scale = inputs.normal(rows, n), inputs.zeros(rows)
    q = inputs.zeros(rows, n, dtype=torch.int8)
    blocks = (n, 2 * n, 4 * n) if inputs.full else (n,)
    arguments = (x, q, scale, n)
    return _of_rows("quantize rows", package_kernels.quantize_rows, arguments, blocks)


def _rows(inputs: Inputs) -> tuple[int, int]:
    return (8192, 8192) if inputs.full else (4, 128)


def _over_blocks(name: str, kernel: Any, arguments: tuple[object, ...], inputs: Inputs) -> Sweep:
    """Make a sweep over the block of a row's loop and the number of warps."""
    blocks = [128 << shift for shift in range(7)] if inputs.full else [32, 64]
    return _of_rows(name, kernel, arguments, blocks)


def _of_rows(name: str, kernel: Any, arguments: tuple[object, ...], blocks: Sequence[int]) -> Sweep:
    """Make a sweep of a kernel with a row per program."""
    (x, *_) = arguments
    assert isinstance(x, torch.Tensor)
    grid = (x.shape[0],)

    def point(block: int, warps: int) -> Point:
        return Point(
            f"{block} w{warps}",
            lambda: kernel[grid](*arguments, BLOCK=block, num_warps=warps),
        )

    return Sweep(name, tuple(point(*each) for each in product(blocks, WARPS) if _fits(each)))


def _fits(configuration: Sequence[int]) -> bool:
    """Check whether the tile, all numbers but the last, suits the warps, the last."""
    *tile, warps = configuration
    elements = math.prod(tile) / (warps * _LANES)
    return 1 <= elements <= _MOST_ELEMENTS


SWEEPS: Mapping[str, Callable[[Inputs], Sweep]] = {
    "matmul": matmul,
    "attention": attention,
    "softmax": softmax_rows,
    "cross entropy": cross_entropy,
    "KL divergence": kl_divergence,
    "quantize rows": quantize_rows,
}
"""Name of each sweep → what makes it."""
