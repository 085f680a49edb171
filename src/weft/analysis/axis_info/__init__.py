"""Axis info: contiguity, divisibility and constancy of each value, along each dimension.

Coalescing, vectorization and the choice of asynchronous copies rest on it.

    info = axis_info(module)
    info[load.ptr].contiguity          # (1, 64): runs of 64 consecutive addresses along dim 1
    info.alignment(load.ptr)           # elements of a run that start at an aligned address
    info.mask_alignment(load.mask)     # consecutive elements with one mask bit

lattice               the lattice element and its join
arithmetic, comparison, tensor_operations
                      transfer functions by operation
hint_attributes       hints of the kernel's author, such as tl.multiple_of
propagation           the dataflow analysis of one function
module_axis_info      the analysis of a module, calls included, and queries for memory accesses
table                 the result as text

Triton has the same analysis (Analysis/AxisInfo.cpp).
"""

from __future__ import annotations

from weft.analysis.axis_info.lattice import AxisInfo, join, power_of_two_divisor
from weft.analysis.axis_info.module_axis_info import (
    ModuleAxisInfo,
    axis_info,
    write_argument_hints,
)

__all__ = [
    "AxisInfo",
    "ModuleAxisInfo",
    "axis_info",
    "power_of_two_divisor",
    "join",
    "write_argument_hints",
]
