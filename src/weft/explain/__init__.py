"""Reads IR and the ledger of decisions, and says what is there; never re-derives it.

explaining.py   the door: compile with the ledger open, or read a dump
model.py        a report, as data: values, conversions, memory, shared memory, dots, findings
history.py      each value's layout through the passes, with their reasons
reading.py      a report from a module: conversions.py, memory.py, shared.py, dots.py, findings.py
text.py, json.py, against.py, narrowing.py   ways to look at a report
inventory.py    the layouts of a module and its conversions, without reasons; tables.py prints them

    report = explain(kernel, signature="*fp16:16, …", target="hip:gfx942")
    report.findings[0].edit
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.lazy_attributes import lazy_getattr, object_references

if TYPE_CHECKING:
    from weft.explain.explaining import explain
    from weft.explain.model import Report

__all__ = ["Report", "explain"]

__getattr__ = lazy_getattr(
    __name__,
    object_references({"weft.explain.explaining": "explain", "weft.explain.model": "Report"}),
)
