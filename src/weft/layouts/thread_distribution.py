"""How a distributed encoding divides a tensor, for encodings of every kind.

    #mma = #ttg.nvidia_mma<{versionMajor = 2, …, warpsPerCTA = [2, 2], instrShape = [16, 8]}>

of a tensor of 64x64:

    threads_per_warp (8, 4)    thread_order (1, 0)    size_per_thread    (2, 2)
    warps_per_cta    (2, 2)    warp_order   (1, 0)    shape_per_cta_tile (32, 16)

Only a blocked encoding lists these numbers as fields. The functions count basis vectors of the
linear layout instead, so that the answers are of one kind for blocked, mma, slice, dot_op and
linear encodings. A basis that is 0 (lanes or warps that hold the same elements) does not count.
The answers therefore depend on the shape: four warps that hold one and the same element are
warps_per_cta (1,). Triton's names are getThreadsPerWarp, getThreadOrder and so on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from weft.layouts.cga import cta_tile_shape
from weft.layouts.dimension_order import dimension_order
from weft.layouts.encodings import Encoding
from weft.layouts.linear_layout import LinearLayout

__all__ = [
    "shape_per_cta_tile",
    "size_per_thread",
    "thread_order",
    "threads_per_warp",
    "warp_order",
    "warps_per_cta",
]


def threads_per_warp(encoding: Encoding, shape: Sequence[int]) -> tuple[int, ...]:
    """Count the lanes of a warp that hold different elements, per dimension.

    Args:
        encoding: a distributed encoding.
        shape: the shape of the tensor.
    """
    return _counts(_distributed(encoding, shape), "lane")


def warps_per_cta(encoding: Encoding, shape: Sequence[int]) -> tuple[int, ...]:
    """Count the warps of a CTA that hold different elements, per dimension.

    Args:
        encoding: a distributed encoding.
        shape: the shape of the tensor.
    """
    return _counts(_distributed(encoding, shape), "warp")


def thread_order(encoding: Encoding, shape: Sequence[int]) -> tuple[int, ...]:
    """List the dimensions in the order in which the lanes of a warp step along them.

    Dimensions along which no lane steps follow in the order of the registers.

    Args:
        encoding: a distributed encoding.
        shape: the shape of the tensor.
    """
    return _order(_distributed(encoding, shape), "lane")


def warp_order(encoding: Encoding, shape: Sequence[int]) -> tuple[int, ...]:
    """List the dimensions in the order in which the warps of a CTA step along them.

    Dimensions along which no warp steps follow in the order of the registers.

    Args:
        encoding: a distributed encoding.
        shape: the shape of the tensor.
    """
    return _order(_distributed(encoding, shape), "warp")


def size_per_thread(encoding: Encoding, shape: Sequence[int]) -> tuple[int, ...]:
    """Count the elements that a thread holds in one tile, per dimension.

    Further registers repeat the tile over the tensor. They are the last bases that halve the part
    of a CTA, dimension after dimension:

        registers (0, 1), (8, 0), (0, 16), (0, 32), (32, 0)    of 64x64

    The last three are repetitions: two along dimension 1, one along dimension 0.

    Args:
        encoding: a distributed encoding.
        shape: the shape of the tensor.
    """
    layout = _distributed(encoding, shape)
    bases = [layout.unpack(image) for image in layout.images("register")]
    extents = list(cta_tile_shape(layout))
    repeated: list[int] = []  # dimensions of the repetitions, the slowest one first
    while bases:
        dim = _dimension(bases[-1])
        if dim is None:
            break
        if dim not in repeated:
            repeated.append(dim)
        # Repetitions of one dimension are next to each other; a basis elsewhere is of the tile.
        if dim != repeated[-1] or 2 * bases[-1][dim] != extents[dim]:
            break
        extents[dim] //= 2
        bases.pop()
    return _product_per_dimension(bases, len(extents))


def shape_per_cta_tile(encoding: Encoding, shape: Sequence[int]) -> tuple[int, ...]:
    """Compute the shape that the threads of a CTA hold at once, before registers repeat it.

    Args:
        encoding: a distributed encoding.
        shape: the shape of the tensor.
    """
    factors = (
        query(encoding, shape) for query in (size_per_thread, threads_per_warp, warps_per_cta)
    )
    return tuple(math.prod(sizes) for sizes in zip(*factors, strict=True))


def _distributed(encoding: Encoding, shape: Sequence[int]) -> LinearLayout:
    """Compute the linear layout of a distributed encoding.

    Raises:
        LayoutError: the encoding is not one of registers.
    """
    if encoding.family != "distributed":
        raise encoding.error("is not a distributed encoding", found=str(encoding))
    return encoding.linear(shape)


def _order(layout: LinearLayout, in_dim: str) -> tuple[int, ...]:
    return dimension_order(layout, in_dim, dimension_order(layout))


def _counts(layout: LinearLayout, in_dim: str) -> tuple[int, ...]:
    bases = map(layout.unpack, layout.images(in_dim))
    return _product_per_dimension(bases, len(layout.outs))


def _product_per_dimension(bases: Iterable[Sequence[int]], rank: int) -> tuple[int, ...]:
    """Double the count of a dimension for each basis vector along it."""
    counts = [1] * rank
    for basis in bases:
        dim = _dimension(basis)
        if dim is not None:
            counts[dim] *= 2
    return tuple(counts)


def _dimension(basis: Sequence[int]) -> int | None:
    """Find the first dimension along which a basis vector steps; None if it is 0."""
    return next((dim for dim, entry in enumerate(basis) if entry), None)
