"""Outputs of inputs, and tables of all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests.layouts.linear_layout.points import SQUARE, image, points, small, split
from tests.layouts.strategies import layouts
from weft.layouts import LinearLayout


@given(small())
def test_apply_adds_the_bases_of_the_bits(layout: LinearLayout) -> None:
    for point in points(layout.in_dims):
        assert layout.apply(point) == image(layout, point)


@given(small())
def test_tables_agree_with_apply(layout: LinearLayout) -> None:
    table, packed = layout.table(), layout.packed_table()
    grids = np.indices(list(layout.in_dims.values()))
    coordinates = layout.apply(dict(zip(layout.in_dims, grids, strict=True)))
    assert table.shape == (*layout.in_dims.values(), len(layout.outs))
    for d, name in enumerate(layout.out_dims):
        assert (table[..., d] == coordinates[name]).all()
    for number in {0, packed.size - 1, packed.size // 2}:
        point = split(number, layout.in_dims)
        assert tuple(layout.apply(point).values()) == layout.unpack(int(packed[number]))


@given(layouts())
def test_the_matrix_multiplies(layout: LinearLayout) -> None:
    bits = np.arange(layout.in_bits) % 2
    product = layout.matrix().astype(int) @ bits % 2
    expected = 0
    for bit, column in zip(bits, layout.columns, strict=True):
        expected ^= column if bit else 0
    assert [expected >> b & 1 for b in range(layout.out_bits)] == product.tolist()


def test_arrays_broadcast() -> None:
    rows = SQUARE.apply({"register": np.arange(4)[None, :], "lane": np.arange(4)[:, None]})
    assert (rows["dim1"] == np.arange(4)[None, :] ^ np.arange(4)[:, None]).all()
    assert (SQUARE.apply({"register": np.arange(4), "lane": 0})["dim0"] == 0).all()
    assert LinearLayout.empty().table().shape == (0,)
    empty = SQUARE.apply({"register": np.empty(0, np.int64), "lane": 0})
    assert empty["dim0"].shape == (0,)


def test_a_large_table_is_computed_anew() -> None:
    layout = LinearLayout.identity_1d(1 << 17, "r", "a")
    assert layout.packed_table() is not layout.packed_table()
    assert (layout.packed_table() == np.arange(1 << 17)).all()
    small_table = LinearLayout.identity_1d(1 << 16, "r", "a")
    assert small_table.packed_table() is small_table.packed_table()
