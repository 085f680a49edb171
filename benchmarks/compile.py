"""Time weft's front end, TTIR passes and conversion to TTGIR beside Triton's own.

    make bench        or        python -m benchmarks.compile [--only softmax]

Both compile case 0 of each example from the same file in the same process, in turns, from a fresh
module each time; a cell is the median. Both times are of one kernel in a warm process: modules
imported, nothing cached of the kernel itself. Last, the time to import each in a fresh process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean, median

from rich.console import Console
from rich.table import Table
from triton._C.libtriton import ir as triton_ir
from triton._C.libtriton import passes as triton_passes
from triton.compiler import ASTSource

import weft
from benchmarks.timing import show_ms
from tests.examples.loading import EXAMPLES, load
from tests.oracle import reference
from weft.passes import run_pipeline
from weft.pipelines import stages
from weft.runtime.compiled import CompiledKernel
from weft.targets import target

FOLDER = Path(__file__).parents[1] / "examples"
TARGETS = ("hip:gfx942", "cuda:90", "hip:gfx1201")
CONVERSION = "convert-triton-to-tritongpu"
PARTS = ("front end", "TTIR passes", "conversion")
Times = tuple[float, float, float]


def weft_once(example: str, chip: str) -> Callable[[], Times]:
    """Return a function that compiles case 0 with weft and gives the ms of each part."""
    kernel, signature, constexprs, options, *_ = load(example).CASES[0]

    def front_end() -> CompiledKernel:
        return weft.compile(
            kernel,
            signature=signature,
            constexprs=constexprs,
            target=chip,
            stop_after="source",
            **options,
        )

    ahead = stages(target(chip), front_end().metadata.options)
    passes = [each for stage in ahead for each in stage.passes]
    at = next(index for index, each in enumerate(passes) if each.name == CONVERSION)

    def run() -> Times:
        start = time.perf_counter()
        module = front_end().module("source")
        lowered = time.perf_counter()
        run_pipeline(tuple(passes[:at]), module)
        cleaned = time.perf_counter()
        run_pipeline((passes[at],), module)
        return _parts(start, lowered, cleaned)

    return run


def triton_once(example: str, chip_name: str) -> Callable[[], Times]:
    """Return a function that compiles case 0 with Triton and gives the ms of each part."""
    chip = reference.target(chip_name)
    item = reference.case(reference.load_as_triton(FOLDER / f"{example}.py"), 0)
    language = ASTSource(item.kernel, item.signature).language

    def run() -> Times:
        start = time.perf_counter()
        module, backend, options = reference.front(item, chip)
        lowered = time.perf_counter()
        makers: dict[str, Callable[..., object]] = {}
        backend.add_stages(makers, options, language)
        module = makers["ttir"](module, {})
        cleaned = time.perf_counter()
        manager = triton_ir.pass_manager(module.context)
        triton_passes.ttir.add_convert_to_ttgpuir(
            manager, chip_name, options.num_warps, options.warp_size, options.num_ctas
        )
        manager.run(module, "convert")
        return _parts(start, lowered, cleaned)

    return run


def _parts(start: float, lowered: float, cleaned: float) -> Times:
    end = time.perf_counter()
    return (lowered - start) * 1e3, (cleaned - lowered) * 1e3, (end - cleaned) * 1e3


def in_turns(calls: tuple[Callable[[], Times], ...], runs: int) -> list[list[float]]:
    """Run the calls in turns, and return the median of each part for each call."""
    for call in calls:
        call()
    taken: list[list[Times]] = [[] for _ in calls]
    for _ in range(runs):
        for call, times in zip(calls, taken, strict=True):
            times.append(call())
    return [[median(part) for part in zip(*times, strict=True)] for times in taken]


def import_ms(statement: str, runs: int = 7) -> float:
    """Return the median time of an import in a fresh process, Python's own start left out."""
    code = (
        "import time; start = time.perf_counter()\n"
        f"{statement}\nprint((time.perf_counter() - start) * 1e3)"
    )
    times = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        times.append(float(done.stdout))
    return median(times)


def compile_table(only: str, runs: int) -> Table:
    """Time every example on every target."""
    table = Table(title="one compile, ms: weft / Triton", title_justify="left", title_style="bold")
    for heading in ("example", "target"):
        table.add_column(heading)
    for heading in (*PARTS, "sum", "ratio"):
        table.add_column(heading, justify="right")
    ratios = []
    for example in EXAMPLES:
        if only not in example:
            continue
        for chip in TARGETS:
            ours, theirs = in_turns((weft_once(example, chip), triton_once(example, chip)), runs)
            ratio = sum(ours) / sum(theirs)
            ratios.append(ratio)
            cells = [
                f"{show_ms(a)} / {show_ms(b)}"
                for a, b in zip([*ours, sum(ours)], [*theirs, sum(theirs)], strict=True)
            ]
            table.add_row(example, chip, *cells, f"{ratio:.2f}×")
    table.add_section()
    table.add_row("geometric mean", *[""] * 5, f"{geometric_mean(ratios):.2f}×")
    return table


def import_table() -> Table:
    """Time the imports. The goal for weft is 150 ms."""
    table = Table(title="import, ms", title_justify="left", title_style="bold")
    table.add_column("")
    table.add_column("median of 7", justify="right")
    for statement in (
        "import weft",
        "import weft, weft.language; weft.jit",
        "import triton",
        "import triton, triton.language",
    ):
        table.add_row(statement, show_ms(import_ms(statement)))
    return table


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of an example's name")
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(compile_table(arguments.only, arguments.runs))
    console.print(import_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
