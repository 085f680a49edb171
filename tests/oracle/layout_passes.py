"""TTGIR passes one by one, and the whole `layout` stage, beside Triton's.

Each pass reads Triton's own IR before it, so a mistake of one pass is none of the next. The stage
reads Triton's TTIR and goes all the way; beside its IR, the conversions that it leaves count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.oracle import client, weft_side
from tests.oracle.channel_order import in_channel_order
from tests.oracle.compare import Comparison, compare
from tests.oracle.corpus import kernels_of, name
from tests.oracle.decisions import decision_of
from tests.oracle.tally import Tally

Compile = tuple[Path, int, str]
Steps = tuple[client.Step, ...]
CLEAN_UPS = ("canonicalize", "cse", "sccp", "symbol-dce", "triton-licm", "triton-loop-aware-cse")
CONVERT = "convert-triton-to-tritongpu"
LOOP_PASSES = ("tritongpu-assign-latencies", "tritongpu-schedule-loops", "tritongpu-pipeline")
_DESCRIPTORS = "triton-nvidia-optimize-descriptor-encoding"


def compared(triton: client.Triton, expected: str, ours: str) -> Comparison:
    """Compare two texts, up to the order of channels, which Triton does not fix.

    Texts that are the same byte for byte need not be read again.
    """
    if ours.strip() == expected.strip():
        return compare(expected, expected)
    expected, ours = in_channel_order(expected), in_channel_order(ours)
    return compare(triton.canonical(expected), triton.canonical(ours))


def one_pass(triton: client.Triton, step: client.Step) -> Comparison:
    """Compare one pass on Triton's IR before it."""
    return compared(triton, step.after, weft_side.run_passes(step.before, step.pipeline))


def layout_passes_of(steps: Iterable[client.Step]) -> Iterator[client.Step]:
    """Yield the steps that are layout passes of weft, each IR text once."""
    visited: set[tuple[str, str]] = set()
    for step in steps:
        if step.name in (*CLEAN_UPS, *LOOP_PASSES, CONVERT) or not weft_side.has_pass(step.name):
            continue
        if (step.pipeline, step.before) not in visited:
            visited.add((step.pipeline, step.before))
            yield step


def pass_tallies(triton: client.Triton, compiles: Iterable[Compile]) -> dict[str, Tally]:
    """Compare every layout pass of every compile, a row for each pass."""
    rows: dict[str, Tally] = {}
    for each in compiles:
        try:
            steps = list(layout_passes_of(triton.steps(*each)))
        except client.TritonError as error:
            rows.setdefault("(refused by Triton)", Tally()).notes.append(f"{name(*each)}: {error}")
            continue
        for step in steps:
            decision = decision_of(each, step.name)
            if decision:
                notes = rows.setdefault("(decided otherwise)", Tally()).notes
                notes.append(f"{name(*each)}: {step.name}: {decision}")
                continue
            row = rows.setdefault(step.name, Tally())
            row.add(name(*each), lambda step=step: one_pass(triton, step))
    return dict(sorted(rows.items()))


@dataclass(frozen=True, slots=True)
class Left:
    """The conversions that IR has left: how many, their bytes, and those in loops."""

    count: int
    size_bytes: int
    in_loops: int

    @staticmethod
    def of(text: str) -> Left:
        """Count the conversions of an IR text."""
        result = weft_side.inventory_of(text)
        return Left(len(result.conversions), result.converted_bytes, result.in_loops)

    def is_worse(self, other: Left) -> bool:
        """Check whether weft has more of something than Triton."""
        return (self.count, self.size_bytes, self.in_loops) != (
            min(self.count, other.count),
            min(self.size_bytes, other.size_bytes),
            min(self.in_loops, other.in_loops),
        )


@dataclass(frozen=True, slots=True)
class Stage:
    """The `layout` stage of one compile: the comparison, and what either side leaves."""

    comparison: Comparison
    triton: Left
    weft: Left


