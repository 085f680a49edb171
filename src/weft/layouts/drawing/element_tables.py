"""A layout as tables: which element each place of the hardware holds, and the other way round.

An element is a number, its index in row-major order, so that the table of an in-dimension is built
by doubling and places combine by XOR. For a 2x4 tensor whose lane 1 holds (1, 0), element 4:

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
    "elements_of",
    "holders",
    "is_distributed",
    "is_shared",
    "places",
    "shape_of",
]

# The in-dimensions, slowest first, in the order in which places are listed.
DISTRIBUTED = ("block", "warp", "lane", "register")
SHARED = ("block", "offset")

# A drawing of more than this is no longer looked at, and takes minutes to make.
MOST_PLACES = 1 << 22


def is_distributed(layout: LinearLayout) -> bool:
    """Return whether the layout spreads a tensor over the registers of threads."""
    return {"register", "lane"} & set(layout.in_dims) != set() and set(layout.in_dims) <= set(
        DISTRIBUTED
    )


def is_shared(layout: LinearLayout) -> bool:
    """Return whether the layout places a tensor in shared memory."""
    return "offset" in layout.in_dims and set(layout.in_dims) <= set(SHARED)


def places(layout: LinearLayout) -> tuple[str, ...]:
    """Return the in-dimensions, slowest first: the usual four or two, or those the layout has."""
    if is_distributed(layout):
        return DISTRIBUTED
    return SHARED if is_shared(layout) else tuple(reversed(layout.in_dims))


def shape_of(layout: LinearLayout) -> tuple[int, ...]:
    """Return the shape of the tensor."""
    return tuple(layout.out_dims.values())


def coordinates(element: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the coordinates of a row-major index."""
    found = []
    for size in reversed(shape):
        found.append(element % size)
        element //= size
    return tuple(reversed(found))


def elements_of(layout: LinearLayout, dim: str) -> list[int]:
    """Return the element that each value of one in-dimension adds, [0] where there is no such."""
    if dim not in layout.in_dims:
        return [0]
    shape = shape_of(layout)
    weights = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    table = [0]
    for vector in layout.bases[dim]:
        image = sum(c * weight for c, weight in zip(vector, weights, strict=True))
        table += [element ^ image for element in table]
    return table


def holders(layout: LinearLayout) -> list[list[tuple[int, ...]]]:
    """Return for each element, in row-major order, the places that hold it.

    A place has one number per name of `places(layout)`; the places of an element are in order.
    Raises: LayoutError where the layout has too many places to list.
    """
    size = math.prod(layout.in_dims.values())
    if size > MOST_PLACES:
        raise LayoutError(
            "the layout has too many places to list one by one",
            found=size,
            accepted=[f"at most {MOST_PLACES}"],
        )
    found: list[list[tuple[int, ...]]] = [[] for _ in range(math.prod(shape_of(layout)))]
    tables = [list(enumerate(elements_of(layout, dim))) for dim in places(layout)]
    for combination in product(*tables):
        element = 0
        for _, image in combination:
            element ^= image
        found[element].append(tuple(index for index, _ in combination))
    return found
