"""Constructors, reading and text of LinearLayout."""

from __future__ import annotations

import copy
import itertools
import pickle

import pytest
from hypothesis import given

from tests.layouts.strategies import layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout

SWIZZLE = LinearLayout.from_bases(
    {"register": [(0, 1), (0, 2)], "lane": [(1, 1), (2, 2)]}, ["dim0", "dim1"]
)


def test_equal_means_identical() -> None:
    again = LinearLayout.from_bases(
        {"register": [[0, 1], [0, 2]], "lane": [[1, 1], [2, 2]]}, {"dim0": 4, "dim1": 4}
    )
    assert again is SWIZZLE
    assert pickle.loads(pickle.dumps(SWIZZLE)) is SWIZZLE
    assert copy.deepcopy(SWIZZLE) is SWIZZLE


def test_apply_adds_the_images_of_the_bits() -> None:
    assert SWIZZLE.apply({"register": 3, "lane": 2}) == {"dim0": 2, "dim1": 1}


def test_text() -> None:
    assert str(SWIZZLE) == (
        "\n - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - lane=1 -> (1, 1)\n"
        "   lane=2 -> (2, 2)\nwhere out dims are: [dim0 (size 4), dim1 (size 4)]"
    )
    assert str(LinearLayout.empty()) == "\n(empty layout)"
    assert "register is a size 1 dimension" in str(LinearLayout.identity_1d(1, "register", "d"))


@given(layouts())
def test_it_is_linear(layout: LinearLayout) -> None:
    names = list(layout.in_dims)
    points = list(itertools.product(*(range(min(size, 4)) for size in layout.in_dims.values())))
    for a, b in itertools.product(points[:6], points[-6:]):
        both = [x ^ y for x, y in zip(a, b, strict=True)]
        one, two, three = (
            layout.apply(dict(zip(names, point, strict=True))) for point in (a, b, both)
        )
        assert three == {name: one[name] ^ two[name] for name in one}


@given(layouts())
def test_bases_build_the_layout_again(layout: LinearLayout) -> None:
    assert LinearLayout.from_bases(layout.bases, layout.out_dims, surjective=False) is layout


@given(layouts())
def test_free_bits_are_those_that_the_rank_does_not_need(layout: LinearLayout) -> None:
    free = layout.free_variable_masks()
    assert sum(mask.bit_count() for mask in free.values()) == layout.in_bits - layout.rank
    kept = {
        name: [v for bit, v in enumerate(layout.bases[name]) if not free[name] >> bit & 1]
        for name in layout.in_dims
    }
    assert LinearLayout.from_bases(kept, layout.out_dims, surjective=False).rank == layout.rank


@given(layouts())
def test_reached_outputs_are_as_many_as_the_rank_says(layout: LinearLayout) -> None:
    reached = {0}
    for column in layout.columns:
        reached |= {point ^ column for point in reached}
    assert len(reached) == 1 << layout.rank
    assert layout.is_surjective == (len(reached) == 1 << layout.out_bits)
    assert layout.is_injective == (len(reached) == 1 << layout.in_bits)


def test_strided_and_zeros() -> None:
    assert LinearLayout.strided_1d(4, 2, "r", "d").bases == {"r": [[2], [4]]}
    assert LinearLayout.strided_1d(4, 2, "r", "d").out_dims == {"d": 8}
    assert LinearLayout.zeros_1d(4, "r", "d", 2).bases == {"r": [[0], [0]]}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearLayout.identity_1d(3, "r", "d"), "the size of r must be a power of two"),
        (lambda: LinearLayout.strided_1d(4, 3, "r", "d"), "the stride must be a power of two"),
        (
            lambda: LinearLayout.from_bases({"r": [[1, 2, 3]]}, ["a", "b"]),
            "a basis vector of r must have 2 entries",
        ),
        (
            lambda: LinearLayout.from_bases({"r": [[4]]}, {"a": 4}),
            "a basis vector of r must stay below the size 4 of a",
        ),
        (lambda: LinearLayout.from_bases({"r": [[2]]}, ["a"]), "the bases must reach every output"),
        (lambda: SWIZZLE.apply({"register": 4, "lane": 0}), "register must be in 0..3"),
        (lambda: SWIZZLE.apply({"register": 0, "lane": 0, "x": 0}), "no in-dimension x"),
        (lambda: SWIZZLE.images("warp"), "no in-dimension warp"),
        (lambda: SWIZZLE.transpose_ins(["lane"]), "the order must name each in-dimension once"),
        (lambda: SWIZZLE.transpose_outs(["dim0"]), "the order must name each out-dimension once"),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
