"""The report of `weft explain` as data; text and JSON are printed from it.

Costs are estimates in cycles of one warp of one program. They rank findings and do not predict
time. A loop counts as `LOOP_ITERATIONS` iterations.
"""

from weft.explain.model.accesses import Access, SharedAccess
from weft.explain.model.conversions import Anchor, Conversion
from weft.explain.model.dots import Dot
from weft.explain.model.findings import CountChange, Finding, TriedEdit
from weft.explain.model.loops import LOOP_ITERATIONS, Loop, LoopLoad, ScheduledOp
from weft.explain.model.report import READ_BACK, RECORDED, Entry, Report
from weft.explain.model.values import Change, Value

__all__ = [
    "LOOP_ITERATIONS",
    "READ_BACK",
    "RECORDED",
    "Access",
    "Anchor",
    "Change",
    "Conversion",
    "CountChange",
    "Dot",
    "Entry",
    "Finding",
    "Loop",
    "LoopLoad",
    "Report",
    "ScheduledOp",
    "SharedAccess",
    "TriedEdit",
    "Value",
]
