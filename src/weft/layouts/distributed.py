"""Which threads hold an element, by the definition that predates linear layouts.

A grid L of thread numbers is laid over the tensor A. If A is larger, the grid repeats; if the grid
is larger, it wraps around, and several threads hold one element. For each dimension d,

    L(A)[i] = { L[(i_d + k_d * A.shape[d]) % L.shape[d]] }

for k_d = 0 and for each k_d with i_d + k_d * A.shape[d] < L.shape[d]. A tensor of 2x8 under a
row-major grid of 4x4 threads:

    {0, 8}  {1, 9}  {2, 10} {3, 11} {0, 8}  {1, 9}  {2, 10} {3, 11}
    {4, 12} {5, 13} {6, 14} {7, 15} {4, 12} {5, 13} {6, 14} {7, 15}

Linear layouts agree with this for blocked encodings, and also say which register it is; `holders`
computes the same sets from a linear layout. Source: the definition of distributed encodings in
Triton's TritonGPUAttrDefs.td.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weft.errors import LayoutError
from weft.layouts.encodings import BlockedEncoding
from weft.layouts.linear_layout import LinearLayout

__all__ = ["distribute", "holders", "thread_grid"]


def distribute(grid: NDArray[np.integer], shape: Sequence[int]) -> NDArray[np.object_]:
    """List, for each element, the threads that a grid assigns to it, sorted.

    Args:
        grid: thread numbers.
        shape: the shape of the tensor, with as many dimensions as the grid.
    """
    if len(shape) != grid.ndim:
        raise LayoutError(
            f"the shape must have {grid.ndim} dimensions, as the grid has",
            found="x".join(map(str, shape)),
        )
    threads = np.empty(tuple(shape), dtype=object)
    for index in np.ndindex(*shape):
        # Per dimension, the places in the grid that lie on this element.
        places = [
            sorted({i % size, *range(i, size, extent)})
            for i, extent, size in zip(index, shape, grid.shape, strict=True)
        ]
        threads[index] = tuple(sorted({int(grid[at]) for at in itertools.product(*places)}))
    return threads


def thread_grid(encoding: BlockedEncoding) -> NDArray[np.int64]:
    """Compute the grid of a blocked encoding: thread w * lanes + l of one CTA at each place."""
    sizes, lanes, warps = (
        encoding.size_per_thread,
        encoding.threads_per_warp,
        encoding.warps_per_cta,
    )
    extents = [s * t * w for s, t, w in zip(sizes, lanes, warps, strict=True)]
    places = np.indices(extents)
    threads = np.zeros(extents, np.int64)
    weight = 1
    for dim in encoding.order:
        threads += places[dim] // sizes[dim] % lanes[dim] * weight
        weight *= lanes[dim]
    for dim in encoding.order:
        threads += places[dim] // (sizes[dim] * lanes[dim]) % warps[dim] * weight
        weight *= warps[dim]
    return threads


def holders(layout: LinearLayout) -> NDArray[np.object_]:
    """List, for each element, the threads that hold it, sorted.

    Args:
        layout: a layout from register, lane, warp, and a block of size 1.
    """
    by_element: dict[tuple[int, ...], set[int]] = {}
    lanes = layout.in_size("lane")
    table = layout.table()
    for place in np.ndindex(table.shape[:-1]):
        coordinates = dict(zip(layout.in_dims, place, strict=True))
        element = tuple(table[place].tolist())
        by_element.setdefault(element, set()).add(coordinates["warp"] * lanes + coordinates["lane"])
    threads = np.empty(tuple(layout.out_dims.values()), dtype=object)
    for element, numbers in by_element.items():
        threads[element] = tuple(sorted(numbers))
    return threads
