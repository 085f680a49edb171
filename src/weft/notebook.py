"""What notebooks show of layouts, kernels and reports: their `_repr_html_`.

A layout, a compiled kernel and a report know nothing of pictures and pages. Each has a registry
that names the module with its HTML, which is imported when a notebook shows the first one.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from weft.registry import Registry

__all__ = ["LAYOUTS", "KERNELS", "REPORTS", "frame", "preformatted"]

LAYOUTS = Registry[Callable[[Any], str]]("weft.layouts.drawing.notebook")
KERNELS = Registry[Callable[[Any], str]]("weft.report.notebook")
REPORTS = Registry[Callable[[Any], str]]("weft.explain.notebook")


def preformatted(text: str) -> str:
    """Format text in a font of fixed width."""
    return f'<pre style="white-space:pre;overflow-x:auto">{escape(text)}</pre>'


def frame(title: str, document: str, height: str = "85vh") -> str:
    """Put an HTML document into a frame, so that its style does not change the notebook's.

    Args:
        title: The name of the frame for screen readers.
        document: The document.
        height: The height of the frame, as in CSS.
    """
    source, name = escape(document, quote=True), escape(title, quote=True)
    style = f"width:100%;height:{height};border:0"
    return f'<iframe title="{name}" srcdoc="{source}" style="{style}"></iframe>'
