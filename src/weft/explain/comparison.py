"""Compare two reports of a kernel: what differs between two compiles.

Entries are compared by kernel line and by the full text of their layouts, as names of values and
layouts change with every edit of the IR:

    - line 51: convert_layout 64x64xf32 #ttg.blocked<{…, warpsPerCTA = [4, 1]}> → …
    + line 51: convert_layout 64x64xf32 #ttg.blocked<{…, warpsPerCTA = [8, 1]}> → …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from weft.explain.model import Access, Conversion, Dot, Report, Value

__all__ = ["Comparison", "compare"]

_EntryT = TypeVar("_EntryT", Dot, Conversion, Access, Value)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two reports.

    Attributes:
        first: The name of the first report, its kernel, target and number of warps.
        second: The same of the second report.
        totals: Triples of the name of a total, its value in the first and in the second report.
        only_first: The entries of the first report only, in words.
        only_second: The entries of the second report only, in words.
    """

    first: str
    second: str
    totals: tuple[tuple[str, int, int], ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether both reports have the same entries."""
        return not self.only_first and not self.only_second

    def as_object(self) -> dict[str, object]:
        """Convert the comparison to what JSON can hold."""
        return {
            "first": self.first,
            "second": self.second,
            "totals": [
                {"what": name, "first": first, "second": second}
                for name, first, second in self.totals
            ],
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
        }

    def text(self) -> str:
        """Format the comparison as a diff: - for the first report, + for the second."""
        lines = [f"--- {self.first}", f"+++ {self.second}"]
        lines += [
            f"  {name}: {first}" + ("" if first == second else f" → {second}")
            for name, first, second in self.totals
        ]
        lines += [f"- {line}" for line in self.only_first]
        lines += [f"+ {line}" for line in self.only_second]
        if self.is_same:
            lines.append("  no differences")
        return "\n".join(lines) + "\n"


def compare(first: Report, second: Report, first_name: str, second_name: str) -> Comparison:
    """Compare two reports.

    Args:
        first: The first report.
        second: The second report.
        first_name: A name for the first report: its file, target or options.
        second_name: A name for the second report.
    """
    first_lines, second_lines = Counter(_lines(first)), Counter(_lines(second))
    return Comparison(
        first=f"{first_name}: {first.kernel} {first.target}, {first.num_warps} warps",
        second=f"{second_name}: {second.kernel} {second.target}, {second.num_warps} warps",
        totals=tuple((name, total(first), total(second)) for name, total in _TOTALS),
        only_first=tuple((first_lines - second_lines).elements()),
        only_second=tuple((second_lines - first_lines).elements()),
    )


_TOTALS: tuple[tuple[str, Callable[[Report], int]], ...] = (
    ("conversions", lambda report: len(report.conversions)),
    ("converted bytes", lambda report: sum(each.size_bytes for each in report.conversions)),
    (
        "conversions in loops",
        lambda report: sum(each.loop_depth > 0 for each in report.conversions),
    ),
    ("barriers of conversions", lambda report: sum(each.barriers for each in report.conversions)),
    ("sectors of global memory", lambda report: sum(each.sectors for each in report.memory)),
    ("requests to global memory", lambda report: sum(each.requests for each in report.memory)),
    ("bank conflicts", lambda report: sum(each.conflicts for each in report.shared)),
    ("cycles of all findings", lambda report: sum(each.cost for each in report.findings)),
)


def _lines(report: Report) -> Iterator[str]:
    """Yield each entry as one line, with the text of layouts instead of their names."""
    encodings = dict(report.layouts)
    yield from _located(report.dots, _dot)
    yield from _located(report.conversions, lambda each: _conversion(each, encodings))
    yield from _located(report.memory, lambda each: _access(each, encodings))
    yield from _located(report.values, _value)


def _located(entries: Iterable[_EntryT], describe: Callable[[_EntryT], str]) -> Iterator[str]:
    for entry in entries:
        location = entry.location
        line = "no line" if location is None else f"line {location.line}"
        yield f"{line}: {describe(entry)}"


def _dot(dot: Dot) -> str:
    return f"{dot.op} {dot.type} by {dot.instruction}, {dot.per_warp} per warp"


def _conversion(conversion: Conversion, encodings: Mapping[str, str]) -> str:
    before = encodings.get(conversion.before, conversion.before)
    after = encodings.get(conversion.after, conversion.after)
    size = f"{conversion.size_bytes} bytes, {conversion.plan}"
    return f"convert_layout {conversion.type} {before} → {after}, {size}"


def _access(access: Access, encodings: Mapping[str, str]) -> str:
    layout = encodings.get(access.layout, access.layout)
    width = f"{access.vector_bits} bits, {access.sectors} sectors"
    return f"{access.op} {access.type} in {layout}: {width}"


def _value(value: Value) -> str:
    return f"{value.op} {value.type} in {value.encoding}"
