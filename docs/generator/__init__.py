"""The generated pages of docs/reference: what the code says of itself, as Markdown.

    python -m docs.generator          # or: make reference

docstrings.py      Google-style docstrings as data
markdown.py        tables, signatures, sections
the other modules  one page each; `render()` returns its text

`tests/test_reference.py` fails if a page differs from what its module renders.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from docs.generator import (
    api,
    command_line,
    dialects,
    errors,
    language,
    layouts_api,
    options,
    passes,
    targets,
)

__all__ = ["FOLDER", "PAGES"]

FOLDER = Path(__file__).parents[1] / "reference"

PAGES: dict[str, Callable[[], str]] = {
    "api.md": api.render,
    "command_line.md": command_line.render,
    "dialects.md": dialects.render,
    "errors.md": errors.render,
    "language.md": language.render,
    "layouts_api.md": layouts_api.render,
    "options.md": options.render,
    "passes.md": passes.render,
    "targets.md": targets.render,
}
"""The function that renders each page, by file name."""
