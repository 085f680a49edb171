"""What an access to global memory touches: sectors of 32 bytes and lines of 128 bytes.

    report = coalescing(blocked.linear((128, 64)), (128, 64), 16)
    report.vector_bits, report.limited_by       # 128, "the widest instruction"
    report.sectors, report.ideal_sectors        # of all requests

A request is one instruction of one warp. It is coalesced if it needs all bytes of its sectors:
32 lanes that read 4 bytes each, side by side, touch 4 sectors; with a stride of 32 bytes they touch
32 sectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from weft.errors import LayoutError
from weft.layouts.column_action import ColumnAction, remove_broadcast
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import dimension_names
from weft.layouts.vectorization import largest_vectorisation

__all__ = ["CoalescingReport", "coalescing"]

_SECTOR_BYTES, _LINE_BYTES = 32, 128
_NO_LIMIT = 1 << 30


class CoalescingReport(Struct, frozen=True):
    """The cost of reading or writing a tile in global memory.

    Attributes:
        vector_bits: bits of one lane's access.
        limited_by: what keeps the access from being wider.
        requests: instructions of all warps of a CTA.
        sectors: sectors that the requests touch, each request counted by itself.
        lines: lines that the requests touch, likewise.
        ideal_sectors: sectors that would hold as many distinct bytes.
        worst_sectors: sectors of the worst request.
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
        """The fraction of the bytes moved that is needed."""
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
    """Count the sectors and lines of an access to a tile in global memory.

    Args:
        layout: the layout of the tensor of pointers.
        shape: the shape of the tile.
        element_bits: the bits of an element, 8 or more.
        strides: the strides of the tensor, in elements; row-major without gaps by default.
        alignment: the bytes that divide the first address, and each step along a slower dimension.
        most_bits: the bits of the widest instruction.

    Raises:
        LayoutError: the layout is of another shape, or a number is illegal.
    """
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
    distinct = remove_broadcast(layout).apply(layout)
    distinct = distinct.sublayout(["register", "lane", "warp"], list(distinct.out_shifts))
    elements, limit, action = _vectorize(distinct, steps, element_bits, alignment, most_bits)
    # Element coordinates of the first register of each access, [access, lane, warp, dimension].
    table = action.apply(distinct).table()[::elements]
    addresses = (table * np.array(steps)).sum(axis=-1) * element_bits // 8
    requests = np.moveaxis(addresses, 1, 2).reshape(-1, layout.in_size("lane"))
    vector_bytes = elements * element_bits // 8
    sectors = [_count_touched(request, vector_bytes, _SECTOR_BYTES) for request in requests]
    return CoalescingReport(
        vector_bits=vector_bytes * 8,
        limited_by=limit,
        requests=len(requests),
        sectors=sum(sectors),
        lines=sum(_count_touched(request, vector_bytes, _LINE_BYTES) for request in requests),
        ideal_sectors=sum(
            -(-len(np.unique(request)) * vector_bytes // _SECTOR_BYTES) for request in requests
        ),
        worst_sectors=max(sectors),
    )


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a row-major tensor without gaps."""
    strides: list[int] = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))


def _vectorize(
    layout: LinearLayout,
    strides: tuple[int, ...],
    element_bits: int,
    alignment: int,
    most_bits: int,
) -> tuple[int, str, ColumnAction]:
    """Return elements per access, what limits them, and the order of registers for it."""
    names = dimension_names(len(strides))
    contiguous = next((d for d, stride in enumerate(strides) if stride == 1), None)
    if contiguous is None:
        return 1, "no dimension is contiguous in memory", remove_broadcast(layout)
    order = [names[contiguous], *names[:contiguous], *names[contiguous + 1 :]]
    neighbours, action = largest_vectorisation(
        layout.transpose_outs(order), element_bits, _NO_LIMIT
    )
    widest = max(1, most_bits // element_bits)
    aligned = max(1, alignment * 8 // element_bits)
    elements = min(neighbours, widest, aligned)
    if elements == widest:
        limit = "the widest instruction"
    elif elements == neighbours:
        limit = f"the registers, which hold {neighbours} neighbours"
    else:
        limit = f"the alignment of {alignment} bytes"
    return elements, limit, action


def _count_touched(addresses: NDArray[np.int64], size: int, unit: int) -> int:
    """Count the units of memory that accesses of `size` bytes at these addresses touch."""
    first, last = addresses // unit, (addresses + size - 1) // unit
    most = int((last - first).max()) + 1
    return len(np.unique(np.concatenate([np.minimum(first + step, last) for step in range(most)])))
