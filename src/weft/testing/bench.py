"""A kernel and its baselines over a range of sizes, which `weft bench` measures.

    BENCHES = (
        Bench(vector_add, "length", (1 << 12, 1 << 16), make, launch, {"numpy": in_numpy},
              moved=lambda length: 12 * length),
    )

A rate is the bytes that a call moves, or the operations that it computes, over its time. It is
compared with the limit of a board (`weft.targets.boards`) if one is known. On the CPU, otherwise,
the limit of memory is a copy of as many bytes by numpy, timed in the same run; arithmetic has none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from weft.errors import LaunchError
from weft.kernel.kernel_interface import kernel_of
from weft.targets.boards import Board
from weft.testing.benchmarking import do_bench

__all__ = ["Bench", "Row", "measure"]

_KERNEL = "weft"  # the name of the kernel's own column


@dataclass(frozen=True, slots=True)
class Bench:
    """A measurement of a kernel.

    Attributes:
        kernel: The kernel.
        size_name: The name of the sizes in tables.
        sizes: The sizes to measure.
        make: Maps a size to numpy arrays.
        run: Launches the kernel on these arrays.
        baselines: Other functions of the same arrays, by name. On a GPU they take torch tensors,
            and one called "numpy" is left out; on the CPU numpy arrays, and one called "torch" is.
        moved: Maps a size to the bytes that a call moves; None if `computed` is given.
        computed: Maps a size to the operations that a call computes; None if `moved` is given.
        operands: Operand type of the operations: one of `weft.targets.boards.KINDS`.
    """

    kernel: object
    size_name: str
    sizes: Sequence[int]
    make: Callable[[int], Sequence[np.ndarray]]
    run: Callable[..., object]
    baselines: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    moved: Callable[[int], float] | None = None
    computed: Callable[[int], float] | None = None
    operands: str | None = None

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return kernel_of(self.kernel).name

    @property
    def unit(self) -> str:
        """The unit of rates."""
        return "TFLOP/s" if self.moved is None else "GB/s"

    def rate(self, size: int, milliseconds: float) -> float:
        """Compute the rate of a call from its time.

        Raises:
            LaunchError: The bench has neither `moved` nor `computed`.
        """
        if self.moved is not None:
            return self.moved(size) / milliseconds * 1e-6
        if self.computed is None:
            raise LaunchError("a Bench needs `moved` or `computed`", found="neither")
        return self.computed(size) / milliseconds * 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """The results for one size.

    Attributes:
        size: The size.
        milliseconds: Median time of the kernel and of each baseline.
        rates: Rate of the kernel and of each baseline.
        limit: The highest rate that the device allows; None if it is not known.
    """

    size: int
    milliseconds: Mapping[str, float]
    rates: Mapping[str, float]
    limit: float | None

    @property
    def fraction(self) -> float | None:
        """The kernel's rate over the limit."""
        return None if self.limit is None else self.rates[_KERNEL] / self.limit


def measure(bench: Bench, gpu: int | None, budget: float, board: Board | None = None) -> list[Row]:
    """Time the kernel and its baselines at every size.

    Args:
        bench: What to measure.
        gpu: The number of the GPU; None for the CPU.
        budget: ms to spend on each measurement.
        board: The board whose limits apply; None if none is known.

    Raises:
        LaunchError: A GPU without torch.
    """
    excluded = "torch" if gpu is None else "numpy"
    baselines = {name: call for name, call in bench.baselines.items() if name != excluded}
    calls = {_KERNEL: bench.run} | baselines
    rows = []
    for size in bench.sizes:
        arrays = _on_device(bench.make(size), gpu)
        times = {name: _median_ms(partial(call, *arrays), budget) for name, call in calls.items()}
        rates = {name: bench.rate(size, time) for name, time in times.items()}
        rows.append(Row(size, times, rates, _limit(bench, size, gpu, budget, board)))
    return rows


def _median_ms(call: Callable[[], object], budget: float) -> float:
    """Time a call in ms, after a quarter of the budget to warm up."""
    return float(do_bench(call, budget / 4, budget, return_mode="median"))


def _on_device(arrays: Sequence[np.ndarray], gpu: int | None) -> Sequence[object]:
    if gpu is None:
        return arrays
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError("a measurement on a GPU needs torch", found="torch is not imported")
    return [torch.from_numpy(array).to(f"cuda:{gpu}") for array in arrays]


def _limit(
    bench: Bench, size: int, gpu: int | None, budget: float, board: Board | None
) -> float | None:
    """Find the highest rate that the device allows, in GB/s or TFLOP/s."""
    if bench.moved is None:
        return None if board is None or bench.operands is None else board.tera(bench.operands)
    if board is not None:
        return float(board.memory_gb_per_s)
    if gpu is not None:
        return None
    # A copy reads and writes every byte.
    source = np.ones(max(1, int(bench.moved(size)) // 2), np.uint8)
    target = np.empty_like(source)
    return bench.rate(size, _median_ms(partial(np.copyto, target, source), budget))
