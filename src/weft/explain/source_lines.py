"""Find the line of the kernel that an operation comes from.

loc("acc"(callsite("…/weft/language/standard.py":9:0 at "kernel.py":4:8)))   →   kernel.py:4
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from typing import Protocol, TypeVar

from xdsl.ir import Operation

from weft.errors import Location
from weft.ir.kernel_positions import call_positions, kernel_position

__all__ = ["code_position", "group_by_line", "kernel_line"]


class _Located(Protocol):
    @property
    def location(self) -> Location | None: ...


_LocatedT = TypeVar("_LocatedT", bound=_Located)


def kernel_line(op: Operation) -> Location | None:
    """Find the line of the kernel that an operation comes from, with its text.

    For a line of the standard library it is the line that called it.
    """
    position = kernel_position(op.location)
    if position is None:
        return None
    text = linecache.getline(position.file, position.line).rstrip("\n")
    return Location(position.file, position.line, source=text)


def code_position(op: Operation) -> Location | None:
    """Find the position that machine code has for an operation: that of the innermost call."""
    return next(call_positions(op.location), None)


def group_by_line(
    entries: Iterable[_LocatedT],
) -> list[tuple[Location | None, list[_LocatedT]]]:
    """Group entries by the kernel line they come from, in the order of files and lines.

    Entries without a line come first.
    """
    groups: dict[tuple[str, int], list[_LocatedT]] = {}
    for entry in entries:
        location = entry.location
        key = ("", 0) if location is None else (location.file, location.line)
        groups.setdefault(key, []).append(entry)
    return [(group[0].location, group) for _, group in sorted(groups.items())]
