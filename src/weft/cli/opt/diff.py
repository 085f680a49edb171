"""Print the changes of a pass as a unified diff, with colors on a terminal."""

from __future__ import annotations

import difflib
import sys

__all__ = ["print_diff", "unified"]

_STYLES = (("---", "bold"), ("+++", "bold"), ("@@", "cyan"), ("-", "red"), ("+", "green"))


def unified(name: str, before: str, after: str) -> list[str]:
    """Compute the lines of a unified diff of two texts of a module."""
    return list(
        difflib.unified_diff(
            before.splitlines(),
            after.splitlines(),
            f"before {name}",
            f"after {name}",
            lineterm="",
        )
    )


def print_diff(name: str, before: str, after: str) -> None:
    """Print the changes of a pass on stderr."""
    lines = unified(name, before, after)
    if not sys.stderr.isatty():
        print("\n".join(lines), file=sys.stderr)
        return
    from rich.console import Console
    from rich.text import Text

    text = Text("\n").join(Text(line, style=_style(line)) for line in lines)
    Console(stderr=True, soft_wrap=True).print(text)


def _style(line: str) -> str:
    return next((style for prefix, style in _STYLES if line.startswith(prefix)), "")
