"""Time matrix products and attention on an H200: weft's beside Triton's and torch's, in one run.

    python -m benchmarks.products [--only matmul]

Each kernel of examples/ is run twice by weft: lowered from the final TTGIR that Triton made of it
(benchmarks/ttgir/, software-pipelined loops and all), and by weft's own pipeline from the source.
Rounds alternate as in benchmarks.gpu. A ratio is the other's time divided by that of weft from
Triton's TTGIR. Results are compared with torch's first; the largest error is relative to the
largest result.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

import weft
from benchmarks.gpu import EXAMPLES, measure
from benchmarks.record_ttgir import FOLDER, KERNELS
from benchmarks.timing import print_table
from tests.examples.loading import load
from tests.oracle.reference import load_as_triton


@dataclass(frozen=True, slots=True)
class Product:
    """One kernel at one size.

    file: of KERNELS.  given: its run-time arguments, the written array last among the arrays.
    grid: of programs.  torch: the same by torch.  flops: multiplications and additions.
    """

    name: str
    file: str
    given: tuple[Any, ...]
    grid: tuple[int, ...]
    torch: Callable[[], torch.Tensor]
    flops: float

    @property
    def written(self) -> torch.Tensor:
        """The array that the kernel writes."""
        return [value for value in self.given if isinstance(value, torch.Tensor)][-1]


def _random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float16)


def matmul(size: int) -> Product:
    """Return the product of two square matrices of f16."""
    a, b, c = (_random(size, size) for _ in range(3))
    constants = KERNELS["matmul"][2]
    tiles = (size // constants["BLOCK_M"]) * (size // constants["BLOCK_N"])
    given = (a, b, c, size, size, size, size, size, size)
    by_torch = lambda: torch.matmul(a, b)  # noqa: E731
    return Product(f"matmul {size}", "matmul", given, (tiles,), by_torch, 2.0 * size**3)


def attention(length: int, causal: bool) -> Product:
    """Return attention of 4 · 32 heads of 64 elements of f16."""
    heads, head = 128, 64
    q, k, v, o = (_random(heads, length, head) for _ in range(4))
    given = (q, k, v, o, length, length * head, head, math.log2(math.e) / math.sqrt(head))
    scaled = torch.nn.functional.scaled_dot_product_attention
    by_torch = lambda: scaled(q[None], k[None], v[None], is_causal=causal)[0]  # noqa: E731
    kind = "causal" if causal else "full"
    grid = (length // KERNELS["attention_full"][2]["BLOCK_M"], heads)
    flops = 4.0 * heads * length**2 * head * (0.5 if causal else 1.0)
    return Product(f"attention {kind} {length}", f"attention_{kind}", given, grid, by_torch, flops)


def compare(work: Product) -> list[str]:
    """Run one product, and return a row of the table."""
    example, _, constants, options = KERNELS[work.file]
    recorded = weft.compile(FOLDER / f"{work.file}.ttgir", target="cuda:90")
    ours = getattr(load(example), example)
    theirs = getattr(load_as_triton(EXAMPLES / f"{example}.py"), example)
    given, grid = work.given, work.grid
    calls: list[Callable[[], object]] = [
        lambda: recorded[grid](*given),
        lambda: ours[grid](*given, **constants, **options),
        lambda: theirs[grid](*given, **constants, **options),
        work.torch,
    ]
    expected = work.torch().float()
    errors = []
    for call in calls[:2]:
        work.written.zero_()
        call()
        away = (work.written.float() - expected).abs().max() / expected.abs().max()
        errors.append(f"{away.item():.1e}")
    times = measure(calls)
    speeds = [f"{work.flops / time / 1e6:.0f}" for time in times]
    ratios = [f"{time / times[0]:.2f}" for time in times[2:]]
    return [work.name, *errors, *speeds, *ratios]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of a product's name")
    only = parser.parse_args().only
    makers: list[Callable[[], Product]] = [
        lambda: matmul(4096),
        lambda: matmul(8192),
        lambda: attention(4096, causal=False),
        lambda: attention(4096, causal=True),
    ]
    rows = (compare(work) for work in (make() for make in makers) if only in work.name)
    headings = (
        "error",
        "error, own",
        "weft",
        "weft, own",
        "Triton",
        "torch",
        "Triton / weft",
        "torch / weft",
    )
    print_table(f"TFLOP/s on {torch.cuda.get_device_name()}", headings, rows, width=120)


if __name__ == "__main__":
    main()
