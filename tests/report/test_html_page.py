from __future__ import annotations

import json
import re
from html import unescape

import pytest

from tests.report.kernels import SIGNATURE, matmul
from weft.report import report


@pytest.fixture(scope="module")
def page():
    return report(matmul, targets=["cuda:90", "hip:gfx942"], signature=SIGNATURE)


def content_of(html: str) -> dict:
    (content,) = re.findall(r'id="page">(.*?)</script>', html, re.DOTALL)
    return json.loads(content)


def test_the_file_needs_no_other(page):
    html = page.html()
    assert len(html.encode()) < 2_000_000
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:)""", html)
    assert "http://" not in html.replace("http://www.w3.org/", "")
    (modules,) = re.findall(r'<script type="importmap">(.*?)</script>', html)
    addresses = json.loads(modules)["imports"].values()
    assert all(address.startswith("data:text/javascript;base64,") for address in addresses)


def test_the_optimum_is_shown_if_it_is_asked_for(page):
    pytest.importorskip("highspy")
    assert all(view["report"]["optimum"] is None for view in content_of(page.html())["views"])
    targets = ["cuda:90", "hip:gfx942"]
    shown = report(matmul, targets=targets, signature=SIGNATURE, optimum=True)
    html = shown.html()
    assert len(html.encode()) < 2_000_000
    for view, own in zip(content_of(html)["views"], shown.reports, strict=True):
        optimum = view["report"]["optimum"]
        assert own.optimum is not None
        assert (optimum["triton"], optimum["cost"]) == (own.optimum.triton, own.optimum.cost)
        names = {each["name"] for each in view["optimum_layouts"]}
        assert names == {name for name, _ in own.optimum.named}
    assert "Optimum of the layouts" in str(shown)


def test_lines_are_stored_once_and_restored(page):
    content = content_of(page.html())
    strings = content["strings"]
    assert len(set(strings)) == len(strings)
    for view, stored in zip(page.page.views, content["views"], strict=True):
        for text, compact in zip(view.texts, stored["texts"], strict=True):
            assert [strings[number] for number in compact["lines"]] == list(text.lines)
            assert compact["places"] == list(text.places)


def test_text_that_looks_like_markup_is_content(page):
    # A line of a kernel may contain an end tag.
    end_tag = "</script><script>"
    view = page.page.views[0]
    text = type(view.texts[0])("ttir", (end_tag,), (-1,))
    changed = type(view)(
        **{**{name: getattr(view, name) for name in view.__struct_fields__}, "texts": (text,)}
    )
    altered = type(page)(type(page.page)("t", "0", (changed,)), page.reports[:1])
    html = altered.html()
    assert end_tag not in html
    assert end_tag in content_of(html)["strings"]


def test_two_views_are_compared(page):
    kinds = {row["kind"] for row in page.page.differences}
    assert {"dot", "global access", "value"} <= kinds
    one = report(matmul, targets="cuda:90", signature=SIGNATURE)
    assert one.page.differences == ()


def test_text_and_notebook(page, tmp_path):
    assert str(page).startswith("matmul  cuda:90  4 warps × 32 lanes\n")
    assert "matmul  hip:gfx942" in str(page)
    frame = page._repr_html_()
    pattern = r'<iframe title="[^"]*" srcdoc="([^"]*)" style="[^"]*"></iframe>'
    (source,) = re.findall(pattern, frame)
    assert unescape(source) == page.html()
    page.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page.html()
