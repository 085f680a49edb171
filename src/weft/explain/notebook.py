"""A report of `weft explain` as text and as HTML for notebooks."""

from __future__ import annotations

from weft.explain.model import Report
from weft.explain.text_report import text
from weft.notebook import REPORTS, preformatted

__all__ = ["report_html"]

REPORTS.register("text")(text)


@REPORTS.register("html")
def report_html(report: Report) -> str:
    """Format the text of a report for a notebook."""
    return preformatted(text(report))
