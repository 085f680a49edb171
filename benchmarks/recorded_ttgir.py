"""Time matmul and attention on a GPU beside Triton and torch, in one run.

    python -m benchmarks.recorded_ttgir [--only matmul]

weft runs each kernel of examples/ twice: compiled from Triton's final TTGIR, in which loops are
software-pipelined (benchmarks/ttgir/), and compiled from source by weft's own pipeline. Rounds
alternate as in benchmarks.gpu. A ratio is another time divided by that of weft from Triton's TTGIR.
Results are first compared with torch's; the largest error is relative to the largest result.
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
class Workload:
    """One kernel at one size.

    Attributes:
        name: for the table.
        file: name in KERNELS.
        arguments: run-time arguments; the output is the last tensor.
        grid: programs along each axis.
        torch: computes the same with torch.
        flops: multiplications and additions.
    """

    name: str
    file: str
    arguments: tuple[Any, ...]
    grid: tuple[int, ...]
    torch: Callable[[], torch.Tensor]
    flops: float

    @property
    def output(self) -> torch.Tensor:
        """The tensor that the kernel writes."""
        return [value for value in self.arguments if isinstance(value, torch.Tensor)][-1]


def _random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float16)


def matmul(size: int) -> Workload:
    """Create a matmul of two square f16 matrices."""
    a, b, c = (_random(size, size) for _ in range(3))
    constants = KERNELS["matmul"][2]
    tiles = (size // constants["BLOCK_M"]) * (size // constants["BLOCK_N"])
    arguments = (a, b, c, size, size, size, size, size, size)
    by_torch = lambda: torch.matmul(a, b)  # noqa: E731
    return Workload(f"matmul {size}", "matmul", arguments, (tiles,), by_torch, 2.0 * size**3)


def attention(length: int, causal: bool) -> Workload:
    """Return attention of 4 · 32 heads of 64 elements of f16."""
    heads, head = 128, 64
    q, k, v, o = (_random(heads, length, head) for _ in range(4))
    arguments = (q, k, v, o, length, length * head, head, math.log2(math.e) / math.sqrt(head))
    scaled = torch.nn.functional.scaled_dot_product_attention
    by_torch = lambda: scaled(q[None], k[None], v[None], is_causal=causal)[0]  # noqa: E731
    kind = "causal" if causal else "full"
    grid = (length // KERNELS["attention_full"][2]["BLOCK_M"], heads)
    flops = 4.0 * heads * length**2 * head * (0.5 if causal else 1.0)
    return Workload(
        f"attention {kind} {length}", f"attention_{kind}", arguments, grid, by_torch, flops
    )


def compare(work: Workload) -> list[str]:
    """Run one product, and return a row of the table."""
    example, _, constants, options = KERNELS[work.file]
    recorded = weft.compile(FOLDER / f"{work.file}.ttgir", target="cuda:90")
    ours = getattr(load(example), example)
    theirs = getattr(load_as_triton(EXAMPLES / f"{example}.py"), example)
    arguments, grid = work.arguments, work.grid
    calls: list[Callable[[], object]] = [
        lambda: recorded[grid](*arguments),
        lambda: ours[grid](*arguments, **constants, **options),
        lambda: theirs[grid](*arguments, **constants, **options),
        work.torch,
    ]
    expected = work.torch().float()
    errors = []
    for call in calls[:2]:
        work.output.zero_()
        call()
        away = (work.output.float() - expected).abs().max() / expected.abs().max()
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
    makers: list[Callable[[], Workload]] = [
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
