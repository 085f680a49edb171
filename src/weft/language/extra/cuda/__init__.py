"""Functions of NVIDIA targets."""

from __future__ import annotations

from weft.language.extra.cuda import libdevice
from weft.language.extra.cuda.grid_dependency_control import gdc_launch_dependents, gdc_wait
from weft.language.extra.cuda.special_registers import globaltimer, num_threads, num_warps, smid

__all__ = [
    "gdc_launch_dependents",
    "gdc_wait",
    "globaltimer",
    "libdevice",
    "num_threads",
    "num_warps",
    "smid",
]
