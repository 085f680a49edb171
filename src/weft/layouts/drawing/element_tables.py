"""Tables of a layout: which element each place of the hardware holds, and who holds each element.

An element is a number, its index in row-major order, so that the table of an in-dimension is built
by doubling, and the tables of several in-dimensions combine by XOR. For a 2x4 tensor whose lane 1
holds (1, 0), which is element 4:

    table of lane      0, 4
    table of register  0, 1, 2, 3      register 3 of lane 1 holds element 4 ^ 3 = 7 = (1, 3)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from weft.errors import LayoutError
from weft.layouts.linear_layout import LinearLayout

__all__ = [
    "DISTRIBUTED",
    "SHARED",
    "coordinates",
    "coordinates_text",
    "elements_of",
    "holders",
    "is_distributed",
    "is_shared",
    "place_dims",
    "shape_of",
]

# The in-dimensions, slowest first, in the order in which places are listed.
DISTRIBUTED = ("block", "warp", "lane", "register")
SHARED = ("block", "offset")

# A listing of more places takes minutes, and is too long to read.
MAX_PLACES = 1 << 22


def is_distributed(layout: LinearLayout) -> bool:
    """Check whether the layout distributes a tensor over the registers of threads."""
    dims = set(layout.in_dims)
    return bool(dims & {"register", "lane"}) and dims <= set(DISTRIBUTED)


def is_shared(layout: LinearLayout) -> bool:
    """Check whether the layout places a tensor in shared memory."""
    return "offset" in layout.in_dims and set(layout.in_dims) <= set(SHARED)


def place_dims(layout: LinearLayout) -> tuple[str, ...]:
    """List the in-dimensions that name a place, slowest first.

    They are those of registers or of shared memory if the layout is one of these, also where it
    lacks some.
    """
    if is_distributed(layout):
        return DISTRIBUTED
    return SHARED if is_shared(layout) else tuple(reversed(layout.in_dims))


def shape_of(layout: LinearLayout) -> tuple[int, ...]:
    """Return the shape of the tensor."""
    return tuple(layout.out_dims.values())


def coordinates(element: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the coordinates of a row-major index."""
    entries: list[int] = []
    for size in reversed(shape):
        entries.append(element % size)
        element //= size
    return tuple(reversed(entries))


def coordinates_text(element: int, shape: Sequence[int]) -> str:
    """Return the coordinates of a row-major index as "(row, column)"."""
    return f"({', '.join(map(str, coordinates(element, shape)))})"


def elements_of(layout: LinearLayout, dim: str) -> list[int]:
    """List the contribution of each value of an in-dimension to the element, [0] if absent."""
    if dim not in layout.in_dims:
        return [0]
    shape = shape_of(layout)
    weights = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    table = [0]
    for vector in layout.bases[dim]:
        image = sum(entry * weight for entry, weight in zip(vector, weights, strict=True))
        table += [element ^ image for element in table]
    return table


def holders(layout: LinearLayout) -> list[list[tuple[int, ...]]]:
    """List for each element, in row-major order, the places that hold it.

    A place has one number per dimension of `place_dims`; the places of an element are in order.

    Raises:
        LayoutError: the layout has too many places to list.
    """
    count = math.prod(layout.in_dims.values())
    if count > MAX_PLACES:
        raise LayoutError(
            "the layout has too many places to list one by one",
            found=count,
            accepted=[f"at most {MAX_PLACES}"],
        )
    places: list[list[tuple[int, ...]]] = [[] for _ in range(math.prod(shape_of(layout)))]
    tables = [list(enumerate(elements_of(layout, dim))) for dim in place_dims(layout)]
    for combination in product(*tables):
        element = 0
        for _, image in combination:
            element ^= image
        places[element].append(tuple(index for index, _ in combination))
    return places
