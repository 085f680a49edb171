"""The CTAs of a cluster from numbers per dimension; the expected values are of Triton 3.7.1."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import cta_split


@pytest.mark.parametrize(
    ("ctas", "splits", "order", "expected"),
    [
        ([1], [1], [0], ()),
        ([4], [2], [0], ((1,), (0,))),
        ([2, 2], [2, 2], [1, 0], ((0, 1), (1, 0))),
        ([2, 2], [2, 2], [0, 1], ((1, 0), (0, 1))),
        ([2, 2], [2, 1], [1, 0], ((0, 0), (1, 0))),
        ([2, 4], [1, 4], [0, 1], ((0, 0), (0, 1), (0, 2))),
        ([1, 2], [1, 1], [1, 0], ((0, 0),)),
    ],
)
def test_cta_split(ctas, splits, order, expected):
    assert cta_split(ctas, splits, order) == expected


@pytest.mark.parametrize(
    ("ctas", "splits", "order", "message"),
    [
        ([], [], [], "must have the same dimensions"),
        ([2, 1], [2], [1, 0], "must have the same dimensions"),
        ([2, 1], [2, 1], [1, 1], "must have the same dimensions"),
        ([3], [1], [0], "must be powers of two"),
        ([2], [4], [0], "the second not above the first"),
    ],
)
def test_numbers_that_do_not_fit(ctas, splits, order, message):
    with pytest.raises(LayoutError, match=message):
        cta_split(ctas, splits, order)
