"""The whole report of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from weft.explain.card_model import Card
from weft.explain.model.accesses import Access, SharedAccess
from weft.explain.model.conversions import Conversion
from weft.explain.model.dots import Dot
from weft.explain.model.findings import Finding
from weft.explain.model.loops import Loop
from weft.explain.model.values import Value
from weft.explain.optimum_model import LayoutOptimum
from weft.notebook import REPORTS

__all__ = ["READ_BACK", "RECORDED", "Entry", "Report"]

RECORDED, READ_BACK = "recorded", "read back from the IR"

Entry = Value | Conversion | Access | SharedAccess | Dot | Loop | Finding


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one kernel.

    Attributes:
        kernel: The name of the kernel.
        target: The name of the target: "hip:gfx942".
        num_warps: The warps of a program.
        lanes: The threads of a warp.
        ledger: RECORDED, or READ_BACK if weft did not run the passes.
        layouts: The (name, text) pairs of all layouts.
        values: The tensors of the final IR, in its order.
        conversions: The remaining conversions, in the order of the IR.
        memory: The accesses to global memory.
        shared: The explicit accesses to shared memory.
        dots: The dots.
        findings: The findings, most expensive first.
        loops: The loops; empty if weft did not run the passes.
        card: Registers, occupancy and roofline; None before the final stage.
        scratch: What conversions, reductions, scans and atomics move through shared memory.
        optimum: The optimum of the layouts; None if it was not asked for.
    """

    kernel: str
    target: str
    num_warps: int
    lanes: int
    ledger: str
    layouts: tuple[tuple[str, str], ...]
    values: tuple[Value, ...]
    conversions: tuple[Conversion, ...]
    memory: tuple[Access, ...]
    shared: tuple[SharedAccess, ...]
    dots: tuple[Dot, ...]
    findings: tuple[Finding, ...]
    loops: tuple[Loop, ...] = ()
    card: Card | None = None
    scratch: tuple[SharedAccess, ...] = ()
    optimum: LayoutOptimum | None = None

    def __str__(self) -> str:
        return REPORTS["text"](self)

    def _repr_html_(self) -> str:
        return REPORTS["html"](self)
