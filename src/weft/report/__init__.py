"""Reports as one HTML page: source, IR, machine code, passes, loops, layouts and memory.

    page = report(kernel, signature="*fp16:16, …", targets=["cuda:90", "hip:gfx942"])
    page.html()        # one file, which needs no network

html_page.py       `report`, and the page as HTML
view.py            one compile of a kernel, collected from these:
    texts.py, machine_code_lines.py    IR and assembly, with the kernel line of each line
    pass_steps.py                      the IR after each pass
    layout_pictures.py, memory_pictures.py, shared_buffers.py    what the page draws
    source_files.py                    the functions of the kernel
model.py           the content of a page as data
assets/            template, style and scripts of the page
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.report.html_page import HtmlReport, report

__all__ = ["HtmlReport", "report"]

__getattr__ = lazy_getattr(
    __name__, object_references({"weft.report.html_page": "HtmlReport report"})
)
