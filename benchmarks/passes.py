"""Time the `layout` stage beside Triton's passes of the same stage, on the same IR.

    make bench        or        python -m benchmarks.passes [--only matmul] [--every 3]

Both sides read Triton's IR after its conversion to TTGIR; a cell is the median of the runs, in ms,
of the passes alone, without parsing. Triton runs in a separate process. The second table is one
kernel unrolled further and further: constant time per operation means linear time.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import geometric_mean, median

from rich.console import Console
from rich.table import Table

from benchmarks import unrolled
from benchmarks.timing import show_ms
from tests.oracle import client, layout_passes
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name
from weft.compiler.options import options_for
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes import Pass, run_pipeline
from weft.pipelines import stages
from weft.targets import target as lookup

TARGETS = ("hip:gfx942", "cuda:90")
GOAL = 3.0  # times Triton's own
Compile = tuple[Path, int, str]


def layout_of(target: str, options: dict[str, object]) -> tuple[Pass, ...]:
    """Return the passes of the stage."""
    chip = lookup(target)
    result = {stage.name: stage for stage in stages(chip, options_for(chip, options))}
    return result["layout"].passes


def weft_ms(text: str, passes: tuple[Pass, ...], runs: int) -> tuple[float, int]:
    """Return the median time of the passes, and the number of operations that they read."""
    times, count = [], 0
    for _ in range(runs + 1):  # the first is not counted: it fills the caches of layouts
        module = parse_module(text)
        count = sum(1 for _ in walk(module))
        start = time.perf_counter()
        run_pipeline(passes, module)
        times.append((time.perf_counter() - start) * 1e3)
    return median(times[1:]), count


def one(triton: client.Triton, each: Compile, runs: int) -> tuple[float, float, int]:
    """Return ms of weft, ms of Triton, and the number of operations."""
    path, index, target = each
    text, passes = layout_passes.layout_input(triton.steps(*each))
    theirs = triton.time_layout(*each, passes, runs)
    ours, count = weft_ms(text, layout_of(target, triton.cases(path)[index]["options"]), runs)
    return ours, theirs, count


def compiles(only: str, every: int) -> list[Compile]:
    """List the passes to time."""
    result = [
        (*case, chip)
        for case in EXAMPLES + KERNELS
        for chip in TARGETS
        if only in name(*case) and is_for(*case, chip)
    ]
    return result[::every]


def kernels(triton: client.Triton, console: Console, arguments: list[Compile], runs: int) -> None:
    """Print a row for every kernel, and the median ratio."""
    table = Table(title="layout stage, ms", title_justify="left", title_style="bold")
    for heading in ("kernel", "operations", "weft", "Triton", "ratio"):
        table.add_column(heading, justify="left" if heading == "kernel" else "right")
    ratios = []
    for each in arguments:
        try:
            ours, theirs, count = one(triton, each, runs)
        except client.TritonError as error:
            table.add_row(name(*each), "·", "·", str(error)[:40], "·")
            continue
        ratios.append(ours / theirs)
        cells = (str(count), show_ms(ours), show_ms(theirs), f"{ratios[-1]:.2f}")
        table.add_row(name(*each), *cells)
    console.print(table)
    if ratios:
        console.print(
            f"median ratio {median(ratios):.2f}, geometric mean {geometric_mean(ratios):.2f}, "
            f"worst {max(ratios):.2f}; the goal is {GOAL}"
        )


def curve(triton: client.Triton, console: Console, runs: int) -> None:
    """Print the time of a kernel unrolled ever further, for each target."""
    table = Table(title="a kernel unrolled, ms", title_justify="left", title_style="bold")
    headings = ("target", "times", "operations", "weft", "µs per operation", "Triton",
                "µs per operation", "ratio")  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "target" else "right")
    path = Path(str(unrolled.__file__))
    for chip in TARGETS:
        for index, times in enumerate(unrolled.TIMES):
            ours, theirs, count = one(triton, (path, index, chip), runs)
            each = (f"{value / count * 1e3:.1f}" for value in (ours, theirs))
            table.add_row(
                chip, str(times), str(count), show_ms(ours), next(each), show_ms(theirs),
                next(each), f"{ours / theirs:.2f}",
            )  # fmt: skip
        table.add_section()
    console.print(table)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", default="", help="part of a kernel's name")
    parser.add_argument("--every", type=int, default=1, help="each N-th kernel")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--table", default="", choices=("", "kernels", "curve"))
    arguments = parser.parse_args()
    console = Console()
    with client.triton() as triton:
        if arguments.table in ("", "kernels"):
            kernels(triton, console, compiles(arguments.only, arguments.every), arguments.runs)
        if arguments.table in ("", "curve"):
            curve(triton, console, arguments.runs)


if __name__ == "__main__":
    main()
