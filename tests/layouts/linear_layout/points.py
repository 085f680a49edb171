"""Layouts of the tests of LinearLayout, and their outputs by definition, point by point.

The outputs are evaluated from the basis vectors alone: nothing of what is tested takes part.
"""

from __future__ import annotations

import itertools

from hypothesis import assume
from hypothesis import strategies as st

from tests.layouts.strategies import layouts
from weft.layouts import LinearLayout

__all__ = [
    "LINE",
    "PAIR",
    "ROWS",
    "SQUARE",
    "SWIZZLE",
    "Point",
    "image",
    "joined",
    "points",
    "small",
    "split",
]

Point = dict[str, int]

ROWS = LinearLayout.from_bases(
    {"register": [[0, 1], [0, 2]], "lane": [[0, 4], [1, 0], [2, 0]]}, ["dim0", "dim1"]
)
SWIZZLE = LinearLayout.from_bases({"offset": [[0, 1], [0, 2], [1, 1], [2, 2]]}, ["dim0", "dim1"])
SQUARE = LinearLayout.from_bases(
    {"register": [(0, 1), (0, 2)], "lane": [(1, 1), (2, 2)]}, ["dim0", "dim1"]
)
LINE = LinearLayout.identity_1d(4, "r", "a")
PAIR = LinearLayout.from_bases({"r": [[1, 0]], "l": [[0, 1]]}, ["a", "b"])


def points(sizes: dict[str, int]) -> list[Point]:
    """List every input of these sizes."""
    ranges = (range(size) for size in sizes.values())
    return [dict(zip(sizes, numbers, strict=True)) for numbers in itertools.product(*ranges)]


def image(layout: LinearLayout, point: Point) -> Point:
    """Compute the output of an input by XOR of the bases of its bits."""
    output = dict.fromkeys(layout.out_dims, 0)
    for name, vectors in layout.bases.items():
        for bit, vector in enumerate(vectors):
            if point[name] >> bit & 1:
                for dim, entry in zip(output, vector, strict=True):
                    output[dim] ^= entry
    return output


@st.composite
def small(draw: st.DrawFn, *, surjective: bool = False) -> LinearLayout:
    layout = draw(layouts(surjective=surjective))
    assume(layout.in_bits <= 12)
    return layout


def joined(point: Point, sizes: dict[str, int]) -> int:
    """Return the flat number of a point, the first dimension lowest."""
    number, weight = 0, 1
    for name, size in sizes.items():
        number += point[name] * weight
        weight *= size
    return number


def split(number: int, sizes: dict[str, int]) -> Point:
    """Return the point of a flat number."""
    point = {}
    for name, size in sizes.items():
        number, point[name] = divmod(number, size)
    return point
