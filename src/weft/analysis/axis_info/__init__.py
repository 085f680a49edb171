"""Contiguity, divisibility and constancy of every value: what a memory access may rest on.

    info = axis_info(module)
    info[load.ptr].contiguity          # (1, 64): 64 neighbours along dimension 1
    info.alignment(load.ptr)           # elements that lie aligned in a row, along the layout
    info.mask_alignment(load.mask)     # neighbours that one bit of the mask covers

`info` tells what the numbers mean; `arithmetic`, `choice` and `shapes` how operations pass them on;
`flow` carries them through a function, `module` from callers to callees.
"""

from __future__ import annotations

from weft.analysis.axis_info.info import AxisInfo, divisor, join
from weft.analysis.axis_info.module import ModuleAxisInfo, axis_info, tell_callees

__all__ = ["AxisInfo", "ModuleAxisInfo", "axis_info", "divisor", "join", "tell_callees"]
