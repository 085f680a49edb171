"""Print a report for a terminal, or as plain text of a given width.

Findings come first, then the entries that they are about, then the values of each line with the
history of their layouts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weft.decisions import Decision
from weft.errors import Location
from weft.explain.card_text import card_lines
from weft.explain.inventory_tables import describe_encoding
from weft.explain.model import LOOP_ITERATIONS, READ_BACK, Change, Conversion, Loop, Report
from weft.explain.optimum_text import OPTIMUM_TITLE, optimum_lines
from weft.explain.source_lines import group_by_line
from weft.layouts import parse

__all__ = ["render", "text"]

_CARD_TITLE = (
    f"Card (of a program; a loop counts {LOOP_ITERATIONS} unless its bounds are constants)"
)


def text(report: Report, width: int = 100, *, details: bool = False, values: bool = False) -> str:
    """Format a report as plain text.

    Args:
        report: The report.
        width: The number of columns.
        details: As of `render`.
        values: As of `render`.
    """
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(render(report, details=details, values=values))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def render(report: Report, *, details: bool = False, values: bool = False) -> RenderableType:
    """Build what `rich` prints.

    Args:
        report: The report.
        details: Print the candidates, facts and costs of every decision.
        values: Print each tensor with the history of its layouts.
    """
    findings_title = (
        f"Findings, most expensive first (cycles of a warp; a loop counts {LOOP_ITERATIONS})"
    )
    parts: list[RenderableType] = [_headline(report)]
    for title, lines in (
        (findings_title, _findings(report)),
        (OPTIMUM_TITLE, _optimum(report)),
        ("Loops", _loops(report, details)),
        ("Dots", _dots(report)),
        (_conversions_title(report), _conversions(report)),
        ("Global memory", _global_memory(report)),
        ("Shared memory", _shared_memory(report)),
        (_CARD_TITLE, () if report.card is None else _indented(*card_lines(report.card))),
        ("Layouts", _layouts(report)),
        ("Values, with the history of their layouts", _values(report, details) if values else ()),
    ):
        entries = list(lines)
        if entries:
            parts += [Text(), Text(title, "bold"), *entries]
    return Group(*parts)


def _headline(report: Report) -> Text:
    launch = f"{report.kernel}  {report.target}  {report.num_warps} warps × {report.lanes} lanes"
    note = "\nledger: " + report.ledger
    if report.ledger == READ_BACK:
        note += "; weft did not run the passes, so their reasons are unknown"
    return Text.assemble((launch, "bold"), note)


def _indented(*lines: RenderableType, by: int = 2) -> Iterator[RenderableType]:
    for line in lines:
        yield Padding(line, (0, 0, 0, by))


def _line(location: Location | None) -> str:
    return "no line" if location is None else f"line {location.line}"


def _loop_suffix(depth: int) -> str:
    return f", in {depth} loops" if depth > 1 else ", in a loop" if depth else ""


def _findings(report: Report) -> Iterator[RenderableType]:
    for number, finding in enumerate(report.findings, 1):
        head = Text.assemble(
            (f"{number}. ", "bold"),
            (f"{finding.cost} ", "yellow"),
            f"{_line(finding.location)}: ",
            finding.message,
        )
        yield from _indented(head)
        for edit in finding.edits:
            yield from _indented(Text.assemble(("try: ", "green"), edit.summary), by=5)
        if finding.trials and not finding.edits:
            note = f"{finding.trials} edits were tried, none helps"
            if finding.helped:
                note = "an edit above helps here, too"
            yield from _indented(Text(note, "dim"), by=5)


def _optimum(report: Report) -> Iterator[RenderableType]:
    if report.optimum is not None:
        for line in optimum_lines(report.optimum):
            yield from _indented(line)


def _loops(report: Report, details: bool) -> Iterator[RenderableType]:
    """Print each loop: its loads, and its operations by stage."""
    for loop in report.loops:
        stages = f"{loop.stages} stages" if loop.stages > 1 else "not pipelined"
        yield from _indented(f"{_line(loop.location)}: loop, {stages}: {loop.why}")
        for load in loop.loads:
            head = f"{_line(load.location)}: {load.op} {load.value} {load.type} ".replace("  ", " ")
            if load.method:
                buffers = "1 buffer" if load.buffers == 1 else f"{load.buffers} buffers"
                head += f"by {load.method}, distance {load.distance}, " + (
                    f"{buffers}, {load.shared_bytes} bytes of shared memory"
                    if load.buffers
                    else "without shared memory"
                )
                yield from _indented(head + (f": {load.why}" if load.limit else ""), by=5)
            else:
                yield from _indented(head + f"is not pipelined: {load.why}", by=5)
        if loop.operations:
            yield from _indented(_schedule(loop, details), by=5)


_SHOWN = ("tt.load", "tt.store", "tt.dot", "tt.descriptor", "tt.atomic", "tt.reduce", "ttng.")


def _schedule(loop: Loop, details: bool) -> Table:
    """Build the table operation × stage, with the cluster of each operation in its stage.

    Args:
        loop: The loop.
        details: List all operations, not only accesses to memory and dots.
    """
    table = Table("operation", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for stage in range(loop.stages):
        table.add_column(f"stage {stage}")
    for op in loop.operations:
        if details or op.op.startswith(_SHOWN):
            cells = [f"cluster {op.cluster}" if op.stage == s else "" for s in range(loop.stages)]
            name = f"{op.op} {op.value}".strip()
            table.add_row(f"{_line(op.location)}: {name}", *cells)
    return table


def _dots(report: Report) -> Iterator[RenderableType]:
    for dot in report.dots:
        tile = "x".join(map(str, dot.tile))
        head = f"{_line(dot.location)}: {dot.op} {dot.value} {dot.type} by {dot.instruction}"
        head += f", {dot.per_warp} of {tile} per warp, {list(dot.warps)} warps"
        yield from _indented(head + _loop_suffix(dot.loop_depth))
        yield from _indented(dot.why, by=5)
        for choice, score in dot.rejected:
            yield from _indented(f"rejected {choice}" + (f": {score}" if score else ""), by=5)
        for name, value in dot.facts:
            yield from _indented(f"{name}: {value}", by=5)


def _conversions_title(report: Report) -> str:
    count = len(report.conversions)
    total = sum(conversion.size_bytes for conversion in report.conversions)
    loops = sum(conversion.loop_depth > 0 for conversion in report.conversions)
    return f"Remaining conversions: {count}, {total / 1024:.4g} KiB, {loops} in loops"


def _conversions(report: Report) -> Iterator[RenderableType]:
    for conversion in sorted(report.conversions, key=lambda conversion: -conversion.cost):
        plan = f"{conversion.size_bytes} bytes, {_plan(conversion)}"
        head = Text.assemble(
            f"{_line(conversion.location)}: {conversion.value} ",
            (conversion.type, "yellow"),
            " ",
            (conversion.before, "magenta"),
            " → ",
            (conversion.after, "magenta"),
            f"  {plan}{_loop_suffix(conversion.loop_depth)}",
        )
        yield from _indented(head)
        yield from _indented(_anchors(conversion), by=5)
        for alternative in conversion.removal:
            yield from _indented(f"alternative: {alternative}", by=5)


_PLANS = {
    "nothing": "no instructions",
    "registers": "registers are permuted",
    "shuffle": "through warp shuffles",
    "shared": "through shared memory",
    "cluster": "through distributed shared memory",
    "unknown": "unknown plan",
}


def _plan(conversion: Conversion) -> str:
    parts = [_PLANS[conversion.plan]]
    parts += [f"{count} {name}" for name, count in conversion.instructions if name != "barrier"]
    if conversion.barriers:
        parts.append(f"{conversion.barriers} barrier{'s' if conversion.barriers > 1 else ''}")
    if conversion.conflicts:
        parts.append(f"{conversion.conflicts} of {conversion.passes} wavefronts are bank conflicts")
    return ", ".join(parts)


def _anchors(conversion: Conversion) -> str:
    above, below = conversion.anchors
    if above is None:
        above_text = "no operation above needs a layout"
    else:
        above_text = f"{above.op} at {_line(above.location)} has {above.layout}"
    if below is None:
        below_text = "no operation below needs a layout"
    else:
        below_text = f"{below.op} at {_line(below.location)} needs {below.layout}"
    return f"{above_text}, {below_text}"


def _global_memory(report: Report) -> Iterator[RenderableType]:
    for access in report.memory:
        yield from _indented(
            f"{_line(access.location)}: {access.op} {access.type} in {access.layout}: "
            f"{access.vector_bits} bits per thread, {access.sectors_per_request:.4g} sectors per "
            f"request, {access.sectors} in total, {access.ideal_sectors} would be enough"
            f"{_loop_suffix(access.loop_depth)}"
        )
        yield from _indented(f"limited by {access.limited_by}", by=5)


def _shared_memory(report: Report) -> Iterator[RenderableType]:
    for access in (*report.shared, *report.scratch):
        yield from _indented(
            f"{_line(access.location)}: {access.op} {access.type}: {access.accesses} "
            f"{access.kind}s of {access.bits} bits in {access.wavefronts} wavefronts, "
            f"{access.conflicts} of them bank conflicts{_loop_suffix(access.loop_depth)}"
        )


def _layouts(report: Report) -> Iterator[RenderableType]:
    for name, encoding in report.layouts:
        if name.startswith("#"):  # other names are descriptions already
            description = describe_encoding(parse(encoding))
            yield from _indented(Text.assemble((name, "magenta"), f"  {description}"))


def _values(report: Report, details: bool) -> Iterator[RenderableType]:
    for location, values in group_by_line(report.values):
        title = "(no source line)"
        if location is not None:
            title = f"{Path(location.file).name}:{location.line}  {location.source.strip()}"
        yield from _indented(Text(title, "cyan"))
        for value in values:
            head = Text.assemble(
                f"{value.name}  ", (value.type, "yellow"), "  ", (value.layout, "magenta")
            )
            yield from _indented(head, by=4)
            for change in value.history:
                yield from _indented(_change(change), by=6)
                if details and change.decision is not None:
                    yield from _indented(*_decision(change.decision), by=8)


def _change(change: Change) -> Text:
    return Text.assemble((f"{change.stage}: ", "dim"), change.why or "no reason was recorded")


def _decision(decision: Decision) -> Iterator[Text]:
    yield Text(f"choice: {decision.choice}")
    if decision.anchor:
        yield Text(f"anchor: {decision.anchor}")
    for candidate in decision.candidates:
        score = f": {candidate.score}" if candidate.score else ""
        yield Text(f"candidate {candidate.choice}{score}")
    for name, fact in decision.facts:
        yield Text(f"{name}: {fact}")
    for cost in decision.costs:
        terms = " + ".join(f"{part} {name}" for name, part in cost.terms)
        yield Text(f"{cost.side} costs {cost.total}" + (f" = {terms}" if terms else ""))
