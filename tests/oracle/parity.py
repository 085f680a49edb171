"""Print how much of weft's IR is identical to Triton's, and list what differs by cause.

make parity                       all tables
make parity ARGS=--differences    and each op that differs
make parity ARGS='--only matmul'  of one example
make parity ARGS='--table layout' of the passes over layouts and of their stage
make parity ARGS='--table api'    of the names and parameters that users reach
make parity ARGS='--table whole'  of whole pipelines, at the options of the kernels and at others
make parity ARGS='--table names'  of the names of values and source locations
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console

from tests.oracle import (
    client,
    layout_passes,
    locations,
    loop_passes,
    weft_side,
    whole_pipelines,
)
from tests.oracle.api import comparison
from tests.oracle.compare import Comparison, compare
from tests.oracle.corpus import CHIPS, EXAMPLES, KERNELS, TARGETS, is_for, kernels_of, name
from tests.oracle.tally import Tally, show

Compile = tuple[Path, int, str]
WHOLE = (
    "cuda:80",
    "cuda:90",
    "cuda:100",
    "hip:gfx942",
    "hip:gfx950",
)  # the targets of the table of whole pipelines


def conversion(triton: client.Triton, path: Path, index: int, target: str) -> Comparison:
    """Compare our conversion to TTGIR with Triton's, both on Triton's TTIR."""
    step = triton.trace(path, index, target).conversion
    ours = weft_side.run_passes(step.before, step.pipeline)
    return compare(triton.canonical(step.after), triton.canonical(ours))


def front_end(triton: client.Triton, path: Path, index: int, target: str) -> Comparison:
    """Compare our front end with Triton's, both cleaned by Triton's own TTIR passes.

    Directly after the front end they differ: Triton's front end emits dead code.
    """
    expected = triton.canonical(triton.trace(path, index, target).ttir)
    ours = triton.make_ttir(weft_side.stage(path, index, target, "source"), target)
    return compare(expected, triton.canonical(ours))


def ttir(triton: client.Triton, path: Path, index: int, target: str) -> Comparison:
    """Compare our front end and TTIR passes with Triton's."""
    expected = triton.canonical(triton.trace(path, index, target).ttir)
    ours = weft_side.stage(path, index, target, "ttir")
    return compare(expected, triton.canonical(ours))


def one_pass(triton: client.Triton, step: client.Step) -> Comparison:
    """Compare one TTIR pass with Triton's, both on Triton's IR before it."""
    ours = weft_side.run_passes(step.before, step.name)
    return compare(triton.canonical(step.after), triton.canonical(ours))


def tallies(
    triton: client.Triton, compiles: Iterable[Compile], compared: Callable[..., Comparison]
) -> dict[str, Tally]:
    """Compare every compile, a row for each kernel."""
    rows: dict[str, Tally] = {}
    for each in compiles:
        row = rows.setdefault(kernels_of(each[0])[each[1]], Tally())
        row.add(name(*each), lambda each=each: compared(triton, *each))
    return rows


def pass_tallies(triton: client.Triton, compiles: Iterable[Compile]) -> dict[str, Tally]:
    """Compare every TTIR pass of every compile, a row for each pass.

    A pass that weft lacks is an error if it changes the IR, and is skipped if it does not.
    """
    rows: dict[str, Tally] = {}
    for each in compiles:
        for step in triton.trace(*each).steps[:-1]:
            if not weft_side.has_pass(step.name) and step.before == step.after:
                continue  # weft lacks the pass, and it changes nothing
            row = rows.setdefault(step.name, Tally())
            row.add(name(*each), lambda step=step: one_pass(triton, step))
    return rows


def clean_up(triton: client.Triton, step: client.Step) -> Comparison:
    """Compare one clean-up pass between TTGIR passes with Triton's."""
    ours = weft_side.run_passes(step.before, step.name)
    if ours.strip() == step.after.strip():
        return compare(step.after, step.after)  # identical text needs no parsing by Triton
    return compare(triton.canonical(step.after), triton.canonical(ours))


def clean_up_tallies(triton: client.Triton, compiles: Iterable[Compile]) -> dict[str, Tally]:
    """Compare every clean-up pass between TTGIR passes, a row for each pass."""
    rows: dict[str, Tally] = {}
    for each in compiles:
        for step in triton.clean_ups(*each):
            row = rows.setdefault(step.name, Tally())
            row.add(name(*each), lambda step=step: clean_up(triton, step))
    return rows


