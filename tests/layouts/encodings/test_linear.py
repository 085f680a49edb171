"""`#ttg.linear` on its own shape and on others."""

from __future__ import annotations

import math

from hypothesis import given

from tests.layouts.strategies import encoded_shapes
from weft.layouts import BlockedEncoding, LinearEncoding
from weft.layouts.inference import linear_encoding


@given(encoded_shapes())
def test_linear_has_the_layout_of_blocked(case: tuple[BlockedEncoding, tuple[int, ...]]) -> None:
    encoding, shape = case
    if math.prod(shape) > 1:
        assert linear_encoding(encoding.linear(shape)).linear(shape) is encoding.linear(shape)


def test_a_larger_shape_repeats_in_the_order_of_the_registers() -> None:
    rows_first = LinearEncoding(((1, 0), (0, 1)), ((2, 0),), (), ())
    assert rows_first.linear((8, 4)).bases["register"] == [[1, 0], [0, 1], [4, 0], [0, 2]]
    columns_first = LinearEncoding(((0, 1), (1, 0)), ((2, 0),), (), ())
    assert columns_first.linear((8, 4)).bases["register"] == [[0, 1], [1, 0], [0, 2], [4, 0]]


def test_a_smaller_shape_drops_registers_and_wraps_lanes() -> None:
    encoding = LinearEncoding(((0, 1), (1, 0)), ((2, 0), (0, 2)), (), ())
    bases = encoding.linear((1, 2)).bases
    assert bases["register"] == [[0, 1]]
    assert bases["lane"] == [[0, 0], [0, 0]]


def test_the_rank_is_that_of_any_vector() -> None:
    assert LinearEncoding((), (), ((1, 0, 0),), ()).rank == 3
