"""Time kernels of the kinds that packages have on a GPU: weft's beside Triton's, in one run.

    python -m benchmarks.packages [--only norm]

The kernels are those of package_kernels.py, compiled by both from the same file. Several launches
are recorded as a CUDA graph, so that the host's part is not what is timed, and the graphs of the
two take turns. A time is the median of its rounds, a ratio the median of Triton's time divided by
weft's in the same round. Results are compared with torch's first: an error is relative to what is
expected, or to one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import torch

from benchmarks import package_kernels
from benchmarks.cuda_timing import time_alternately
from benchmarks.package_workloads import Workload, largest_error, workloads
from benchmarks.timing import print_table
from tests.oracle.reference import load_as_triton


def compare(work: Workload, theirs: Any, ratios: list[float]) -> list[str]:
    """Run one workload, and return a row of the table; its ratio joins the others.

    Raises: AssertionError: a result is not torch's.
    """
    work.launch(package_kernels)
    error = largest_error(work)
    assert error <= work.bound, f"{work.name}: error {error:.1e}, at most {work.bound}"
    work.launch(theirs)
    calls = [lambda: work.launch(package_kernels), lambda: work.launch(theirs)]
    ours_us, theirs_us = time_alternately(calls)
    ratio = median(b / a for a, b in zip(ours_us, theirs_us, strict=True))
    ratios.append(ratio)
    return [
        work.name,
        f"{error:.1e}",
        f"{median(ours_us):.1f}",
        f"{median(theirs_us):.1f}",
        f"{ratio:.2f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of a workload's name")
    only = parser.parse_args().only
    torch.manual_seed(0)
    theirs = load_as_triton(Path(package_kernels.__file__))
    ratios: list[float] = []
    rows = (
        compare(work, theirs, ratios) for work in workloads("cuda", full=True) if only in work.name
    )
    title = f"µs on {torch.cuda.get_device_name()}"
    print_table(title, ("error", "weft", "Triton", "Triton / weft"), rows, width=90)
    if ratios:
        print(f"geometric mean of Triton / weft: {geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