def _compiles(cases: Iterable[tuple[Path, int]], chips: Iterable[str], only: str) -> list[Compile]:
    return [
        (*case, chip)
        for case in cases
        if only in name(*case)
        for chip in chips
        if is_for(*case, chip)
    ]


def main() -> int:
    """Print the tables; exit with 1 if anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="part of a kernel's name")
    parser.add_argument("--target", default="", help="part of a target's name")
    parser.add_argument("--table", default="", help="part of a table's title")
    parser.add_argument("--every", type=int, default=1, help="each N-th compile of all tables")
    parser.add_argument("--differences", action="store_true", help="list each op that differs")
    arguments = parser.parse_args()
    targets, chips = (
        [target for target in each if arguments.target in target] for each in (TARGETS, CHIPS)
    )
    examples, kernels = (
        _compiles(cases, targets, arguments.only)[:: arguments.every]
        for cases in (EXAMPLES, KERNELS)
    )
    laid_out = _compiles(EXAMPLES + KERNELS, chips, arguments.only)[:: arguments.every]
    located = [
        each
        for each in locations.LOCATED
        if arguments.only in name(*each[:2]) and arguments.target in each[2]
    ][:: arguments.every]
    whole_chips = [chip for chip in WHOLE if arguments.target in chip]
    named = [case for case in EXAMPLES + KERNELS if arguments.only in name(*case)]
    whole = [
        each
        for chip in whole_chips
        for each in whole_pipelines.variants_of(named, chip, arguments.every)
    ]
    console = Console(width=None if sys.stdout.isatty() else 110)
    title = f"convert-triton-to-tritongpu on Triton's TTIR ({', '.join(targets)})"
    chip_names = ", ".join(chips)
    with client.triton() as triton:

        def table(rows: Callable[[], dict[str, Tally]]) -> Callable[[str], bool]:
            return lambda title: show(console, title, rows(), arguments.differences)

        def located_table(title: str) -> bool:
            rows = locations.located_tallies(triton, located)
            return show(console, title, rows, arguments.differences, locations.CAUSES)

        def stage_table(title: str) -> bool:
            rows = layout_passes.stage_tallies(triton, laid_out)
            return layout_passes.show_stages(console, title, rows, arguments.differences)

        def whole_table(title: str) -> bool:
            rows = whole_pipelines.tallies(triton, whole)
            identical = show(console, title, rows, arguments.differences)
            whole_pipelines.show_counts(console, rows)
            return identical

        tables: dict[str, Callable[[str], bool]] = {
            f"{title}: examples": table(lambda: tallies(triton, examples, conversion)),
            f"{title}: more kernels": table(lambda: tallies(triton, kernels, conversion)),
            "front end and TTIR passes: examples": table(lambda: tallies(triton, examples, ttir)),
            "front end and TTIR passes: more kernels": table(
                lambda: tallies(triton, kernels, ttir)
            ),
            "front end, then Triton's TTIR passes: all kernels": table(
                lambda: tallies(triton, examples + kernels, front_end)
            ),
            "each TTIR pass on Triton's IR before it: all kernels": table(
                lambda: pass_tallies(triton, examples + kernels)
            ),
            "each clean-up between TTGIR passes on Triton's IR before it: all kernels": table(
                lambda: clean_up_tallies(triton, examples + kernels)
            ),
            f"each layout pass on Triton's IR before it ({chip_names}): all kernels": table(
                lambda: layout_passes.pass_tallies(triton, laid_out)
            ),
            f"the layout stage from Triton's TTIR ({chip_names}): all kernels": stage_table,
            f"each loop pass on Triton's IR before it, 1 to 5 stages ({chip_names})": table(
                lambda: loop_passes.pass_tallies(triton, laid_out)
            ),
            "names and locations of TTIR and final TTGIR": located_table,
            f"whole pipelines to final TTGIR ({', '.join(whole_chips)})": whole_table,
            "api: the public names and parameters": lambda title: comparison.show(),
        }
        identical = [
            print_table(title) for title, print_table in tables.items() if arguments.table in title
        ]
    return 0 if all(identical) else 1


if __name__ == "__main__":
    sys.exit(main())
