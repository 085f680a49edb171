"""Time kernels on a GPU: weft's beside Triton's and torch's, in one run.

    python -m benchmarks.gpu [--only softmax]

The kernels are those of examples/, compiled by both from the same file, at sizes that fill the
chip. Rounds of the three alternate, so that a change of the clock affects all; a time is the
median of its rounds, a ratio the other's time divided by weft's. Results are compared with torch's
first, in f32, and the largest relative error is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.timing import print_table
from tests.examples.loading import load
from tests.oracle.reference import load_as_triton

EXAMPLES = Path(__file__).parents[1] / "examples"
ROUNDS, REPEATS = 21, 20
Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """One kernel at one size.

    file: of examples/.  make: the tensors, those that are written last.  outputs: how many.
    torch: the same from the inputs by torch.  moved: bytes read and written.
    """

    name: str
    file: str
    make: Callable[[], Tensors]
    outputs: int
    torch: Callable[..., Any]
    moved: Callable[[Tensors], int]
    options: tuple[tuple[str, Any], ...] = ()


def _bytes(tensors: Tensors) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _random(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def _norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, (x.shape[1],), weight, bias)


def workloads(dtype: torch.dtype) -> tuple[Workload, ...]:
    """Return the workloads whose elements are of a type."""
    label = str(dtype).removeprefix("torch.")
    rows, columns = 8192, 4096

    def matrix() -> torch.Tensor:
        return _random(rows, columns, dtype=dtype)

    def norm() -> Tensors:
        x = matrix()
        weight, bias = _random(columns, dtype=dtype), _random(columns, dtype=dtype)
        sums = [torch.empty(rows, device="cuda") for _ in range(2)]
        return x, weight, bias, torch.empty_like(x), *sums

    def entropy() -> Tensors:
        right = torch.randint(0, columns, (rows,), device="cuda")
        return matrix(), right, *(torch.empty(rows, device="cuda") for _ in range(2))

    def vectors() -> Tensors:
        x = _random(1 << 26, dtype=dtype)
        return x, torch.randn_like(x), torch.empty_like(x)

    def turned() -> Tensors:
        return matrix(), torch.empty(columns, rows, device="cuda", dtype=dtype)

    def loss(x: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(x.float(), right, reduction="none")

    def softmax() -> Tensors:
        x = matrix()
        return x, torch.empty_like(x)

    return (
        Workload(f"vector add {label}", "vector_add", vectors, 1, torch.add, _bytes),
        Workload(f"softmax {label}", "softmax", softmax, 1, lambda x: torch.softmax(x, 1), _bytes),
        Workload(f"layer norm {label}", "layer_norm", norm, 3, _norm, _bytes, (("block", 1024),)),
        Workload(f"transpose {label}", "transpose", turned, 1, lambda x: x.T.contiguous(), _bytes),
        Workload(
            f"cross entropy {label}", "cross_entropy", entropy, 2, loss, _bytes, (("block", 1024),)
        ),
    )


def measure(calls: list[Callable[[], object]]) -> list[float]:
    """Return the median microseconds of each call, their rounds alternating."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        for _ in range(3):
            call()
    for _ in range(ROUNDS):
        for call, result in zip(calls, times, strict=True):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            start.record()
            for _ in range(REPEATS):
                call()
            end.record()
            torch.cuda.synchronize()
            result.append(start.elapsed_time(end) * 1e3 / REPEATS)
    return [sorted(result)[ROUNDS // 2] for result in times]


def compare(work: Workload) -> list[str]:
    """Run one workload, and return a row of the table."""
    tensors = work.make()
    inputs = tensors[: len(tensors) - work.outputs]
    ours, theirs = load(work.file), load_as_triton(EXAMPLES / f"{work.file}.py")
    options = dict(work.options)
    launched = lambda module: lambda: module.launch(*tensors, **options)  # noqa: E731
    by_torch = lambda: work.torch(*inputs)  # noqa: E731
    expected = by_torch().float()
    launched(ours)()
    result = tensors[len(inputs)].float()
    error = ((result - expected).abs() / expected.abs().clamp(min=1.0)).max().item()
    weft_us, triton_us, torch_us = measure([launched(ours), launched(theirs), by_torch])
    speed = work.moved(tensors) / weft_us / 1e3
    return [
        work.name,
        f"{error:.1e}",
        f"{weft_us:.1f}",
        f"{triton_us:.1f}",
        f"{torch_us:.1f}",
        f"{speed:.0f}",
        f"{triton_us / weft_us:.2f}",
        f"{torch_us / weft_us:.2f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of a workload's name")
    only = parser.parse_args().only
    rows = (
        compare(work)
        for dtype in (torch.float32, torch.float16, torch.bfloat16)
        for work in workloads(dtype)
        if only in work.name
    )
    headings = ("error", "weft", "Triton", "torch", "GB/s", "Triton / weft", "torch / weft")
    print_table(f"µs on {torch.cuda.get_device_name()}", headings, rows, width=110)


if __name__ == "__main__":
    main()
