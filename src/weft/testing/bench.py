"""A kernel beside others that do the same, over a range of sizes: what `weft bench` runs.

    BENCHES = (
        Bench(vector_add, "length", (1 << 12, 1 << 16), make, launch, {"numpy": in_numpy},
              moved=lambda length: 12 * length),
    )

A rate is what a call moves or computes over its time. The limit that it is held against is that of
a board (`weft.targets.boards`) where one is known; on the CPU, else, a copy of as many bytes by
numpy, timed in the same run; for arithmetic there is none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from weft.errors import LaunchError
from weft.targets.boards import Board
from weft.testing.benchmarking import do_bench

__all__ = ["Bench", "Row", "measure"]

_OURS = "weft"


@dataclass(frozen=True, slots=True)
class Bench:
    """What is measured.

    size_name, sizes: what is varied.  make: from a size to numpy arrays.  run: launches the kernel
    on them.  baselines: others that take the same arrays, by name; they are torch's on a GPU, where
    one called "numpy" is left out, and numpy's here, where one called "torch" is.
    moved, computed: bytes, or operations, of a call, by size; one of the two.
    operands: the type of what is multiplied, "f16" or another of `weft.targets.boards.KINDS`.
    """

    kernel: Any
    size_name: str
    sizes: Sequence[int]
    make: Callable[[int], Sequence[np.ndarray]]
    run: Callable[..., object]
    baselines: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    moved: Callable[[int], float] | None = None
    computed: Callable[[int], float] | None = None
    operands: str | None = None

    @property
    def unit(self) -> str:
        """What rates are counted in."""
        return "TFLOP/s" if self.moved is None else "GB/s"

    def rate(self, size: int, milliseconds: float) -> float:
        """Return the rate of a call that takes so long."""
        if self.moved is not None:
            return self.moved(size) / milliseconds * 1e-6
        if self.computed is None:
            raise LaunchError(
                "a Bench says what a call moves, or what it computes", found="neither"
            )
        return self.computed(size) / milliseconds * 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """One size: ms and rate of each, the kernel's first; the rate's limit, None for unknown."""

    size: int
    milliseconds: Mapping[str, float]
    rates: Mapping[str, float]
    limit: float | None

    @property
    def fraction(self) -> float | None:
        """The kernel's rate over the limit."""
        return None if self.limit is None else self.rates[_OURS] / self.limit


def measure(bench: Bench, gpu: int | None, budget: float, board: Board | None = None) -> list[Row]:
    """Time the kernel and its baselines at every size.

    Args: gpu: the number of the GPU to run on, None for this CPU.  budget: ms for each.
          board: whose limits rates are held against; None where none is known.
    Raises: LaunchError: a GPU without torch.
    """
    rows = []
    for size in bench.sizes:
        arrays = _placed(bench.make(size), gpu)
        calls = {_OURS: bench.run} | {
            name: call
            for name, call in bench.baselines.items()
            if name != ("torch" if gpu is None else "numpy")
        }
        times = {name: _median(partial(call, *arrays), budget) for name, call in calls.items()}
        rates = {name: bench.rate(size, time) for name, time in times.items()}
        rows.append(Row(size, times, rates, _limit(bench, size, gpu, budget, board)))
    return rows


def _median(call: Callable[[], object], budget: float) -> float:
    """Return the ms that a call takes, after a quarter of the budget to warm up."""
    return float(do_bench(call, budget / 4, budget, return_mode="median"))


def _placed(arrays: Sequence[np.ndarray], gpu: int | None) -> Sequence[Any]:
    if gpu is None:
        return arrays
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError("a measurement on a GPU needs torch", found="torch is not imported")
    return [torch.from_numpy(array).to(f"cuda:{gpu}") for array in arrays]


def _limit(
    bench: Bench, size: int, gpu: int | None, budget: float, board: Board | None
) -> float | None:
    """Return the most GB/s that the memory allows, or TFLOP/s of the products."""
    if bench.moved is None:
        return None if board is None or bench.operands is None else board.tera(bench.operands)
    if board is not None:
        return float(board.memory_gb_per_s)
    if gpu is not None:
        return None
    source = np.ones(max(1, int(bench.moved(size)) // 2), np.uint8)
    target = np.empty_like(source)
    return bench.rate(size, _median(partial(np.copyto, target, source), budget))
