"""What a notebook shows of a compiled kernel."""

from __future__ import annotations

import json
import re
from html import unescape

import weft
from tests.report.kernels import SIGNATURE, matmul


def test_the_page_of_the_ttgir():
    kernel = weft.compile(matmul, signature=SIGNATURE, target="hip:gfx942", num_warps=8)
    html = kernel._repr_html_()
    (document,) = re.findall(r'srcdoc="([^"]*)"', html)
    (content,) = re.findall(r'id="page">(.*?)</script>', unescape(document), re.DOTALL)
    (view,) = json.loads(content)["views"]
    assert view["report"]["num_warps"] == 8
    assert [text["name"] for text in view["texts"]] == ["ttgir", "llir", "amdgcn"]


def test_a_kernel_without_layouts_is_a_line():
    kernel = weft.compile(matmul, signature=SIGNATURE, target="hip:gfx942", stop_after="ttir")
    assert kernel._repr_html_().startswith("<pre")
    assert repr(kernel) in unescape(kernel._repr_html_())
