"""Report why each tensor of a kernel has its layout, and what layouts, accesses and dots cost.

    report = explain(kernel, signature="*fp16:16, …", target="hip:gfx942")
    report.findings[0].edit

The package reads the IR and the ledger of decisions; it decides nothing again.

kernel_report.py   `explain`: compile a kernel and collect decisions, or read a dump
module_report.py   build a report from a module: conversions.py, global_memory.py,
                   shared_memory.py, dots.py, findings.py
layout_history.py  the layouts of each value, pass by pass, with reasons
anchors.py         the operations that need the layouts on both sides of a conversion
model/             the report as data
text_report.py, json_report.py, comparison.py, filtering.py   outputs of a report
inventory.py       layouts and conversions of a module without reasons; inventory_tables.py
labels.py, source_lines.py   names of values and layouts; lines of the kernel
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.explain.kernel_report import explain
    from weft.explain.model import Report

__all__ = ["Report", "explain"]

__getattr__ = lazy_getattr(
    __name__,
    object_references({"weft.explain.kernel_report": "explain", "weft.explain.model": "Report"}),
)
