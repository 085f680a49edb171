"""In which order, and how far, a thread's registers step through a tensor.

For #ttg.blocked with sizePerThread = [2, 4] and order = [1, 0], register bits 0 and 1 step along
dimension 1 and bit 2 along dimension 0. So the order of dimensions is (1, 0), and a thread holds 4
neighbours along dimension 1 in each of 2 rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from weft.layouts.encodings import BlockedEncoding, Encoding, LinearEncoding
from weft.layouts.linear_layout import LinearLayout

__all__ = ["contiguous_per_thread", "dimension_order", "memory_order", "transposed_in_thread"]


@lru_cache(maxsize=16384)
def dimension_order(
    layout: LinearLayout, in_dim: str = "register", default: Sequence[int] | None = None
) -> tuple[int, ...]:
    """List the dimensions in the order in which the bits of an in-dimension first step there.

    Args:
        layout: the layout of a tensor.
        in_dim: the in-dimension.
        default: the order of dimensions along which no bit steps; the last one first by default.
    """
    rank = len(layout.outs)
    order: list[int] = []
    for image in layout.images(in_dim) if in_dim in layout.in_dims else ():
        dim = next((d for d, entry in enumerate(layout.unpack(image)) if entry), None)
        if dim is not None and dim not in order:
            order.append(dim)
    rest = range(rank - 1, -1, -1) if default is None else default
    return (*order, *(dim for dim in rest if dim not in order))


@lru_cache(maxsize=16384)
def contiguous_per_thread(layout: LinearLayout) -> tuple[int, ...]:
    """Count the neighbours along each dimension that a thread's registers hold in a row.

    The count goes through the dimensions in the order of the registers, as long as each register
    bit doubles the run.
    """
    counts = [1] * len(layout.outs)
    steps = [layout.unpack(image) for image in layout.images("register")]
    bit = 0
    for dim in dimension_order(layout):
        while bit < len(steps) and steps[bit] == _step(len(counts), dim, counts[dim]):
            counts[dim] *= 2
            bit += 1
    return tuple(counts)


def _step(rank: int, dim: int, size: int) -> tuple[int, ...]:
    """Return the basis vector that steps by `size` along one dimension."""
    return tuple(size if d == dim else 0 for d in range(rank))


@lru_cache(maxsize=4096)
def transposed_in_thread(encoding: BlockedEncoding, shape: tuple[int, ...]) -> LinearEncoding:
    """Compute the layout in which each thread holds the same elements in transposed order.

    The last two dimensions of the order are exchanged for the tile that a thread holds at once.
    Repetitions of the tile, lanes and warps do not change.
    """
    order = (*encoding.order[:-2], encoding.order[-1], encoding.order[-2])
    tile = [
        _step(len(order), dim, 1 << bit)
        for dim in order
        for bit in range(encoding.size_per_thread[dim].bit_length() - 1)
    ]
    layout = encoding.linear(shape)
    vectors = {name: tuple(map(layout.unpack, images)) for name, images in layout.ins}
    register = (*tile, *vectors["register"][len(tile) :])
    return LinearEncoding(register, vectors["lane"], vectors["warp"], vectors["block"])


@lru_cache(maxsize=16384)
def memory_order(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Choose the order of dimensions in which a tensor of this encoding is stored in memory.

    It is the order of the registers; but that of the lanes if a thread holds one element only
    along the lanes' fastest dimension. As in Triton's getOrderForMemory, registers that hold the
    same element count for the dimension of the register bit before, or for dimension 0.
    """
    layout = encoding.linear(shape)
    order = dimension_order(layout)
    lane_order = dimension_order(layout, "lane", order)
    if order == lane_order:
        return order
    dim, dims = 0, set[int]()
    for image in layout.images("register"):
        dim = next((d for d, entry in enumerate(layout.unpack(image)) if entry), dim)
        dims.add(dim)
    return order if lane_order[0] in dims else lane_order
