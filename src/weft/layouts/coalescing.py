"""What a warp's access to global memory touches: sectors of 32 bytes, lines of 128.

    report = coalescing(blocked.linear((128, 64)), (128, 64), 16)
    report.vector_bits, report.limited_by       # 128, "the widest instruction"
    report.sectors, report.ideal_sectors        # of all requests

A request is one instruction of one warp. It is ideal when the bytes of its sectors are all wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.errors import LayoutError
from weft.layouts.column_action import remove_broadcast
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import dimension_names
from weft.layouts.vectorization import largest_vectorisation

__all__ = ["CoalescingReport", "coalescing"]

_SECTOR, _LINE = 32, 128


@dataclass(frozen=True, slots=True)
class CoalescingReport:
    """Say what reading or writing a tile costs in global memory.

    Fields: vector_bits: of one lane's access.  limited_by: what keeps it from being wider.
    requests: instructions of all warps of a block.  sectors, lines: touched by all of them, each
    request for itself.  ideal_sectors: that would hold as many distinct bytes.
    worst_sectors: of the worst request.
    """

    vector_bits: int
    limited_by: str
    requests: int
    sectors: int
    lines: int
    ideal_sectors: int
    worst_sectors: int

    @property
    def efficiency(self) -> float:
        """Return which part of the bytes moved is wanted."""
        return self.ideal_sectors / self.sectors


def coalescing(
    layout: LinearLayout,
    shape: Sequence[int],
    element_bits: int,
    *,
    strides: Sequence[int] | None = None,
    alignment: int = 16,
    most_bits: int = 128,
) -> CoalescingReport:
    """Return what a tile's access to global memory touches.

    Args: layout: of the tensor of pointers.  shape: of the tile.  element_bits: 8 or more.
    strides: in elements, of the tensor in memory; row-major and tight by default.
    alignment: bytes by which the first address, and each step along a slower dimension, divide.
    most_bits: of the widest instruction.
    Raises: LayoutError.
    """
    import numpy as np

    if element_bits < 8 or not is_power_of_two(element_bits):
        raise LayoutError("an element must have 8, 16, 32 … bits", found=element_bits)
    if not is_power_of_two(alignment):
        raise LayoutError("the alignment must be a power of two, in bytes", found=alignment)
    if tuple(layout.out_dims.values()) != tuple(shape):
        raise LayoutError(
            "the layout must be of this shape",
            found="x".join(map(str, shape)),
            accepted=["x".join(map(str, layout.out_dims.values()))],
        )
    steps = _row_major(shape) if strides is None else tuple(strides)
    if len(steps) != len(shape):
        raise LayoutError(f"needs {len(shape)} strides", found=list(steps))
    once = remove_broadcast(layout).apply(layout)
    once = once.sublayout(["register", "lane", "warp"], list(once.starts))
    elements, limit, action = _vector(once, steps, element_bits, alignment, most_bits)
    table = action.apply(once).table()[::elements]
    first = (table * np.array(steps)).sum(axis=-1) * element_bits // 8
    rows = np.moveaxis(first, 1, 2).reshape(-1, layout.in_size("lane"))
    bytes_ = elements * element_bits // 8
    sectors = [_touched(row, bytes_, _SECTOR) for row in rows]
    ideal = [-(-len(np.unique(row)) * bytes_ // _SECTOR) for row in rows]
    lines = sum(_touched(row, bytes_, _LINE) for row in rows)
    return CoalescingReport(
        bytes_ * 8, limit, len(rows), sum(sectors), lines, sum(ideal), max(sectors)
    )


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    steps, at = [], 1
    for size in reversed(shape):
        steps.append(at)
        at *= size
    return tuple(reversed(steps))


def _vector(layout: LinearLayout, steps, element_bits: int, alignment: int, most_bits: int):
    """Return elements per access, what limits them, and the order of registers for it."""
    names = dimension_names(len(steps))
    fast = next((d for d, step in enumerate(steps) if step == 1), None)
    if fast is None:
        return 1, "no dimension is contiguous in memory", remove_broadcast(layout)
    flat = layout.transpose_outs([names[fast], *names[:fast], *names[fast + 1 :]])
    held, action = largest_vectorisation(flat, element_bits, 1 << 30)
    widest = max(1, most_bits // element_bits)
    aligned = max(1, alignment * 8 // element_bits)
    elements = min(held, widest, aligned)
    limit = {
        widest: "the widest instruction",
        aligned: f"the alignment of {alignment} bytes",
        held: f"the registers, which hold {held} neighbours",
    }[elements]
    return elements, limit if elements != widest else "the widest instruction", action


def _touched(row, bytes_: int, unit: int) -> int:
    """Return how many units of memory a request touches."""
    import numpy as np

    first, last = row // unit, (row + bytes_ - 1) // unit
    spans = [first + step for step in range(int((last - first).max()) + 1)]
    return len(np.unique(np.concatenate([np.minimum(span, last) for span in spans])))
