"""Write a report as one HTML file that needs no network.

The file contains the page's scripts as they are in assets/, as `data:` addresses of an import map,
and the content as JSON. A browser opens it from disk.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from msgspec import structs, to_builtins

from weft.explain.comparison import compare
from weft.explain.model import Report
from weft.explain.text_report import text
from weft.notebook import frame
from weft.report.line_matching import match_places
from weft.report.model import Page, View
from weft.report.view import view_of
from weft.version import __version__

if TYPE_CHECKING:
    from weft.compiler.signature import Signature

__all__ = ["HtmlReport", "page_of", "report"]

_ASSETS = files("weft.report") / "assets"
_VENDORED = {"htm-preact": "vendor/htm-preact.js"}
_MODULES = (
    "dom",
    "linear_layout",
    "layout_view",
    "code_view",
    "pass_view",
    "loop_view",
    "memory_view",
    "card_view",
    "optimum_view",
    "summary_view",
    "compare_view",
    "app",
)


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """The report of one or more compiles.

    Attributes:
        page: The content of the page.
        reports: The report of `weft explain` for each view.
    """

    page: Page
    reports: tuple[Report, ...]

    def html(self) -> str:
        """Format the report as an HTML document."""
        scripts = {name: f"{name}.js" for name in _MODULES} | _VENDORED
        imports = {name: _data_address(path) for name, path in scripts.items()}
        # "</" would end the element of the JSON text.
        content = json.dumps(_compact(self.page), ensure_ascii=False, separators=(",", ":"))
        return Template(_asset("template.html")).substitute(
            title=escape(self.page.title),
            style=_asset("style.css"),
            modules=json.dumps({"imports": imports}),
            page=content.replace("</", "<\\/"),
        )

    def save(self, path: str | Path) -> None:
        """Write the HTML document to a file."""
        Path(path).write_text(self.html(), encoding="utf-8")

    def __str__(self) -> str:
        return "\n".join(map(text, self.reports))

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in an iframe."""
        return frame(self.page.title, self.html())


def report(
    kernel: object,
    *,
    targets: str | Sequence[str] = (),
    signature: str | Mapping[str, object] | Signature | None = None,
    constexprs: Mapping[Any, object] | None = None,
    optimum: bool = False,
    **options: object,
) -> HtmlReport:
    """Compile a kernel for one or more targets, and report each compile.

    Args:
        kernel: A kernel of `weft.jit` or of Triton's jit, or the path of a file of IR.
        targets: "cuda:90", or several of them; none for IR with layouts, which names its target.
        signature: As of `weft.compile`.
        constexprs: As of `weft.compile`.
        optimum: Whether to find the optimum of the layouts, which may take minutes.
        options: Compile options.

    Raises:
        WeftError: There is no target, and all errors of `weft.compile`.
    """
    names = (targets,) if isinstance(targets, str) else tuple(targets)
    views = [
        view_of(
            kernel, name, name or str(kernel), signature=signature, constexprs=constexprs,
            options=options, optimum=optimum,
        )
        for name in names or (None,)
    ]  # fmt: skip
    return page_of(views)


def page_of(views: Sequence[tuple[View, Report]]) -> HtmlReport:
    """Combine views, and compare the first two."""
    reports = tuple(report for _, report in views)
    pages = tuple(view for view, _ in views)
    kernels = dict.fromkeys(view.kernel for view in pages)
    title = f"{', '.join(kernels)} on {', '.join(dict.fromkeys(view.target for view in pages))}"
    pairs = match_places(*pages) if len(pages) == 2 else ()
    page = Page(title, __version__, pages, _differences(pages, reports), pairs)
    return HtmlReport(page, reports)


def _differences(views: Sequence[View], reports: Sequence[Report]) -> tuple[dict[str, object], ...]:
    if len(views) != 2:
        return ()
    (first, second), (label, other_label) = reports, (view.label for view in views)
    comparison = compare(first, second, label, other_label)
    return tuple(
        {
            "kind": entry.kind,
            "name": entry.name,
            "first": entry.first,
            "second": entry.second,
            "first_line": entry.first_line,
            "second_line": entry.second_line,
        }
        for entry in comparison.entries
    )


def _compact(page: Page) -> dict[str, object]:
    """Replace the lines of all texts by numbers of one list, since passes change few of them."""
    numbers: dict[str, int] = {}

    def compact(value: object) -> object:
        if isinstance(value, dict):
            if value.keys() >= {"lines", "places"}:
                lines = [numbers.setdefault(line, len(numbers)) for line in value["lines"]]
                return {**value, "lines": lines}
            return {key: compact(entry) for key, entry in value.items()}
        if isinstance(value, list | tuple):
            return [compact(entry) for entry in value]
        return value

    views = [compact(to_builtins(structs.asdict(view))) for view in page.views]
    return {
        "title": page.title,
        "weft": page.weft,
        "views": views,
        "differences": list(page.differences),
        "place_pairs": list(page.place_pairs),
        "strings": list(numbers),
    }


def _asset(path: str) -> str:
    return (_ASSETS / path).read_text(encoding="utf-8")


def _data_address(path: str) -> str:
    encoded = b64encode(_asset(path).encode()).decode()
    return f"data:text/javascript;base64,{encoded}"
