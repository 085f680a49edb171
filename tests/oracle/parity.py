"""Print how much of weft's IR is identical to Triton's, and list what differs by cause.

make parity                       all tables
make parity ARGS=--differences    and each op that differs
make parity ARGS='--only matmul'  of one example
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.oracle import client, weft_side
from tests.oracle.compare import Comparison, compare
from tests.oracle.corpus import EXAMPLES, KERNELS, TARGETS, is_for, kernels_of, name

Compile = tuple[Path, int, str]
CAUSES = ("name", "type", "attribute", "operand")


@dataclass(slots=True)
class Tally:
    """What was compared for one row of a table: IR texts, ops, and what went wrong."""

    texts: int = 0
    identical_texts: int = 0
    ops: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, label: str, compared: Callable[[], Comparison]) -> None:
        """Count one comparison; an error on either side counts as a text that differs."""
        self.texts += 1
        try:
            result = compared()
        except Exception as error:  # a broken room is a row in this table, not its end
            self.causes["error"] += 1
            self.notes.append(f"{label}: {type(error).__name__}: {error}")
            return
        self.identical_texts += bool(result)
        self.ops += result.total
        self.causes += result.by_cause
        if not result:
            self.notes.append(f"{label}: {result}")


def conversion(triton: client.Triton, path: Path, index: int, target: str) -> Comparison:
    """Compare our conversion to TTGIR with Triton's, both on Triton's TTIR."""
    step = triton.trace(path, index, target).conversion
    ours = weft_side.run_passes(step.before, step.pipeline)
    return compare(triton.canonical(step.after), triton.canonical(ours))


def front_end(triton: client.Triton, path: Path, index: int, target: str) -> Comparison:
    """Compare our front end with Triton's, both cleaned by Triton's own TTIR passes.

    Right out of the front end they cannot be the same: Triton's leaves dead code behind.
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

    A pass that weft has not is an error where it changes the IR, and left out where it does not.
    """
    rows: dict[str, Tally] = {}
    for each in compiles:
        for step in triton.trace(*each).steps[:-1]:
            if not weft_side.has_pass(step.name) and step.before == step.after:
                continue  # not a pass of weft, and not one that this kernel needs
            row = rows.setdefault(step.name, Tally())
            row.add(name(*each), lambda step=step: one_pass(triton, step))
    return rows


def clean_up(triton: client.Triton, step: client.Step) -> Comparison:
    """Compare one pass that tidies up between TTGIR passes with Triton's."""
    ours = weft_side.run_passes(step.before, step.name)
    if ours.strip() == step.after.strip():
        return compare(step.after, step.after)  # byte for byte: Triton need not read it again
    return compare(triton.canonical(step.after), triton.canonical(ours))


def clean_up_tallies(triton: client.Triton, compiles: Iterable[Compile]) -> dict[str, Tally]:
    """Compare every pass that tidies up between TTGIR passes, a row for each pass."""
    rows: dict[str, Tally] = {}
    for each in compiles:
        for step in triton.clean_ups(*each):
            row = rows.setdefault(step.name, Tally())
            row.add(name(*each), lambda step=step: clean_up(triton, step))
    return rows


def show(console: Console, title: str, rows: dict[str, Tally], differences: bool) -> bool:
    """Print one table, and return whether everything in it is identical."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("")
    for heading in ("identical texts", "ops", *CAUSES, "error"):
        table.add_column(heading, justify="right")
    total = Tally()
    for label, row in rows.items():
        total.texts += row.texts
        total.identical_texts += row.identical_texts
        total.ops += row.ops
        total.causes += row.causes
        table.add_row(label, *_cells(row))
    table.add_section()
    table.add_row("all", *_cells(total))
    console.print(table)
    if differences:
        for row in rows.values():
            for note in row.notes:
                console.print(note, markup=False, highlight=False, soft_wrap=True)
    return total.texts == total.identical_texts


def _cells(row: Tally) -> list[str]:
    counts = [str(row.causes[cause] or "·") for cause in (*CAUSES, "error")]
    return [f"{row.identical_texts} of {row.texts}", str(row.ops), *counts]


def main() -> int:
    """Print the tables; exit with 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="part of a kernel's name")
    parser.add_argument("--target", default="", help="part of a target's name")
    parser.add_argument("--table", default="", help="part of a table's title")
    parser.add_argument("--differences", action="store_true", help="list each op that differs")
    arguments = parser.parse_args()
    targets = [target for target in TARGETS if arguments.target in target]
    examples, kernels = (
        [
            (*case, chip)
            for case in cases
            if arguments.only in name(*case)
            for chip in targets
            if is_for(*case, chip)
        ]
        for cases in (EXAMPLES, KERNELS)
    )
    console = Console(width=None if sys.stdout.isatty() else 110)
    where = ", ".join(targets)
    title = f"convert-triton-to-tritongpu on Triton's TTIR ({where})"
    with client.triton() as triton:
        tables = (
            (f"{title}: examples", lambda: tallies(triton, examples, conversion)),
            (f"{title}: more kernels", lambda: tallies(triton, kernels, conversion)),
            ("front end and TTIR passes: examples", lambda: tallies(triton, examples, ttir)),
            ("front end and TTIR passes: more kernels", lambda: tallies(triton, kernels, ttir)),
            (
                "front end, then Triton's TTIR passes: all kernels",
                lambda: tallies(triton, examples + kernels, front_end),
            ),
            (
                "each TTIR pass on Triton's IR before it: all kernels",
                lambda: pass_tallies(triton, examples + kernels),
            ),
            (
                "each clean-up between TTGIR passes on Triton's IR before it: all kernels",
                lambda: clean_up_tallies(triton, examples + kernels),
            ),
        )
        done = [
            show(console, title, rows(), arguments.differences)
            for title, rows in tables
            if arguments.table in title
        ]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
