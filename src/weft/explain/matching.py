"""Match the entries of two reports: by variable and operation, not by line.

A comment on top of a kernel moves all lines, and an edit renames all values that have no variable.
So an entry is known by its kind, its operation and its variable, and the sequences of both reports
are aligned by these:

    first                          second
    value  tt.load     x           value  tt.load     x
                                   value  arith.extf  x          only in the second
    value  tt.addptr   (unnamed)   value  tt.addptr   (unnamed)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from weft.errors import Location
from weft.explain.model import Report

__all__ = ["MatchedEntry", "match_entries", "variable_of"]

_RENAMED = re.compile(r"_\d+$")  # %acc_12 is a later value of the variable acc

_Key = tuple[str, str, str]  # kind, operation, variable


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a report.

    Attributes:
        key: Its kind, operation and variable.
        text: Its content, with the texts of layouts instead of their names.
        location: The line of the kernel.
    """

    key: _Key
    text: str
    location: Location | None


@dataclass(frozen=True, slots=True)
class MatchedEntry:
    """An entry of two reports, or of one of them.

    Attributes:
        kind: "dot", "conversion", "global access", "shared access" or "value".
        name: The operation and the variable.
        first: The entry in the first report, None if it has none.
        second: The entry in the second report, None if it has none.
        first_line: The line of the kernel in the first report, 0 if it is unknown.
        second_line: The line in the second report.
    """

    kind: str
    name: str
    first: str | None
    second: str | None
    first_line: int
    second_line: int

    @property
    def is_same(self) -> bool:
        """Whether both reports have the same entry."""
        return self.first == self.second


def match_entries(first: Report, second: Report) -> tuple[MatchedEntry, ...]:
    """Match the entries of two reports, in the order of the first one."""
    entries, others = list(_entries(first)), list(_entries(second))
    matcher = SequenceMatcher(
        None, [each.key for each in entries], [each.key for each in others], autojunk=False
    )
    pairs: list[tuple[_Entry | None, _Entry | None]] = []
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag == "equal":
            pairs += zip(entries[start:end], others[other_start:other_end], strict=True)
        else:
            pairs += ((each, None) for each in entries[start:end])
            pairs += ((None, each) for each in others[other_start:other_end])
    return tuple(_match(*pair) for pair in pairs)


def _match(first: _Entry | None, second: _Entry | None) -> MatchedEntry:
    entry = first or second
    assert entry is not None
    kind, operation, variable = entry.key
    return MatchedEntry(
        kind=kind,
        name=f"{operation} {variable}".rstrip(),
        first=first.text if first else None,
        second=second.text if second else None,
        first_line=_line(first),
        second_line=_line(second),
    )


def _line(entry: _Entry | None) -> int:
    return entry.location.line if entry and entry.location else 0


def _entries(report: Report) -> Iterator[_Entry]:
    """Yield the entries of a report by kind, in its order."""
    encodings = dict(report.layouts)
    for dot in report.dots:
        text = f"{dot.op} {dot.type} by {dot.instruction}, {dot.per_warp} per warp"
        yield _Entry(("dot", dot.op, variable_of(dot.value)), text, dot.location)
    for each in report.conversions:
        before, after = (_encoding(name, encodings) for name in (each.before, each.after))
        text = f"convert_layout {each.type} {before} → {after}, "
        text += f"{each.size_bytes} bytes, {each.plan}"
        key = "conversion", "ttg.convert_layout", variable_of(each.value)
        yield _Entry(key, text, each.location)
    for access in report.memory:
        text = f"{access.op} {access.type} in {_encoding(access.layout, encodings)}: "
        text += f"{access.vector_bits} bits, {access.sectors} sectors"
        key = "global access", access.op, variable_of(access.value)
        yield _Entry(key, text, access.location)
    for shared in report.shared:
        text = f"{shared.op} {shared.type} {shared.kind} in "
        text += f"{_encoding(shared.layout, encodings)} of {_encoding(shared.memory, encodings)}: "
        text += f"{shared.bits} bits, {shared.wavefronts} wavefronts, {shared.conflicts} conflicts"
        yield _Entry(("shared access", shared.op, shared.kind), text, shared.location)
    for value in report.values:
        text = f"{value.op} {value.type} in {value.encoding}"
        yield _Entry(("value", value.op, variable_of(value.name)), text, value.location)


def _encoding(name: str, encodings: Mapping[str, str]) -> str:
    return encodings.get(name, name)


def variable_of(value: str) -> str:
    """Find the variable in the name of a value, "" if it has none: "%acc_12" → "acc"."""
    name = _RENAMED.sub("", value.removeprefix("%"))
    return "" if name.partition("#")[0].isdigit() else name
