"""The parts of an input, and the places of its mistakes.

A part keeps the lines in front of it as blank ones, so that every line number is that of the
file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from weft.errors import WeftError

__all__ = ["first_line", "parts", "show_source"]


def parts(text: str, marker: str) -> Iterator[str]:
    """Yield the parts of a text between lines that begin with `marker`; "" splits nothing."""
    if not marker:
        yield text
        return
    start = 0
    separator = re.compile(rf"^{re.escape(marker)}.*\n?", re.MULTILINE)
    for found in [*separator.finditer(text), None]:
        end = found.start() if found else len(text)
        yield "\n" * text.count("\n", 0, start) + text[start:end]
        start = found.end() if found else start


def first_line(part: str) -> int:
    """Return the number of the first line of a part that holds anything."""
    return part[: len(part) - len(part.lstrip())].count("\n") + 1


def show_source(error: WeftError, text: str, name: str) -> None:
    """Give an error that stands in `text` the line that it is about."""
    place = error.location
    if place is None or place.source or place.file != name:
        return
    lines = text.split("\n")
    if 0 < place.line <= len(lines):
        error.location = replace(place, source=lines[place.line - 1])
