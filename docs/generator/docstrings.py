"""Docstrings in Google's sections, as data.

Divide and round up.            summary

The divisor is positive.        text

Args:                           sections["Args"] == {"x": "the dividend"}
    x: the dividend
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

__all__ = ["Docstring", "parse"]

_HEADING = re.compile(r"^(Args|Attributes|Returns|Yields|Raises):[ ]*(.*)$")
_ENTRY = re.compile(r"^(\*{0,2}[\w.]+):\s+(.*)$")
# Sections that hold one description instead of entries with names.
_UNNAMED = ("Returns", "Yields")


@dataclass(frozen=True, slots=True)
class Docstring:
    """A parsed docstring.

    Attributes:
        summary: The first paragraph, on one line.
        text: The paragraphs between the summary and the first section.
        sections: By heading, the description of each name; of "Returns", that of the name "".
    """

    summary: str = ""
    text: str = ""
    sections: dict[str, dict[str, str]] = field(default_factory=dict)


def parse(obj: object) -> Docstring:
    """Parse the docstring of a function, class or module; text is taken as the docstring."""
    text = inspect.cleandoc(obj) if isinstance(obj, str) else (inspect.getdoc(obj) or "")
    summary, _, rest = text.partition("\n\n")
    body: list[str] = []
    sections: dict[str, list[str]] = {}
    lines = body
    for line in rest.splitlines():
        if heading := _HEADING.match(line):
            lines = sections.setdefault(heading[1], [])
            line = f"    {heading[2]}"
        elif lines is not body and line and not line.startswith(" "):
            lines = body  # text after a section
        lines.append(line)
    parsed = {
        name: {"": _joined(each)} if name in _UNNAMED else _entries(each)
        for name, each in sections.items()
    }
    return Docstring(_joined(summary.splitlines()), "\n".join(body).strip("\n"), parsed)


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines if line.strip())


def _entries(lines: list[str]) -> dict[str, str]:
    """Split a section into its entries; lines that are indented further continue one."""
    entries: dict[str, list[str]] = {}
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    for line in lines:
        match = _ENTRY.match(line.strip())
        if match and len(line) - len(line.lstrip()) == min(indents):
            entries[match[1]] = [match[2]]
        elif line.strip():
            entries[next(reversed(entries), "")] = [
                *entries.get(next(reversed(entries), ""), []),
                line,
            ]
    return {name: _joined(each) for name, each in entries.items()}
