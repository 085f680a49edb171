"""Layouts derived from others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import encoded_shapes, layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout, layout_transforms

FOUR = LinearLayout.identity_1d(4, "register", "dim0")


@given(encoded_shapes(), st.data())
def test_reshape_keeps_the_count_of_elements(case, data: st.DataObject) -> None:
    encoding, shape = case
    layout = encoding.linear(shape)
    cut = data.draw(st.integers(0, layout.out_bits))
    other = (1 << cut, 1 << (layout.out_bits - cut))
    moved = layout_transforms.reshape_row_major(layout, other)
    before = np.ravel_multi_index(tuple(np.moveaxis(layout.table(), -1, 0)), shape)
    after = np.ravel_multi_index(tuple(np.moveaxis(moved.table(), -1, 0)), other)
    assert (before == after).all()


@given(layouts(), st.data())
def test_transpose_moves_coordinates(layout: LinearLayout, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(layout.outs))))
    moved = layout_transforms.transpose(layout, order)
    assert (moved.table() == layout.table()[..., order]).all()
    for dim in range(len(layout.outs)):
        result = layout_transforms.remove_dimension(layout, dim)
        assert (result.table() == np.delete(layout.table(), dim, axis=-1)).all()
        assert list(result.out_shifts) == list(layout.out_shifts)[:-1]


@given(layouts())
def test_zeros(layout: LinearLayout) -> None:
    assert not layout_transforms.zeros_like(layout).table().any()
    assert layout_transforms.is_square_identity(layout, layout, ["register", "lane"])


def test_square_identity() -> None:
    other = LinearLayout.from_bases({"register": [[2], [1]]}, ["dim0"])
    assert not layout_transforms.is_square_identity(FOUR, other, ["register"])


def test_broadcast_as() -> None:
    other = LinearLayout.from_bases({"register": [[1], [0], [2]]}, ["dim0"])
    assert layout_transforms.broadcast_as(FOUR, other, "register").bases == {
        "register": [[1], [0], [2]]
    }
    with pytest.raises(LayoutError, match="register must have as many bits"):
        layout_transforms.broadcast_as(FOUR, FOUR * FOUR, "register")


def test_repetitions() -> None:
    tile = LinearLayout.identity_1d(2, "register", "dim0")
    count = layout_transforms.repetitions(FOUR, tile)
    assert count is not None
    assert count.bases == {"register": [[0], [2]]}
    assert (
        layout_transforms.repetitions(FOUR, LinearLayout.strided_1d(2, 2, "register", "dim0"))
        is None
    )
    assert (
        layout_transforms.repetitions(FOUR, LinearLayout.identity_1d(8, "register", "dim0")) is None
    )
    assert layout_transforms.repetitions(FOUR, LinearLayout.identity_1d(2, "lane", "dim0")) is None
    mixed = LinearLayout.from_bases({"register": [[1], [3]]}, ["dim0"])
    assert layout_transforms.repetitions(mixed, tile) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: layout_transforms.reshape_row_major(FOUR, (3,)),
            "the new shape must have 4 elements",
        ),
        (
            lambda: layout_transforms.transpose(FOUR, (1,)),
            "the order must be a permutation of 0..0",
        ),
        (lambda: layout_transforms.remove_dimension(FOUR, 1), "the dimension must be in 0..0"),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
