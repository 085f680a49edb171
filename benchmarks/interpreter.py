"""Time weft's interpreter beside Triton's own (TRITON_INTERPRET=1) on the same kernels.

    make bench        or        python -m benchmarks.interpreter [--only softmax]

Both run the kernels of examples/ from the same file, on arrays of the same values, in the same
process, one after the other; their results are compared. A row's ratio is Triton's median time
divided by weft's. Compilation to TTIR, which weft does once per kernel and Triton's interpreter
never does, is in the uncounted first call and has its own column.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is decorated

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.timing import milliseconds, show_ms
from tests.examples.loading import load
from tests.oracle.reference import load_as_triton

EXAMPLES = Path(__file__).parents[1] / "examples"
Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """One launch. inputs: makes the arrays.  outputs: how many of them, the last, are written."""

    example: str
    size: str
    programs: int
    goal: int
    inputs: Callable[[np.random.Generator, type], Arrays]
    outputs: int
    arguments: tuple[object, ...] = ()


def _vectors(rng: np.random.Generator, dtype: type) -> Arrays:
    x, y = (rng.standard_normal(1 << 20).astype(dtype) for _ in range(2))
    return x, y, np.zeros_like(x)


def _rows(rng: np.random.Generator, dtype: type) -> Arrays:
    x = rng.standard_normal((1024, 781)).astype(dtype)
    return x, np.zeros_like(x)


def _norm(rng: np.random.Generator, dtype: type) -> Arrays:
    x = rng.standard_normal((512, 1153)).astype(dtype)
    weight, bias = (rng.standard_normal(1153).astype(dtype) for _ in range(2))
    mean, rstd = (np.zeros(512, np.float32) for _ in range(2))
    return x, weight, bias, np.zeros_like(x), mean, rstd


def _matrices(rng: np.random.Generator, dtype: type) -> Arrays:
    a, b = (rng.standard_normal((512, 512)).astype(dtype) for _ in range(2))
    return a, b, np.zeros((512, 512), dtype)


def _heads(rng: np.random.Generator, dtype: type) -> Arrays:
    q, k, v = (rng.standard_normal((4, 512, 64)).astype(dtype) for _ in range(3))
    return q, k, v, np.zeros_like(q)


WORKLOADS = (
    Workload("vector_add", "1,048,576", 1024, 50, _vectors, 1),
    Workload("softmax", "1024 × 781", 1024, 50, _rows, 1),
    Workload("layer_norm", "512 × 1153", 512, 10, _norm, 3),
    Workload("matmul", "512 × 512 × 512", 64, 10, _matrices, 1, ("silu",)),
    Workload("attention", "4 × 512 × 64, causal", 32, 10, _heads, 1, (True,)),
)
DTYPES = (np.float32, np.float16)


def measure(work: Workload, dtype: type) -> tuple[float, float, float]:
    """Return (first call, weft, Triton) in ms, having compared the results."""
    arrays = work.inputs(np.random.default_rng(0), dtype)
    ours = tuple(array.copy() for array in arrays)
    launch = load(work.example).launch
    start = time.perf_counter()
    launch(*ours, *work.arguments)
    first = (time.perf_counter() - start) * 1e3
    weft_ms = milliseconds(lambda: launch(*ours, *work.arguments), runs=7)

    theirs = tuple(torch.from_numpy(array.copy()) for array in arrays)
    reference = load_as_triton(EXAMPLES / f"{work.example}.py").launch
    triton_ms = milliseconds(lambda: reference(*theirs, *work.arguments), runs=3, warm=False)
    for mine, other in zip(ours[-work.outputs :], theirs[-work.outputs :], strict=True):
        bound = 16 * float(np.finfo(mine.dtype).eps)
        np.testing.assert_allclose(
            mine.astype(np.float64), other.numpy().astype(np.float64), rtol=bound, atol=bound * 8
        )
    return first, weft_ms, triton_ms


def main() -> int:
    """Print the table; exit with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of an example's name")
    only = parser.parse_args().only
    warnings.filterwarnings("ignore", module="triton")  # its exp overflows in f16, rightly
    table = Table(title="one launch, ms (median)", title_justify="left", title_style="bold")
    for heading in ("example", "size", "type"):
        table.add_column(heading)
    for heading in ("programs", "first call", "weft", "Triton", "ratio", "goal"):
        table.add_column(heading, justify="right")
    missed = 0
    for work in WORKLOADS:
        if only not in work.example:
            continue
        for dtype in DTYPES:
            first, ours, theirs = measure(work, dtype)
            ratio = theirs / ours
            missed += ratio < work.goal
            style = "green" if ratio >= work.goal else "red"
            cells = (f"{work.programs}", show_ms(first), show_ms(ours), show_ms(theirs))
            name = np.dtype(dtype).name
            shown = f"[{style}]{ratio:.0f}×[/]"
            table.add_row(work.example, work.size, name, *cells, shown, f"{work.goal}×")
    Console(width=None if sys.stdout.isatty() else 110).print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
