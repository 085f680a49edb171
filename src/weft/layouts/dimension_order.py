"""In which order, and how far, a thread's registers run through a tensor.

blocked, sizePerThread = [2, 4], order = [1, 0]: register bits 0, 1 step along dimension 1,
bit 2 along dimension 0: the order is (1, 0), and a thread holds 4 neighbours, in 2 rows
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from weft.layouts.encodings import BlockedEncoding, Encoding, LinearEncoding
from weft.layouts.linear import LinearLayout

__all__ = ["contiguous_per_thread", "dimension_order", "memory_order", "transposed_in_thread"]


@lru_cache(maxsize=16384)
def dimension_order(
    layout: LinearLayout, in_dim: str = "register", default: Sequence[int] | None = None
) -> tuple[int, ...]:
    """Return the dimensions in the order in which the bits of an in-dimension first step there.

    Args: default: the order of the dimensions that no bit steps along; the last one first if None.
    """
    rank = len(layout.outs)
    order: list[int] = []
    images = layout.images(in_dim) if in_dim in layout.in_dims else ()
    for image in images:
        dim = next((d for d, part in enumerate(layout.unpack(image)) if part), None)
        if dim is not None and dim not in order:
            order.append(dim)
    rest = range(rank - 1, -1, -1) if default is None else default
    return (*order, *(dim for dim in rest if dim not in order))


@lru_cache(maxsize=16384)
def contiguous_per_thread(layout: LinearLayout) -> tuple[int, ...]:
    """Return how many neighbours along each dimension a thread's registers hold in a row.

    Counted through the dimensions in the order of the registers, as far as bits double.
    """
    counts = [1] * len(layout.outs)
    steps = [layout.unpack(image) for image in layout.images("register")]
    at = 0
    for dim in dimension_order(layout):
        while at < len(steps) and steps[at] == _unit(len(counts), dim, counts[dim]):
            counts[dim] *= 2
            at += 1
    return tuple(counts)


def _unit(rank: int, dim: int, value: int) -> tuple[int, ...]:
    return tuple(value if d == dim else 0 for d in range(rank))


@lru_cache(maxsize=4096)
def transposed_in_thread(encoding: BlockedEncoding, shape: tuple[int, ...]) -> LinearEncoding:
    """Return the layout in which each thread holds the same elements, slower dimensions first.

    Of the tile that a thread holds at once, the last two dimensions of the order change places;
    tiles, lanes and warps stay where they are.
    """
    order = (*encoding.order[:-2], encoding.order[-1], encoding.order[-2])
    tile = [
        _unit(len(order), dim, 1 << bit)
        for dim in order
        for bit in range(encoding.size_per_thread[dim].bit_length() - 1)
    ]
    bases = encoding.linear(shape).bases
    register = (*tile, *bases["register"][len(tile) :])
    return LinearEncoding(register, bases["lane"], bases["warp"], bases["block"])


@lru_cache(maxsize=16384)
def memory_order(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the order of dimensions in which a tensor of this layout is best laid in memory.

    The order of a thread's elements; that of the lanes where a thread holds one element along
    the dimension that the lanes run through first.
    """
    layout = encoding.linear(shape)
    order, lanes = dimension_order(layout), dimension_order(layout, "lane")
    if order == lanes:
        return order
    held = sum(bool(layout.unpack(image)[lanes[0]]) for image in layout.images("register"))
    return order if held else lanes
