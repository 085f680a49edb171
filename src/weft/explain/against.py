"""Two reports of a kernel side by side: what changed between two compiles.

Values and lines are matched by the kernel's lines, since SSA names change with every edit of the
IR; a report of IR without lines is matched by names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from weft.explain.model import Access, Conversion, Dot, Report, Value

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs: entries of the first report alone, and of the second alone, in words.

    totals: (what, number in the first, number in the second).
    """

    first: str
    second: str
    totals: tuple[tuple[str, int, int], ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Tell whether nothing differs."""
        return not self.only_first and not self.only_second

    def as_object(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "totals": [
                {"what": what, "first": one, "second": other} for what, one, other in self.totals
            ],
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
        }

    def text(self) -> str:
        """Return the comparison as a diff: - for the first, + for the second."""
        lines = [f"--- {self.first}", f"+++ {self.second}"]
        lines += [
            f"  {what}: {one}" + ("" if one == other else f" → {other}")
            for what, one, other in self.totals
        ]
        lines += [f"- {line}" for line in self.only_first]
        lines += [f"+ {line}" for line in self.only_second]
        if self.is_same:
            lines.append("  nothing differs")
        return "\n".join(lines) + "\n"


def compare(first: Report, second: Report, first_name: str, second_name: str) -> Comparison:
    """Compare two reports.

    Args: first_name, second_name: what to call them.
    """
    ours, theirs = list(_lines(first)), list(_lines(second))
    gone, come = Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)
    return Comparison(
        first=f"{first_name}: {first.kernel} {first.target}, {first.num_warps} warps",
        second=f"{second_name}: {second.kernel} {second.target}, {second.num_warps} warps",
        totals=tuple((what, count(first), count(second)) for what, count in _TOTALS),
        only_first=tuple(gone.elements()),
        only_second=tuple(come.elements()),
    )


_TOTALS: tuple[tuple[str, Callable[[Report], int]], ...] = (
    ("conversions", lambda report: len(report.conversions)),
    ("bytes that they move", lambda report: sum(one.size_bytes for one in report.conversions)),
    (
        "conversions in loops",
        lambda report: sum(one.loop_depth > 0 for one in report.conversions),
    ),
    ("barriers of conversions", lambda report: sum(one.barriers for one in report.conversions)),
    ("sectors of global memory", lambda report: sum(one.sectors for one in report.memory)),
    ("requests to global memory", lambda report: sum(one.requests for one in report.memory)),
    ("conflicts in shared memory", lambda report: sum(one.conflicts for one in report.shared)),
    ("ticks of all findings", lambda report: sum(one.cost for one in report.findings)),
)


def _lines(report: Report) -> Iterator[str]:
    """Yield each entry as one line, with layouts written out, so that names do not matter."""
    written = dict(report.layouts)
    yield from _of(report.dots, _dot)
    yield from _of(report.conversions, lambda one: _conversion(one, written))
    yield from _of(report.memory, lambda one: _access(one, written))
    yield from _of(report.values, _value)


def _of(entries: Iterable[Any], told: Callable[[Any], str]) -> Iterator[str]:
    for entry in entries:
        place = entry.location
        yield f"{'line ' + str(place.line) if place else 'no line'}: {told(entry)}"


def _dot(one: Dot) -> str:
    return f"{one.op} {one.type} by {one.instruction}, {one.per_warp} per warp"


def _conversion(one: Conversion, written: dict[str, str]) -> str:
    before, after = written.get(one.before, one.before), written.get(one.after, one.after)
    return f"convert_layout {one.type} {before} → {after}, {one.size_bytes} bytes, {one.plan}"


def _access(one: Access, written: dict[str, str]) -> str:
    layout = written.get(one.layout, one.layout)
    return f"{one.op} {one.type} in {layout}: {one.vector_bits} bits, {one.sectors} sectors"


def _value(value: Value) -> str:
    return f"{value.op} {value.type} in {value.encoding}"
