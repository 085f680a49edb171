"""Compare compile times of weft and Triton in the same run.

    make bench        or        python -m benchmarks.compile [--only softmax] [--table code]
                                                             [--target hip:gfx942]

Both compile case 0 of each example from the same file, alternately, without a kernel cache.
`code`    to machine code. warm: the median of compiles in one process, after one that is not
          counted. cold: the minimum over new processes, imports included; Python's .pyc files of
          both exist.
`parts`   the front end, the TTIR passes and the conversion to TTGIR, warm.
`import`  the time of an import in a new process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
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
from benchmarks import compile_code
from benchmarks.timing import show_ms
from tests.examples.loading import EXAMPLES, load
from tests.oracle import reference
from weft.errors import CodegenError
from weft.kernel.compiled_kernel import CompiledKernel
from weft.passes import run_pipeline
from weft.pipelines import stages
from weft.targets import target

FOLDER = Path(__file__).parents[1] / "examples"
TARGETS = ("hip:gfx942", "cuda:90", "hip:gfx1201")
CONVERSION = "convert-triton-to-tritongpu"
PARTS = ("front end", "TTIR passes", "conversion")
Times = tuple[float, float, float]


def weft_once(example: str, chip: str) -> Callable[[], Times]:
    """Create a function that compiles case 0 with weft and returns the ms of each part."""
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
    """Create a function that compiles case 0 with Triton and returns the ms of each part."""
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
    """Run the calls alternately, and return the median of each part for each call."""
    for call in calls:
        call()
    times_of_sides: list[list[Times]] = [[] for _ in calls]
    for _ in range(runs):
        for call, times in zip(calls, times_of_sides, strict=True):
            times.append(call())
    return [[median(part) for part in zip(*times, strict=True)] for times in times_of_sides]


def import_ms(statement: str, runs: int = 7) -> float:
    """Measure the median ms of an import in a new process, without the start of Python."""
    code = (
        "import time; start = time.perf_counter()\n"
        f"{statement}\nprint((time.perf_counter() - start) * 1e3)"
    )
    times = []
    for _ in range(runs):
        process = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        times.append(float(process.stdout))
    return median(times)


def compile_table(only: str, runs: int) -> Table:
    """Compare the parts for every example and target."""
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


CODE = {"cuda": ("PTX", "cubin"), "hip": ("AMDGCN", "hsaco")}
SIDES = ("weft", "triton")


def warm_code(example: str, chip: str, runs: int) -> list[list[float]]:
    """Measure the median ms to assembly and to the binary, of weft and of Triton."""
    calls = (compile_code.weft_once(example, chip), compile_code.triton_once(example, chip))
    times_of_sides: list[list[tuple[float, float]]] = [[], []]
    for run in range(runs + 1):
        for call, times in zip(calls, times_of_sides, strict=True):
            elapsed = call(time.perf_counter())
            if run:  # the first is not counted
                times.append(elapsed)
    return [[median(part) for part in zip(*times, strict=True)] for times in times_of_sides]


def cold_code(example: str, chip: str, runs: int, bytecode: str) -> list[list[float]]:
    """Measure the minimum ms to assembly and binary in new processes, of weft and of Triton."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    times_of_sides: list[list[list[float]]] = [[], []]
    for run in range(runs + 1):
        for side, times in zip(SIDES, times_of_sides, strict=True):
            command = [sys.executable, "-m", "benchmarks.compile_code", side, example, chip]
            process = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment
            )
            if run:  # the first writes .pyc files
                times.append([float(text) for text in process.stdout.split()])
    return [[min(part) for part in zip(*times, strict=True)] for times in times_of_sides]


def code_table(only: str, chip: str, runs: int) -> Table:
    """Compare every example to PTX and cubin, or to AMDGCN and hsaco."""
    title = f"source to machine code for {chip}, ms: weft / Triton"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("example")
    for state in ("warm", "cold"):
        for form in CODE[chip.partition(":")[0]]:
            table.add_column(f"{state} {form}", justify="right")
            table.add_column("ratio", justify="right")
    ratios: list[list[float]] = []
    with tempfile.TemporaryDirectory() as bytecode:
        for example in EXAMPLES:
            if only not in example:
                continue
            try:
                warm = warm_code(example, chip, runs)
            except CodegenError as error:
                table.add_row(example, error.message)
                continue
            cold = cold_code(example, chip, max(1, runs // 3), bytecode)
            pairs = [pair for one in (warm, cold) for pair in zip(*one, strict=True)]
            ratios.append([ours / theirs for ours, theirs in pairs])
            cells = [
                text
                for (ours, theirs), ratio in zip(pairs, ratios[-1], strict=True)
                for text in (f"{show_ms(ours)} / {show_ms(theirs)}", f"{ratio:.2f}×")
            ]
            table.add_row(example, *cells)
    table.add_section()
    means = [geometric_mean(column) for column in zip(*ratios, strict=True)]
    table.add_row("geometric mean", *[text for mean in means for text in ("", f"{mean:.2f}×")])
    return table


def import_table() -> Table:
    """Compare the imports. `import weft` may take as long as `import triton`."""
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
    parser.add_argument("--target", default="cuda:90", help="of the table of machine code")
    parser.add_argument("--table", choices=("code", "parts", "import"), help="only this one")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 130)
    tables = (arguments.table,) if arguments.table else ("code", "parts", "import")
    if "code" in tables:
        console.print(code_table(arguments.only, arguments.target, arguments.runs))
    if "parts" in tables:
        console.print(compile_table(arguments.only, arguments.runs))
    if "import" in tables:
        console.print(import_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
