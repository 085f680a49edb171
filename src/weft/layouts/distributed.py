"""The distributed function: who holds an element, as it was said before linear layouts.

A grid L of thread numbers is laid on the tensor A. Where A is larger, the grid repeats; where the
grid is larger, it wraps, and several threads hold one element. For every dimension d,

    L(A)[i] = { L[(i_d + k_d * A.shape[d]) % L.shape[d]] }

for k_d = 0 and for each k_d with i_d + k_d * A.shape[d] < L.shape[d].

A of 2x8 under a grid of 4x4 that counts by rows is held by threads

    {0, 8}  {1, 9}  {2, 10} {3, 11} {0, 8}  {1, 9}  {2, 10} {3, 11}
    {4, 12} {5, 13} {6, 14} {7, 15} {4, 12} {5, 13} {6, 14} {7, 15}

A linear layout says the same of a blocked encoding, and which register besides: `holders` asks it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft.errors import LayoutError
from weft.layouts.encodings import BlockedEncoding
from weft.layouts.linear import LinearLayout

if TYPE_CHECKING:
    import numpy as np

__all__ = ["distribute", "holders", "thread_grid"]


def distribute(grid: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Return for each element the sorted tuple of numbers that the grid gives it.

    Args: grid: numbers of threads.  shape: of the tensor, as many dimensions.
    """
    import numpy as np

    if len(shape) != grid.ndim:
        raise LayoutError(
            f"the shape must have {grid.ndim} dimensions, as the grid has",
            found="x".join(map(str, shape)),
        )
    out = np.empty(tuple(shape), dtype=object)
    for index in np.ndindex(*shape):
        places = [
            sorted({i % size, *range(i, size, extent)})
            for i, extent, size in zip(index, shape, grid.shape, strict=True)
        ]
        out[index] = tuple(sorted({int(grid[at]) for at in itertools.product(*places)}))
    return out


def thread_grid(encoding: BlockedEncoding) -> np.ndarray:
    """Return the grid of a blocked encoding: thread w * lanes + l of one block at each place."""
    import numpy as np

    sizes = (encoding.size_per_thread, encoding.threads_per_warp, encoding.warps_per_cta)
    whole = [s * t * w for s, t, w in zip(*sizes, strict=True)]
    places = np.indices(whole)
    thread = np.zeros(whole, int)
    weight = 1
    for steps, below in ((encoding.threads_per_warp, 0), (encoding.warps_per_cta, 1)):
        for dim in encoding.order:
            inner = sizes[0][dim] * (sizes[1][dim] if below else 1)
            thread += places[dim] // inner % steps[dim] * weight
            weight *= steps[dim]
    return thread


def holders(layout: LinearLayout) -> np.ndarray:
    """Return for each element the sorted tuple of threads that hold it, by its linear layout.

    Args: layout: from register, lane, warp, and a block of one.
    """
    import numpy as np

    found: dict[tuple[int, ...], set[int]] = {}
    lanes = layout.in_size("lane")
    table = layout.table()
    for place in np.ndindex(table.shape[:-1]):
        at = dict(zip(layout.in_dims, place, strict=True))
        found.setdefault(tuple(table[place]), set()).add(at["warp"] * lanes + at["lane"])
    out = np.empty(tuple(layout.out_dims.values()), dtype=object)
    for index, threads in found.items():
        out[index] = tuple(sorted(threads))
    return out
