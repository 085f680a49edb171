"""Basis vectors in every spelling, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.layouts.strategies import layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout
from weft.layouts.basis_vectors import log2, order_of_use

BASES = {"register": [[0, 1], [0, 2]], "lane": [[1, 1], [2, 2]]}
OUTS = {"dim0": 4, "dim1": 4}
LAYOUT = LinearLayout.from_bases(BASES, OUTS)


@pytest.mark.parametrize(
    "bases",
    [
        {name: tuple(map(tuple, vectors)) for name, vectors in BASES.items()},
        {name: iter(vectors) for name, vectors in BASES.items()},
        {name: np.array(vectors) for name, vectors in BASES.items()},
        {name: [np.array(vector, np.uint8) for vector in v] for name, v in BASES.items()},
        {name: [[float(e) for e in vector] for vector in v] for name, v in BASES.items()},
        {"register": [(0, True), (False, 2)], "lane": [(True, 1), (2, 2)]},
    ],
)
def test_spellings(bases) -> None:
    layout = LinearLayout.from_bases(bases, OUTS)
    assert layout is LAYOUT
    assert {type(image) for _, images in layout.ins for image in images} == {int}


def test_omitted_sizes_are_the_smallest() -> None:
    assert LinearLayout.from_bases(BASES, ["dim0", "dim1"]) is LAYOUT
    arrays = {name: np.array(vectors) for name, vectors in BASES.items()}
    assert LinearLayout.from_bases(arrays, ("dim0", "dim1")) is LAYOUT


@given(layouts())
def test_any_number_of_dimensions(layout: LinearLayout) -> None:
    """One, two and more out-dimensions are packed by different code."""
    wide = {n: [(0, *v, 0) for v in vectors] for n, vectors in layout.bases.items()}
    outs = {"first": 2, **layout.out_dims, "last": 4096}
    layout = LinearLayout.from_bases(wide, outs, surjective=False)
    assert layout.bases == {n: [list(v) for v in vectors] for n, vectors in wide.items()}


def test_a_layout_does_not_depend_on_later_changes_of_its_bases() -> None:
    bases = {name: [list(vector) for vector in vectors] for name, vectors in BASES.items()}
    outs = dict(OUTS)
    assert LinearLayout.from_bases(bases, outs) is LAYOUT
    bases["lane"][1][1] = 0
    assert LAYOUT.bases == BASES
    changed = LinearLayout.from_bases(bases, outs)
    assert changed.bases["lane"] == [[1, 1], [2, 0]]
    bases["lane"][1][1] = 2
    outs["dim1"] = 8
    assert LinearLayout.from_bases(bases, outs, surjective=False).out_dims == outs
    assert LAYOUT.out_dims == OUTS


def test_the_order_of_dimensions_is_that_of_the_dictionaries() -> None:
    bases = {name: BASES[name] for name in ("lane", "register")}
    assert list(LinearLayout.from_bases(bases, OUTS).in_dims) == ["lane", "register"]
    outs = {"dim1": 4, "dim0": 4}
    assert list(LinearLayout.from_bases(BASES, outs).out_dims) == ["dim1", "dim0"]


def test_a_layout_that_is_not_surjective_is_refused_each_time() -> None:
    bases, outs = {"lane": [[2]]}, {"dim0": 4}
    for _ in range(3):
        assert LinearLayout.from_bases(bases, outs, surjective=False).rank == 1
        with pytest.raises(LayoutError, match="the layout is not surjective"):
            LinearLayout.from_bases(bases, outs)


@pytest.mark.parametrize(
    ("vectors", "rank", "order"),
    [
        ([(0, 1), (1, 0)], 2, (1, 0)),
        ([(0, 0, 2), (4, 0, 0)], 3, (2, 0, 1)),
        ([(1, 1)], 2, (0, 1)),
        ([(0, 0)], 2, (1, 0)),
        ([], 3, (2, 1, 0)),
    ],
)
def test_the_order_of_use(vectors, rank: int, order: tuple[int, ...]) -> None:
    assert order_of_use(vectors, rank) == order


@pytest.mark.parametrize(("size", "bits"), [(1, 0), (2, 1), (1024, 10)])
def test_logarithms(size: int, bits: int) -> None:
    assert log2(size, "x") == bits


@pytest.mark.parametrize(
    ("bases", "outs", "message"),
    [
        ({"r": [[0.5]]}, {"a": 2}, "a basis vector of r must hold integers"),
        ({"r": [["1"]]}, {"a": 2}, "a basis vector of r must hold integers"),
        ({"r": [1]}, {"a": 2}, "a basis vector of r must hold integers\n  found: 1"),
        ({"r": [[None]]}, ["a"], "a basis vector of r must hold integers"),
        ({"r": [[float("inf")]]}, ["a"], "a basis vector of r must hold integers"),
        ({"r": [[1, 0]]}, ["a"], "a basis vector of r must have 1 entries"),
        ({"r": [[1, 2]]}, {"a": 2}, "a basis vector of r must have 1 entries\n  found: [1, 2]"),
        ({"r": [[1]]}, {"a": 2, "b": 2}, "a basis vector of r must have 2 entries"),
        ({"r": [[-1, 0]]}, {"a": 2, "b": 2}, "must stay below the size 2 of a\n  found: -1"),
        ({"r": [[0, 2]]}, {"a": 2, "b": 2}, "must stay below the size 2 of b\n  found: 2"),
        ({"r": [[4096]]}, {"a": 4096}, "must stay below the size 4096 of a\n  found: 4096"),
        ({"r": [[0]]}, {"a": 3}, "the size of a must be a power of two\n  found: 3"),
        ({"r": []}, {"a": 0}, "the size of a must be a power of two\n  found: 0"),
        ({"r": []}, {"a": 2.0}, "the size of a must be a power of two"),
        ({"r": []}, {"a": "2"}, "the size of a must be a power of two"),
    ],
)
def test_refuses(bases, outs, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        LinearLayout.from_bases(bases, outs)
    assert message in str(caught.value)
