"""apply on ints and arrays, and whole tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.layouts.strategies import layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout

SWIZZLE = LinearLayout.from_bases(
    {"register": [(0, 1), (0, 2)], "lane": [(1, 1), (2, 2)]}, ["dim0", "dim1"]
)


@given(layouts())
def test_tables_hold_what_apply_says(layout: LinearLayout) -> None:
    table, packed = layout.table(), layout.packed_table()
    grids = np.indices(list(layout.in_dims.values()))
    found = layout.apply(dict(zip(layout.in_dims, grids, strict=True)))
    assert table.shape == (*layout.in_dims.values(), len(layout.outs))
    for d, name in enumerate(layout.out_dims):
        assert (table[..., d] == found[name]).all()
    for index in {0, packed.size - 1, packed.size // 2}:
        point, rest = {}, index
        for name, size in layout.in_dims.items():
            point[name] = rest % size
            rest //= size
        assert tuple(layout.apply(point).values()) == layout.unpack(int(packed[index]))


@given(layouts())
def test_the_matrix_multiplies(layout: LinearLayout) -> None:
    bits = np.arange(layout.in_bits) % 2
    image = layout.matrix().astype(int) @ bits % 2
    expected = 0
    for bit, column in zip(bits, layout.columns, strict=True):
        expected ^= column if bit else 0
    assert [expected >> b & 1 for b in range(layout.out_bits)] == image.tolist()


def test_arrays_broadcast() -> None:
    found = SWIZZLE.apply({"register": np.arange(4)[None, :], "lane": np.arange(4)[:, None]})
    assert (found["dim1"] == np.arange(4)[None, :] ^ np.arange(4)[:, None]).all()
    assert (SWIZZLE.apply({"register": np.arange(4), "lane": 0})["dim0"] == 0).all()
    assert LinearLayout.empty().table().shape == (0,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SWIZZLE.apply({"register": np.array([4]), "lane": 0}), "register must be in 0..3"),
        (lambda: SWIZZLE.apply({"register": np.array([0])}), "lane must be in 0..3"),
        (lambda: SWIZZLE.apply({"register": np.array([0.5]), "lane": 0}), "must hold integers"),
        (lambda: LinearLayout.zeros_1d(1 << 29, "r", "a").table(), "at most 2^28 inputs"),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a", 1 << 63).apply({"r": np.array([0])}),
            "coordinates of at most 62 bits",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
