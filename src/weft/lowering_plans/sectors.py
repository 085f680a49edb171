"""Count the 32-byte sectors of global memory that vectors of a tensor's registers touch.

By hand, 128 f32 of 4 warps at neighbouring addresses, 4 per lane: one request of each warp touches
16 sectors. With a stride of two elements between lanes' vectors, it touches 32.

Addresses are known as far as axis analysis knows them: a dimension along which they are contiguous
has stride 1, one along which they are constant has stride 0, and others count as far apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from xdsl.ir import Attribute

from weft.analysis.axis_info import AxisInfo
from weft.ir import types
from weft.layouts import LinearLayout
from weft.lowering_plans.registers import layout_of

__all__ = ["SectorTraffic", "address_strides", "count_sectors", "knows_sectors"]

_SECTOR_BYTES = 32
_UNKNOWN_STRIDE = 1 << 20  # elements


class SectorTraffic(Struct, frozen=True):
    """Sectors of global memory.

    Attributes:
        sectors: Sectors that all requests touch, each request counted by itself.
        ideal: Sectors that would hold as many distinct bytes.
        distinct: Sectors that the requests touch, each counted once.
        warps: The number of warps with an active lane.
    """

    sectors: int = 0
    ideal: int = 0
    distinct: int = 0
    warps: int = 0


def address_strides(info: AxisInfo, shape: Sequence[int]) -> tuple[int, ...]:
    """Compute the strides of addresses in elements, with far apart rows if they are unknown.

    Args:
        info: The axis information of the pointers or offsets.
        shape: The shape of the tensor.
    """
    strides = [_UNKNOWN_STRIDE * math.prod(shape[:dim]) for dim in range(len(shape))]
    for dim, size in enumerate(shape):
        if size > 1 and info.constancy[dim] >= size:
            strides[dim] = 0  # all addresses along it are equal
    dim = max(range(len(shape)), key=lambda dim: (info.contiguity[dim], dim))
    if info.contiguity[dim] > 1:
        strides[dim] = 1
    return tuple(strides)


def knows_sectors(info: AxisInfo, shape: Sequence[int], bits: int) -> bool:
    """Check whether the sectors follow from what axis analysis knows.

    Contiguous runs must be whole sectors, and rows that begin at unknown addresses aligned to them.

    Args:
        info: The axis information of the pointers or offsets.
        shape: The shape of the tensor.
        bits: Bits of an element.
    """
    dim = max(range(len(shape)), key=lambda dim: (info.contiguity[dim], dim))
    others = [n for n, size in enumerate(shape) if n != dim and size > 1]
    if not all(info.constancy[n] >= shape[n] for n in others) and math.prod(shape) > 1:
        return info.contiguity[dim] >= shape[dim] and _is_aligned(info, dim, bits)
    return info.contiguity[dim] >= shape[dim] or info.constancy[dim] >= shape[dim]


def _is_aligned(info: AxisInfo, dim: int, bits: int) -> bool:
    return info.aligned_elements(dim, bits) * bits % (8 * _SECTOR_BYTES) == 0


def count_sectors(
    type_: Attribute,
    starts: Sequence[int],
    count: int,
    strides: Sequence[int],
    bits: int,
    *,
    owners: bool = False,
) -> SectorTraffic:
    """Count the sectors that vectors of registers touch.

    Args:
        type_: Type of the tensor of pointers or offsets, or of a scalar.
        starts: The first register of each vector.
        count: Registers of a vector.
        strides: The strides of the addresses, in elements.
        bits: Bits of an element.
        owners: Whether of threads with the same elements only the first takes part.
    """
    import numpy as np  # only for counting, which a compile does not

    if not types.is_tensor(type_):
        return SectorTraffic(len(starts), len(starts), 1, 1)
    layout = layout_of(type_)
    coordinates = layout.table()[np.asarray(starts, int), :, :, 0]
    addresses = (coordinates * np.array(strides)).sum(axis=-1) * bits // 8
    lanes, warps = _owners(layout, owners=owners)
    requests = np.moveaxis(addresses, 1, 2)[:, warps][:, :, lanes]
    size = count * bits // 8
    sectors = ideal = 0
    all_touched: set[int] = set()
    for request in requests.reshape(-1, len(lanes)):
        distinct = np.unique(request)
        last = (distinct + size - 1) // _SECTOR_BYTES
        touched = {
            s
            for a, b in zip(distinct // _SECTOR_BYTES, last, strict=True)
            for s in range(int(a), int(b) + 1)
        }
        all_touched |= touched
        sectors += len(touched)
        ideal += -(-len(distinct) * size // _SECTOR_BYTES)
    return SectorTraffic(sectors, ideal, len(all_touched), len(warps))


def _owners(layout: LinearLayout, *, owners: bool) -> tuple[list[int], list[int]]:
    """List the lanes and the warps that take part."""
    free = layout.free_variable_masks() if owners else {}
    lanes, warps = (
        [n for n in range(layout.in_size(name)) if not n & free.get(name, 0)]
        for name in ("lane", "warp")
    )
    return lanes, warps
