"""Time what the host spends on a launch: weft's beside Triton's, in one run, on a GPU.

    python -m benchmarks.launch [--rounds 21]

Rounds of the two alternate; each launches a kernel 2000 times, and the GPU is waited for only
between rounds. A time is the median of its rounds.
Triton takes no arrays of other libraries: weft's launch of these is compared with Triton's of as
many tensors.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

import weft
from benchmarks import launch_kernels
from tests.oracle.reference import load_as_triton

LAUNCHES = 2000
GRID = (32,)
N = 4096

Calls = dict[str, Callable[[], object]]


def spent_us(call: Callable[[], object]) -> float:
    """Return the host's microseconds for one of many calls."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        call()
    spent = time.perf_counter() - start
    torch.cuda.synchronize()
    return spent / LAUNCHES * 1e6


class Foreign:
    """An array that only says where it is by `__cuda_array_interface__`."""

    def __init__(self, tensor: torch.Tensor) -> None:
        interface: Any = tensor.__cuda_array_interface__
        self.__cuda_array_interface__ = {**interface, "version": 3, "stream": None}
        self.device = SimpleNamespace(id=tensor.device.index)


class Dlpack:
    """An array that only says where it is by DLPack."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.__dlpack_device__, self.tensor = tensor.__dlpack_device__, tensor

    def __dlpack__(self, **options: Any) -> object:
        return self.tensor.__dlpack__(**options)


def cases() -> dict[str, tuple[str, tuple[Any, ...], tuple[Any, ...]]]:
    """Return for each row its kernel, our arguments and Triton's."""
    arrays = [torch.rand(N, device="cuda") for _ in range(6)]
    tiles = [torch.rand(64, 64, device="cuda", dtype=torch.float16) for _ in range(2)]
    four, numbers = (*arrays[:3], N), (N, 5, 6, 100, 200, 300)
    descriptor_class = importlib.import_module("triton.tools.tensor_descriptor").TensorDescriptor
    plain = {
        "four arguments": ("four_arguments", four),
        "twelve arguments": ("twelve_arguments", (*arrays, *numbers)),
        "a tuple": ("of_tuple", (tuple(arrays[:2]), arrays[2], (N, 5))),
        "a bf16": ("of_bfloat16", (*four, 0.5)),
    }
    rows = {name: (kernel, arguments, arguments) for name, (kernel, arguments) in plain.items()}
    rows["descriptors"] = (
        "of_descriptors",
        tuple(weft.TensorDescriptor.from_tensor(each, [32, 32]) for each in tiles),
        tuple(descriptor_class.from_tensor(each, [32, 32]) for each in tiles),
    )
    for name, kind in (("array interface", Foreign), ("DLPack", Dlpack)):
        rows[name] = ("four_arguments", (*map(kind, arrays[:3]), N), four)
    return rows


def calls_of(kernel: Any, theirs: Any, ours: tuple[Any, ...], arguments: tuple[Any, ...]) -> Calls:
    """List the launches to time, by heading."""
    by_hand = lambda meta: (32 // (meta["BLOCK"] // 128),)  # noqa: E731
    calls: Calls = {
        "weft": lambda: kernel[GRID](*ours, BLOCK=128),
        "Triton": lambda: theirs[GRID](*arguments, BLOCK=128),
        "weft, grid by function": lambda: kernel[by_hand](*ours, BLOCK=128),
        "Triton, grid by function": lambda: theirs[by_hand](*arguments, BLOCK=128),
    }
    return calls


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    triton = load_as_triton(Path(launch_kernels.__file__))
    table = Table(title=f"µs a launch on {torch.cuda.get_device_name()}", title_justify="left")
    table.add_column("")
    headings: list[str] = []
    for name, (kernel, ours, theirs) in cases().items():
        calls = calls_of(getattr(launch_kernels, kernel), getattr(triton, kernel), ours, theirs)
        for call in calls.values():
            for _ in range(100):
                call()
        times: dict[str, list[float]] = {heading: [] for heading in calls}
        for _ in range(rounds):
            for heading, call in calls.items():
                times[heading].append(spent_us(call))
        medians = {heading: median(each) for heading, each in times.items()}
        if not headings:
            headings = [*medians, "weft / Triton"]
            for heading in headings:
                table.add_column(heading, justify="right")
        ratio = medians["weft"] / medians["Triton"]
        table.add_row(name, *(f"{us:.2f}" for us in medians.values()), f"{ratio:.2f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
