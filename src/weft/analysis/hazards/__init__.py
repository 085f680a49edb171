"""Hazards in shared and tensor memory: where a kernel needs barriers and proxy fences.

accesses       the lattice: accesses since the last barrier
analysis       the dataflow analysis
async_proxy    copies by cp.async that the tensor cores read
"""

from __future__ import annotations

from weft.analysis.hazards.analysis import Barriers, barriers

__all__ = ["Barriers", "barriers"]
