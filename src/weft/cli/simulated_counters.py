"""`weft run --simulate TARGET --counters`: what launches executed, by kernel and source line."""

from __future__ import annotations

import json
import linecache
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from weft.cli.output import write
from weft.testing.simulation import Count, LineCount, SimulatedLaunch, Simulation

__all__ = ["report_counters"]

_COLUMNS = ("requests", "wavefronts", "conflicts", "sectors", "ideal_sectors")
_HEADS = ("requests", "wavefronts", "conflicts", "sectors", "ideal")
_NAME_WIDTH, _WIDTH = 26, 11


def report_counters(simulation: Simulation, as_json: bool, output: str) -> None:
    """Write the counters of all launches.

    Args:
        simulation: The simulation, with counters.
        as_json: Whether to write JSON, with an entry per launch.
        output: The file; "-" for stderr, and for stdout with JSON.
    """
    if as_json:
        launches = [_launch(each) for each in simulation.launches]
        document = {"target": simulation.chip.name, "launches": launches}
        write(json.dumps(document, indent=2), output)
        return
    text = "\n\n".join("\n".join(_table(name, each)) for name, each in _by_kernel(simulation))
    if output != "-":
        write(text, output)
    elif text:
        print(text, file=sys.stderr)


def _launch(launch: SimulatedLaunch) -> dict[str, object]:
    return {
        "kernel": launch.kernel,
        "grid": list(launch.grid),
        "counters": [
            {"file": each.file, "line": each.line, "kind": each.kind, "bits": each.bits}
            | {name: getattr(each.count, name) for name in ("text", *_COLUMNS)}
            for each in _lines(launch)
        ],
    }


def _lines(launch: SimulatedLaunch) -> tuple[LineCount, ...]:
    counters = launch.report.counters
    return () if counters is None else counters.lines()


def _by_kernel(simulation: Simulation) -> list[tuple[str, list[SimulatedLaunch]]]:
    """Group the launches by the name of their kernel."""
    groups: dict[str, list[SimulatedLaunch]] = {}
    for each in simulation.launches:
        groups.setdefault(each.kernel, []).append(each)
    return list(groups.items())


def _table(kernel: str, launches: Sequence[SimulatedLaunch]) -> Iterator[str]:
    """Yield the lines of a kernel's table, the counts of its launches added up."""
    programs = sum(x * y * z for x, y, z in (each.grid for each in launches))
    yield f"{kernel}: {_number(len(launches), 'launch')}, {_number(programs, 'program')}"
    table: dict[tuple[str, int], dict[tuple[str, int], Count]] = {}
    for each in (line for launch in launches for line in _lines(launch)):
        counts = table.setdefault((each.file, each.line), {})
        key = each.kind, each.bits
        counts[key] = counts.get(key, Count()) + each.count
    yield " " * (4 + _NAME_WIDTH) + "".join(f"{head:>{_WIDTH}}" for head in _HEADS)
    for (file, line), counts in sorted(table.items()):
        place = f"{Path(file).name}:{line}" if line else "without a line"
        yield f"  {place}  {linecache.getline(file, line).strip()}".rstrip()
        for (kind, bits), count in sorted(counts.items()):
            name = f"{kind}, {bits} bits" if bits else kind
            numbers = "".join(_cell(getattr(count, column)) for column in _COLUMNS)
            yield f"    {name:<{_NAME_WIDTH}}{numbers}".rstrip()


def _number(count: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{count} {noun}{'' if count == 1 else plural}"


def _cell(value: int) -> str:
    return f"{value or '':>{_WIDTH}}"
