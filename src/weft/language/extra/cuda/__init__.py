"""Functions of NVIDIA targets."""

from __future__ import annotations

from weft.language.extra.cuda import grid_dependency_control as gdc
from weft.language.extra.cuda import libdevice
from weft.language.extra.cuda import special_registers as utils
from weft.language.extra.cuda.grid_dependency_control import gdc_launch_dependents, gdc_wait
from weft.language.extra.cuda.special_registers import (
    convert_custom_float8_sm70,
    convert_custom_float8_sm80,
    globaltimer,
    num_threads,
    num_warps,
    smid,
)

__all__ = [
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "gdc",
    "gdc_launch_dependents",
    "gdc_wait",
    "globaltimer",
    "libdevice",
    "num_threads",
    "num_warps",
    "smid",
    "utils",
]
