"""A report for a terminal, or as plain text of a given width.

Findings come first, dearest first; then what they rest on; then each line's values and what
became of their layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from weft.errors import Location
from weft.explain.model import READ_BACK, TURNS, Change, Conversion, Report, Value
from weft.explain.tables import describe
from weft.layouts import parse

__all__ = ["renderable", "text"]


def text(report: Report, width: int = 100, *, details: bool = False) -> str:
    """Return a report as plain text."""
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(renderable(report, details=details))
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def renderable(report: Report, *, details: bool = False) -> RenderableType:
    """Return what `rich` prints.

    Args: details: with the candidates, facts and costs of every decision.
    """
    parts: list[RenderableType] = [_headline(report)]
    for title, lines in (
        (f"Findings, dearest first (ticks of a warp; a loop counts {TURNS})", _findings(report)),
        ("Dots", _dots(report)),
        (_conversion_title(report), _conversions(report)),
        ("Global memory", _memory(report)),
        ("Shared memory", _shared(report)),
        ("Layouts", _layouts(report)),
        ("Values, and how their layouts came about", _values(report, details)),
    ):
        entries = list(lines)
        if entries:
            parts += [Text(), Text(title, "bold"), *entries]
    return Group(*parts)


def _headline(report: Report) -> Text:
    launch = f"{report.kernel}  {report.target}  {report.num_warps} warps × {report.lanes} lanes"
    note = "\nledger: " + report.ledger
    if report.ledger == READ_BACK:
        note += "; the passes that decided were not weft's, so their reasons are not known"
    return Text.assemble((launch, "bold"), note)


def _indented(*lines: Text | str, by: int = 2) -> Iterator[RenderableType]:
    for line in lines:
        yield Padding(line, (0, 0, 0, by))


def _at(location: Location | None) -> str:
    return "no line" if location is None else f"line {location.line}"


def _findings(report: Report) -> Iterator[RenderableType]:
    for number, one in enumerate(report.findings, 1):
        head = Text.assemble(
            (f"{number}. ", "bold"), (f"{one.cost} ", "yellow"), f"{_at(one.location)}: ",
            one.message,
        )  # fmt: skip
        yield from _indented(head)
        yield from _indented(Text.assemble(("try: ", "green"), one.edit), by=5)


def _dots(report: Report) -> Iterator[RenderableType]:
    for one in report.dots:
        tile = "x".join(map(str, one.tile))
        head = f"{_at(one.location)}: {one.op} {one.value} {one.type} by {one.instruction}"
        head += f", {one.per_warp} of {tile} per warp, {list(one.warps)} warps"
        yield from _indented(head + _in_loops(one.loop_depth))
        yield from _indented(one.why, by=5)
        for choice, score in one.rejected:
            yield from _indented(f"over {choice}" + (f": {score}" if score else ""), by=5)
        for name, said in one.facts:
            yield from _indented(f"{name} {said}", by=5)


def _in_loops(depth: int) -> str:
    return f", in {depth} loops" if depth > 1 else ", in a loop" if depth else ""


def _conversion_title(report: Report) -> str:
    total = sum(one.size_bytes for one in report.conversions)
    loops = sum(one.loop_depth > 0 for one in report.conversions)
    return f"Conversions left: {len(report.conversions)}, {total / 1024:.4g} KiB, {loops} in loops"


def _conversions(report: Report) -> Iterator[RenderableType]:
    for one in sorted(report.conversions, key=lambda one: -one.cost):
        head = Text.assemble(
            f"{_at(one.location)}: {one.value} ", (one.type, "yellow"), " ",
            (one.before, "magenta"), " → ", (one.after, "magenta"),
            f"  {one.size_bytes} bytes, {_plan(one)}{_in_loops(one.loop_depth)}",
        )  # fmt: skip
        yield from _indented(head)
        yield from _indented(_disagreement(one), by=5)
        for line in one.removal:
            yield from _indented(f"without it: {line}", by=5)


_PLANS = {
    "nothing": "nothing moves",
    "registers": "registers change places",
    "shuffle": "lanes exchange registers",
    "shared": "through shared memory",
    "cluster": "through the cluster's shared memory",
    "unknown": "no plan is known",
}


def _plan(one: Conversion) -> str:
    parts = [_PLANS[one.plan]]
    parts += [f"{count} {name}" for name, count in one.instructions if name != "barrier"]
    if one.barriers:
        parts.append(f"{one.barriers} barrier{'s' if one.barriers > 1 else ''}")
    if one.conflicts:
        parts.append(f"{one.conflicts} of {one.passes} passes are conflicts")
    return ", ".join(parts)


def _disagreement(one: Conversion) -> str:
    told = []
    for anchor, verb in zip(one.anchors, ("has", "wants"), strict=True):
        if anchor is None:
            told.append("nothing before it cares" if verb == "has" else "nothing behind it cares")
        else:
            told.append(f"{anchor.op} at {_at(anchor.location)} {verb} {anchor.layout}")
    return ", ".join(told)


def _memory(report: Report) -> Iterator[RenderableType]:
    for one in report.memory:
        yield from _indented(
            f"{_at(one.location)}: {one.op} {one.type} in {one.layout}: {one.vector_bits} bits per "
            f"thread, {one.sectors_per_request:.4g} sectors per request, {one.sectors} in all "
            f"where {one.ideal_sectors} would do{_in_loops(one.loop_depth)}"
        )
        yield from _indented(f"limited by {one.limited_by}", by=5)


def _shared(report: Report) -> Iterator[RenderableType]:
    for one in report.shared:
        yield from _indented(
            f"{_at(one.location)}: {one.op} {one.type}: {one.accesses} {one.kind}s of {one.bits} "
            f"bits in {one.wavefronts} wavefronts, {one.conflicts} of them conflicts"
            f"{_in_loops(one.loop_depth)}"
        )


def _layouts(report: Report) -> Iterator[RenderableType]:
    for name, encoding in report.layouts:
        if name.startswith("#"):
            said = describe(parse(encoding))
            yield from _indented(Text.assemble((name, "magenta"), f"  {said}"))


def _values(report: Report, details: bool) -> Iterator[RenderableType]:
    for location, values in _by_line(report.values):
        where = "(no source line)"
        if location is not None:
            where = f"{Path(location.file).name}:{location.line}  {location.source.strip()}"
        yield from _indented(Text(where, "cyan"))
        for value in values:
            head = Text.assemble(
                f"{value.name}  ", (value.type, "yellow"), "  ", (value.layout, "magenta")
            )
            yield from _indented(head, by=4)
            for change in value.history:
                yield from _indented(*_change(change, details), by=6)


def _by_line(values: Iterable[Value]) -> list[tuple[Location | None, list[Value]]]:
    groups: dict[tuple[str, int], list[Value]] = {}
    for value in values:
        place = value.location
        groups.setdefault((place.file, place.line) if place else ("", 0), []).append(value)
    return [(group[0].location, group) for _, group in sorted(groups.items())]


def _change(change: Change, details: bool) -> Iterator[Text]:
    yield Text.assemble((f"{change.stage}: ", "dim"), change.why or "no reason was recorded")
    decision = change.decision
    if decision is None or not details:
        return
    yield Text(f"  took {decision.choice}")
    if decision.anchor:
        yield Text(f"  asked for by {decision.anchor}")
    for one in decision.candidates:
        yield Text(f"  over {one.choice}" + (f": {one.score}" if one.score else ""))
    for name, fact in decision.facts:
        yield Text(f"  {name}: {fact}")
    for cost in decision.costs:
        terms = " + ".join(f"{part} {what}" for what, part in cost.terms)
        yield Text(f"  {cost.side} costs {cost.total}" + (f" = {terms}" if terms else ""))