def layout_steps(steps: Iterable[client.Step]) -> list[client.Step]:
    """Return Triton's conversion to TTGIR and its passes to where weft's stage `layout` ends.

    Raises: ValueError: its pipeline has no such end.
    """
    result: list[client.Step] = []
    for step in steps:
        if step.name != CONVERT and not result:
            continue
        result.append(step)
        if step.name == "tritonamdgpu-sink-layout-conversions" or (
            len(result) > 1 and result[-2].name == _DESCRIPTORS
        ):
            return result
    raise ValueError("Triton's pipeline has no end of the stage")


def ends(steps: Iterable[client.Step]) -> tuple[str, str]:
    """Return Triton's TTIR, and its IR where weft's stage `layout` ends."""
    result = layout_steps(steps)
    return result[0].before, result[-1].after


def layout_input(steps: Iterable[client.Step]) -> tuple[str, int]:
    """Return Triton's IR after its conversion, and how many passes its stage has."""
    result = layout_steps(steps)
    return result[0].after, len(result) - 1


def stage(triton: client.Triton, each: Compile, steps: Steps) -> Stage:
    """Take Triton's TTIR through weft's stages `convert` and `layout`, and Triton's own.

    Args: steps: Triton's, from its conversion to TTGIR on.
    """
    path, index, target = each
    before, expected = ends(steps)
    options = triton.cases(path)[index]["options"]
    ours = weft_side.run_stage(before, "layout", target, options)
    return Stage(compared(triton, expected, ours), Left.of(expected), Left.of(ours))


@dataclass(slots=True)
class StageTally:
    """The `layout` stage of the compiles of one row."""

    tally: Tally = field(default_factory=Tally)
    triton: list[Left] = field(default_factory=list)
    weft: list[Left] = field(default_factory=list)
    worse: list[str] = field(default_factory=list)


def stage_tallies(triton: client.Triton, compiles: Iterable[Compile]) -> dict[str, StageTally]:
    """Take every compile through the stage, a row for each kernel."""
    rows: dict[str, StageTally] = {}
    for each in compiles:
        try:
            steps = triton.steps(*each)
        except client.TritonError as error:
            row = rows.setdefault("(refused by Triton)", StageTally())
            row.tally.notes.append(f"{name(*each)}: {error}")
            continue
        row = rows.setdefault(kernels_of(each[0])[each[1]], StageTally())

        def result(each: Compile = each, row: StageTally = row, steps: Steps = steps) -> Comparison:
            result = stage(triton, each, steps)
            row.triton.append(result.triton)
            row.weft.append(result.weft)
            if result.weft.is_worse(result.triton):
                row.worse.append(f"{name(*each)}: weft {result.weft}, Triton {result.triton}")
            return result.comparison

        row.tally.add(name(*each), result)
    return rows


def show_stages(
    console: Console, title: str, rows: dict[str, StageTally], differences: bool
) -> bool:
    """Print the table of the stage; return whether everything is identical."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("")
    for heading in ("identical", "errors", "conversions", "Triton's", "KiB", "Triton's", "worse"):
        table.add_column(heading, justify="right")
    total = StageTally()
    for label, row in rows.items():
        table.add_row(label, *_cells(row))
        total.tally.texts += row.tally.texts
        total.tally.identical_texts += row.tally.identical_texts
        total.tally.causes += row.tally.causes
        total.triton += row.triton
        total.weft += row.weft
        total.worse += row.worse
    table.add_section()
    table.add_row("all", *_cells(total))
    console.print(table)
    notes = [note for row in rows.values() for note in row.tally.notes]
    for note in [*total.worse, *(notes if differences else ())]:
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    return total.tally.texts == total.tally.identical_texts


def _cells(row: StageTally) -> list[str]:
    sides = [
        (sum(entry.count for entry in side), sum(entry.size_bytes for entry in side))
        for side in (row.weft, row.triton)
    ]
    (count, size), (count_theirs, size_theirs) = sides
    return [
        f"{row.tally.identical_texts} of {row.tally.texts}",
        str(row.tally.causes["error"] or "·"),
        *map(str, (count, count_theirs)),
        *(f"{each / 1024:.0f}" for each in (size, size_theirs)),
        str(len(row.worse) or "·"),
    ]
