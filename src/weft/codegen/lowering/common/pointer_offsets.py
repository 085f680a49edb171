"""Registers of a tensor of pointers at a constant distance from another register.

    %p : tensor<64x128x!tt.ptr<bf16>, #b>      8 contiguous elements per thread along dimension 1

Axis info knows these as contiguous, however rows are aligned. So register 3 is register 0 plus 6
bytes, and a loop that carries %p needs a phi for each run instead of one for each register.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_

from xdsl.ir import SSAValue

from weft.analysis.axis_info import ModuleAxisInfo
from weft.codegen.llvm.types import storage_bytes
from weft.codegen.lowering.common.indices import register_offsets
from weft.codegen.lowering.common.registers import layout_of
from weft.ir import types
from weft.layouts import LinearLayout
from weft.layouts.dimension_order import dimension_order

__all__ = ["pointer_offsets", "contiguous_offsets"]

RegisterOffsets = dict[int, tuple[int, int]]
"""By register: another register, and the distance from it."""


def pointer_offsets(info: ModuleAxisInfo, value: SSAValue) -> RegisterOffsets:
    """Map registers to (another register, bytes from it); empty unless pointers."""
    info_of_value, scalar = info.infos.get(value), types.element(value.type)
    if (
        info_of_value is None
        or not types.is_tensor(value.type)
        or types.encoding(value.type) is None
    ):
        return {}
    if not isinstance(scalar, types.PointerType):
        return {}
    layout = layout_of(value.type)
    fast = dimension_order(layout)[0]
    run = info_of_value.contiguity[fast] & -info_of_value.contiguity[fast]
    size = storage_bytes(scalar.pointee)
    return {
        n: (first, by * size) for n, (first, by) in contiguous_offsets(layout, fast, run).items()
    }


@lru_cache(maxsize=4096)
def contiguous_offsets(layout: LinearLayout, dim: int, run: int) -> RegisterOffsets:
    """Map registers within a contiguous run to (first register of the run, distance in elements).

    Args:
        layout: The layout.
        dim: The dimension of the run.
        run: Length of a run, a power of two; runs are aligned.
    """
    thread_offsets = 0  # offsets of lanes and warps within a run
    for name, images in layout.bases.items():
        if name != "register":
            thread_offsets |= reduce(or_, (image[dim] for image in images), 0) & (run - 1)
    offsets = [register_offsets(layout, d) for d in range(len(layout.out_dims))]
    firsts: dict[tuple[int, ...], int] = {}
    inside: dict[int, tuple[tuple[int, ...], int]] = {}
    for register, element in enumerate(zip(*offsets, strict=True)):
        within = element[dim] & (run - 1)
        start = (*element[:dim], element[dim] - within, *element[dim + 1 :])
        if not within:
            firsts.setdefault(start, register)
        elif not within & thread_offsets:
            inside[register] = start, within
    return {
        register: (firsts[start], within)
        for register, (start, within) in inside.items()
        if start in firsts
    }
