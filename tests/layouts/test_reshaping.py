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


@given(layouts(), layouts())
def test_concatenation_and_its_parts(first: LinearLayout, second: LinearLayout) -> None:
    renamed = second
    for name in list(second.in_dims):
        renamed = renamed.rename_in(name, f"other {name}")
    if renamed.outs == first.outs:
        both = first.concat_ins(renamed)
        assert both.sublayout(list(first.in_dims), list(first.starts)) is first
        assert both.sublayout(list(renamed.in_dims), list(first.starts)) is renamed
    beside = first.flatten_outs("other")
    both = first.concat_outs(beside)
    assert both.sublayout(list(first.in_dims), ["other"]) is beside
    assert both.sublayout(list(first.in_dims), list(first.starts)) is first


@given(layouts())
def test_small_dimensions_go_away(layout: LinearLayout) -> None:
    wide = layout * LinearLayout.identity_1d(1, "block", "unit")
    assert wide.unsqueeze_in("block").unsqueeze_out("unit") is layout
    assert layout.rename_out("dim0", "x").rename_out("x", "dim0") is layout
    trimmed = layout.remove_zero_bases("register")
    assert [v for v in layout.images("register") if v] == list(trimmed.images("register"))
    assert layout.flatten_ins().flatten_outs().in_bits == layout.in_bits
    assert layout.equals_ignoring_out_sizes(layout)


def test_equal_but_for_sizes() -> None:
    small = LinearLayout.from_bases({"r": [[1]]}, {"a": 2})
    large = LinearLayout.from_bases({"r": [[1]]}, {"a": 4}, surjective=False)
    assert small is not large
    assert small.equals_ignoring_out_sizes(large)
    assert small.sublayout_is_zero([], ["a"])
    assert not small.sublayout_is_zero(["r"], ["a"])
    assert LinearLayout.empty().flatten_ins() is LinearLayout.empty()
    assert LinearLayout.empty().flatten_outs() is LinearLayout.empty()


SMALL = LinearLayout.from_bases({"r": [[1, 0]], "l": [[0, 1]]}, ["a", "b"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SMALL.rename_in("r", "l"), "there is an in-dimension l already"),
        (lambda: SMALL.rename_out("a", "b"), "there is an out-dimension b already"),
        (lambda: SMALL.rename_out("c", "b"), "no out-dimension c"),
        (lambda: SMALL.concat_ins(SMALL), "both layouts have the in-dimension r"),
        (lambda: SMALL.concat_outs(SMALL), "both layouts have the out-dimension a"),
        (
            lambda: SMALL.concat_ins(LinearLayout.identity_1d(2, "x", "a")),
            "the same out-dimensions and sizes",
        ),
        (
            lambda: SMALL.concat_outs(LinearLayout.identity_1d(2, "r", "c")),
            "the same in-dimensions and sizes",
        ),
        (lambda: SMALL.unsqueeze_in("r"), "r must have size 1 to go away"),
        (lambda: SMALL.unsqueeze_out("a"), "a must have size 1 to go away"),
        (lambda: SMALL.basis("r", 1), "r has 1 bits"),
        (lambda: SMALL.out_size("c"), "no out-dimension c"),
    ],
)
def test_refuses_derived(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
