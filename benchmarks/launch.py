"""Time what the host spends on a launch: weft's beside Triton's, in one run, on a GPU.

    python -m benchmarks.launch [--rounds 21]

Rounds of the two alternate; each launches a kernel of four arguments, or of twelve, 2000 times, and
the GPU is waited for only between rounds. A time is the median of its rounds. "driver" is what
cuLaunchKernelEx takes of that, called with everything prepared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from benchmarks import launch_kernels
from tests.oracle.reference import load_as_triton
from weft.runtime.drivers import native

LAUNCHES = 2000
GRID = (32,)
N = 4096
ARGUMENTS = {"four_arguments": 3, "twelve_arguments": 6}


def spent_us(call: Callable[[], object]) -> float:
    """Return the host's microseconds for one of many calls."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        call()
    spent = time.perf_counter() - start
    torch.cuda.synchronize()
    return spent / LAUNCHES * 1e6


def calls_of(ours: Any, theirs: Any, tensors: int) -> dict[str, Callable[[], object]]:
    """Return what is timed, by its heading."""
    arrays = [torch.rand(N, device="cuda") for _ in range(tensors)]
    arguments = (*arrays, N) if tensors == 3 else (*arrays, N, 5, 6, 100, 200, 300)
    program = ours[GRID](*arguments, BLOCK=128)
    ready = (*(each.data_ptr() for each in arrays), *arguments[tensors:], None)
    stream = torch.cuda.current_stream().cuda_stream
    by_hand = lambda meta: (-(-meta["n"] // meta["BLOCK"]),)  # noqa: E731
    return {
        "weft": lambda: ours[GRID](*arguments, BLOCK=128),
        "Triton": lambda: theirs[GRID](*arguments, BLOCK=128),
        "weft, grid by function": lambda: ours[by_hand](*arguments, BLOCK=128),
        "Triton, grid by function": lambda: theirs[by_hand](*arguments, BLOCK=128),
        "driver": lambda: program.direct(32, 1, 1, stream, *ready),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    triton = load_as_triton(Path(launch_kernels.__file__))
    table = Table(title=f"µs a launch on {torch.cuda.get_device_name()}", title_justify="left")
    table.add_column("")
    headings: list[str] = []
    for name, tensors in ARGUMENTS.items():
        calls = calls_of(getattr(launch_kernels, name), getattr(triton, name), tensors)
        native._compiling().join()
        for call in calls.values():
            for _ in range(100):
                call()
        times: dict[str, list[float]] = {heading: [] for heading in calls}
        for _ in range(rounds):
            for heading, call in calls.items():
                times[heading].append(spent_us(call))
        found = {heading: median(each) for heading, each in times.items()}
        if not headings:
            headings = [*found, "weft / Triton"]
            for heading in headings:
                table.add_column(heading, justify="right")
        ratio = found["weft"] / found["Triton"]
        table.add_row(
            name.replace("_", " "), *(f"{us:.2f}" for us in found.values()), f"{ratio:.2f}"
        )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
