"""Count what can be counted in NVIDIA's machine code without a GPU, beside Triton's own.

    python -m benchmarks.static_nvidia [--only softmax] [--target cuda:90]

For case 0 of every example: registers, bytes spilled, bytes of shared memory, instructions of the
chip, and PTX instructions by kind (accesses by the bytes that one thread moves). Three rows each:
Triton's; weft's code generation from the very same final TTGIR; and weft's own pipeline. Both
kinds of PTX go through the same ptxas. A figure that is worse than Triton's from the same TTGIR
is listed below the tables.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

import weft
from tests.examples.loading import EXAMPLES, load
from tests.oracle import client
from tests.oracle.figures import Figures, figures_of
from weft.codegen import LlvmModule, lower
from weft.codegen.backend.ptxas import Ptxas, every_ptxas
from weft.compiler.machine_code import llvm_machine
from weft.errors import CodegenError, WeftError
from weft.ir.text import parse_module
from weft.targets import target

FOLDER = Path(__file__).parents[1] / "examples"
TARGETS = ("cuda:80", "cuda:90", "cuda:100")
FIGURES = ("registers", "spilled", "shared", "instructions")


def measured(assembler: Ptxas, llvm: LlvmModule) -> Figures:
    """Return the figures of a module of weft's."""
    ptx = llvm_machine().emit(llvm, "assembly").decode()
    return figures_of(assembler, llvm, ptx, llvm.shared_bytes)


def rows(
    triton: client.Triton, assembler: Ptxas, example: str, chip: str
) -> dict[str, Figures | str]:
    """Return the figures of one example, or why there are none."""
    kernel, signature, constexprs, options, *_ = load(example).CASES[0]
    figures_by_side: dict[str, Figures | str] = {}
    try:
        final = triton.steps(FOLDER / f"{example}.py", 0, chip)[-1].after
        theirs = triton.machine_code(final, chip)
        plain = LlvmModule("", kernel.__name__, target(chip), None)  # pyright: ignore
        figures_by_side["triton"] = figures_of(assembler, plain, theirs["ptx"], theirs["shared"])
        figures_by_side["its TTGIR"] = measured(assembler, lower(parse_module(final)))
    except (CodegenError, client.TritonError) as error:
        figures_by_side["its TTGIR" if "triton" in figures_by_side else "triton"] = _first_line(
            error
        )
    try:
        compiled = weft.compile(
            kernel, signature=signature, constexprs=constexprs, target=chip, **options
        )
        llvm = compiled.asm.llvm
        figures_by_side["weft"] = measured(assembler, llvm)
    except WeftError as error:
        figures_by_side["weft"] = _first_line(error)
    return figures_by_side


def _first_line(error: Exception) -> str:
    return getattr(error, "message", str(error)).splitlines()[0]


def worse(ours: Figures, theirs: Figures) -> list[str]:
    """Describe which of weft's figures exceed Triton's for the same TTGIR."""
    differences = []
    for name in FIGURES:
        a, b = getattr(ours, name), getattr(theirs, name)
        if a > b * (1.05 if name == "instructions" else 1):
            differences.append(f"{name} {a} for {b}")
    counts = (_by_kind(ours), _by_kind(theirs))
    for kind in sorted({*counts[0], *counts[1]}):
        a, b = (each[kind] for each in counts)
        if a > b:
            differences.append(f"{kind} {a} for {b}")
    return differences


def _by_kind(figures: Figures) -> Counter[str]:
    """Return the counts with accesses of all widths taken together: wide ones are no fault."""
    figures_by_side: Counter[str] = Counter()
    for kind, count in figures.counts.items():
        figures_by_side[kind.partition(" ")[0]] += count
    return figures_by_side


def table_of(only: str, chip: str) -> tuple[Table, list[str]]:
    """Return the table of a chip, and a line for each example with something worse."""
    known = every_ptxas(target(chip).llvm_cpu)
    if not known:
        raise SystemExit(f"no ptxas on this machine knows {target(chip).llvm_cpu}")
    assembler = known[0]  # the newest: Triton prints PTX as new as its own ptxas
    table = Table(title=chip, title_justify="left", title_style="bold")
    for heading in ("example", "code", *FIGURES, "of PTX"):
        table.add_column(heading, justify="right" if heading in FIGURES else "left")
    listed = []
    with client.triton() as triton:
        for example in EXAMPLES:
            if only not in example:
                continue
            figures_by_side = rows(triton, assembler, example, chip)
            for label, figures in figures_by_side.items():
                if isinstance(figures, str):
                    table.add_row(example, label, *[""] * len(FIGURES), figures)
                    continue
                counts = ", ".join(f"{kind}: {n}" for kind, n in sorted(figures.counts.items()))
                values = [str(getattr(figures, name)) for name in FIGURES]
                table.add_row(example, label, *values, counts)
            table.add_section()
            ours, theirs = figures_by_side.get("its TTGIR"), figures_by_side.get("triton")
            if isinstance(ours, Figures) and isinstance(theirs, Figures):
                if differences := worse(ours, theirs):
                    listed.append(f"{example} {chip}: {', '.join(differences)}")
    return table, listed


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of an example's name")
    parser.add_argument("--target", choices=TARGETS, help="only this chip")
    arguments = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 160)
    listed = []
    for chip in (arguments.target,) if arguments.target else TARGETS:
        table, differences = table_of(arguments.only, chip)
        console.print(table)
        listed += differences
    console.print("more than Triton from the same TTGIR:", *(listed or ["nothing"]), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
