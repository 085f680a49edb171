"""A report as text, and in a notebook."""

from __future__ import annotations

from html import unescape

from tests.explain.reports import REPORT
from weft.explain.text_report import text


def test_str_is_the_text():
    assert str(REPORT) == text(REPORT)


def test_the_notebook_shows_the_text():
    html = REPORT._repr_html_()
    assert html.startswith("<pre")
    assert text(REPORT) in unescape(html)
