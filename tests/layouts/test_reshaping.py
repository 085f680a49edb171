"""Laws of transposing, reshaping and cutting."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.layouts.strategies import layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout

SQUARE = LinearLayout.from_bases(
    {"register": [(0, 1), (0, 2)], "lane": [(1, 0), (2, 0)]}, ["dim0", "dim1"]
)


@given(layouts())
def test_flattening_and_splitting_again_is_nothing(layout: LinearLayout) -> None:
    flat = layout.reshape_outs({"flat": 1 << layout.out_bits})
    assert flat.columns == layout.columns
    assert flat.reshape_outs(layout.out_dims) is layout
    line = layout.reshape_ins({"point": 1 << layout.in_bits})
    assert line.reshape_ins(layout.in_dims) is layout


@given(layouts())
def test_transposing_there_and_back_is_nothing(layout: LinearLayout) -> None:
    outs, ins = list(layout.out_dims), list(layout.in_dims)
    turned = layout.transpose_outs(outs[::-1]).transpose_ins(ins[::-1])
    assert turned.transpose_outs(outs).transpose_ins(ins) is layout
    point = {name: size - 1 for name, size in layout.in_dims.items()}
    assert turned.apply(point) == layout.apply(point)


@given(layouts())
def test_a_sublayout_says_what_the_layout_says(layout: LinearLayout) -> None:
    name, out = next(iter(layout.in_dims)), next(iter(layout.out_dims))
    part = layout.sublayout([name], [out])
    rest = {other: 0 for other in layout.in_dims}
    for value in range(layout.in_dims[name]):
        assert part.apply({name: value})[out] == layout.apply({**rest, name: value})[out]


def test_resizing() -> None:
    assert SQUARE.resize_in("lane", 2).in_dims == {"register": 4, "lane": 2}
    assert SQUARE.resize_out("dim1", 2).bases["register"] == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SQUARE.reshape_outs({"a": 8}), "the new out-dimensions must have 16 values"),
        (lambda: SQUARE.reshape_ins({"a": 8}), "the new in-dimensions must have 16 values"),
        (lambda: SQUARE.resize_in("lane", 8), "lane can only shrink: its size is 4"),
        (lambda: SQUARE.resize_out("dim1", 8), "dim1 can only shrink: its size is 4"),
        (lambda: SQUARE.resize_out("x", 8), "no out-dimension x"),
        (lambda: SQUARE.sublayout(["lane"], ["x"]), "no out-dimension x"),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
