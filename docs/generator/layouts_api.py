"""docs/reference/layouts_api.md: every name of `weft.layouts`."""

from __future__ import annotations

import weft.layouts
from docs.generator.markdown import entry, page

__all__ = ["render"]


def render() -> str:
    """Render the page."""
    names = [name for name in weft.layouts.__all__ if name != "ENCODINGS"]
    return page(
        "`weft.layouts` by name",
        "[layouts.md](layouts.md) lists the same names by the question that they answer. "
        "`ENCODINGS` maps the name of an encoding in IR text to its class.",
        *(entry(name, getattr(weft.layouts, name), level=2) for name in names),
    )
