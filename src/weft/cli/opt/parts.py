"""The parts of an input, and the source lines of errors.

A part begins with a blank line for each line before it, so that line numbers are those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from weft.errors import WeftError

__all__ = ["first_line", "parts", "show_source"]


def parts(text: str, marker: str) -> Iterator[str]:
    """Yield the parts of a text between lines that begin with `marker`; "" for no split."""
    if not marker:
        yield text
        return
    start = 0
    separator = re.compile(rf"^{re.escape(marker)}.*\n?", re.MULTILINE)
    for match in [*separator.finditer(text), None]:
        end = match.start() if match else len(text)
        yield "\n" * text.count("\n", 0, start) + text[start:end]
        start = match.end() if match else start


def first_line(part: str) -> int:
    """Find the number of the first line of a part that is not blank."""
    return part[: len(part) - len(part.lstrip())].count("\n") + 1


def show_source(error: WeftError, text: str, name: str) -> None:
    """Add the source line to the location of an error in `text`."""
    location = error.location
    if location is None or location.source or location.file != name:
        return
    lines = text.split("\n")
    if 0 < location.line <= len(lines):
        error.location = replace(location, source=lines[location.line - 1])
