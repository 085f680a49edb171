"""Compare two reports of a kernel: what differs between two compiles.

Entries are matched by variable and operation (matching.py) and compared by the full text of their
layouts, as lines and names change with every edit:

    - line 51: convert_layout 64x64xf32 #ttg.blocked<{…, warpsPerCTA = [4, 1]}> → …
    + line 52: convert_layout 64x64xf32 #ttg.blocked<{…, warpsPerCTA = [8, 1]}> → …
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from weft.explain.matching import MatchedEntry, match_entries
from weft.explain.model import Report

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two reports.

    Attributes:
        first: The name of the first report, its kernel, target and number of warps.
        second: The same of the second report.
        totals: Triples of the name of a total, its value in the first and in the second report.
        entries: The entries of both reports.
    """

    first: str
    second: str
    totals: tuple[tuple[str, int, int], ...]
    entries: tuple[MatchedEntry, ...]

    @property
    def is_same(self) -> bool:
        """Whether both reports have the same entries."""
        return all(entry.is_same for entry in self.entries)

    @property
    def only_first(self) -> tuple[str, ...]:
        """The entries of the first report that the second does not have, in words."""
        return tuple(line[2:] for line in self._lines() if line[0] == "-")

    @property
    def only_second(self) -> tuple[str, ...]:
        """The entries of the second report that the first does not have, in words."""
        return tuple(line[2:] for line in self._lines() if line[0] == "+")

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
        lines += self._lines()
        if self.is_same:
            lines.append("  no differences")
        return "\n".join(lines) + "\n"

    def _lines(self) -> Iterator[str]:
        """Yield the entries that differ: - for the first report, + for the second."""
        for entry in self.entries:
            if entry.is_same:
                continue
            if entry.first is not None:
                yield f"- {_line_text(entry.first_line)}: {entry.first}"
            if entry.second is not None:
                yield f"+ {_line_text(entry.second_line)}: {entry.second}"


def compare(first: Report, second: Report, first_name: str, second_name: str) -> Comparison:
    """Compare two reports.

    Args:
        first: The first report.
        second: The second report.
        first_name: A name for the first report: its file, target or options.
        second_name: A name for the second report.
    """
    return Comparison(
        first=f"{first_name}: {first.kernel} {first.target}, {first.num_warps} warps",
        second=f"{second_name}: {second.kernel} {second.target}, {second.num_warps} warps",
        totals=tuple((name, total(first), total(second)) for name, total in _TOTALS),
        entries=match_entries(first, second),
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


def _line_text(line: int) -> str:
    return f"line {line}" if line else "no line"
