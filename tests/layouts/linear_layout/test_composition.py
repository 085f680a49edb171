"""The laws of composition and inverses, on up to 2^12 points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.linear_layout.points import image, points, small
from tests.layouts.strategies import bijections, blocked, powers, shapes
from weft.layouts import LinearLayout
from weft.layouts.tile_builder import dimension_names


@st.composite
def chains(draw: st.DrawFn) -> tuple[LinearLayout, LinearLayout]:
    """Two layouts of which the second takes the outputs of the first."""
    inner = draw(small())
    names = dimension_names(draw(st.integers(1, 3)))
    sizes = {name: draw(powers(3)) for name in names}
    bases = {}
    for name in draw(st.permutations(list(inner.out_dims))):
        bits = inner.out_size(name).bit_length() - 1 + draw(st.integers(0, 1))
        bases[name] = [
            tuple(draw(st.integers(0, size - 1)) for size in sizes.values()) for _ in range(bits)
        ]
    return inner, LinearLayout.from_bases(bases, sizes, surjective=False)


@given(chains())
def test_composition_is_one_after_the_other(pair: tuple[LinearLayout, LinearLayout]) -> None:
    inner, outer = pair
    whole = inner.compose(outer)
    for point in points(inner.in_dims):
        assert image(whole, point) == image(outer, image(inner, point))


@given(chains(), st.data())
def test_composition_is_associative(
    pair: tuple[LinearLayout, LinearLayout], data: st.DataObject
) -> None:
    inner, outer = pair
    last = LinearLayout.from_bases(
        {
            name: [(data.draw(st.integers(0, 7)),) for _ in range(size.bit_length() - 1)]
            for name, size in outer.out_dims.items()
        },
        {"end": 8},
        surjective=False,
    )
    assert inner.compose(outer).compose(last) is inner.compose(outer.compose(last))


@given(bijections())
def test_an_inverse_finds_every_input_again(layout: LinearLayout) -> None:
    back = layout.invert()
    for point in points(layout.in_dims):
        assert image(back, image(layout, point)) == point
    assert back.invert() is layout


@given(small(surjective=True))
def test_a_pseudo_inverse_finds_every_output(layout: LinearLayout) -> None:
    back = layout.pseudoinvert()
    free = layout.free_variable_masks()
    for point in points(layout.out_dims):
        place = image(back, point)
        assert image(layout, place) == point
        assert not any(place[name] & free[name] for name in place)


@given(small(surjective=True), st.data())
def test_invert_and_compose_finds_the_same_element_in_any_layout(
    outer: LinearLayout, data: st.DataObject
) -> None:
    sizes = {n: data.draw(powers(size.bit_length() - 1)) for n, size in outer.out_dims.items()}
    vector = st.tuples(*(st.integers(0, size - 1) for size in sizes.values()))
    bases = {n: data.draw(st.lists(vector, max_size=3)) for n in ("register", "lane", "warp")}
    order = data.draw(st.permutations(list(sizes)))
    inner = LinearLayout.from_bases(bases, sizes, surjective=False).transpose_outs(order)
    places = inner.invert_and_compose(outer)
    for point in points(inner.in_dims):
        assert image(outer, image(places, point)) == image(inner, point)


@given(st.data())
def test_invert_and_compose_finds_the_same_element_in_encodings(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    shape = data.draw(shapes(rank))
    source = data.draw(blocked(rank)).linear(shape)
    target = data.draw(blocked(rank)).linear(shape)
    places = source.invert_and_compose(target)
    for name, size in source.in_dims.items():
        for bit in range(size.bit_length() - 1):
            point = dict.fromkeys(source.in_dims, 0) | {name: 1 << bit}
            assert target.apply(places.apply(point)) == source.apply(point)


def test_a_dimension_stays_in_place_only_between_equal_sizes() -> None:
    """As in Triton, a dimension that both layouts map alike is kept where all sizes agree.

    Warp 1 and lane 1 of the outer layout hold element 1; the solution without free variables is
    the lane.
    """
    outer = LinearLayout.from_bases({"lane": [[1], [2]], "warp": [[1]]}, {"a": 4})
    alike = LinearLayout.from_bases({"lane": [], "warp": [[1]]}, {"a": 4}, surjective=False)
    smaller = LinearLayout.from_bases({"lane": [], "warp": [[1]]}, {"a": 2})
    assert alike.invert_and_compose(outer).bases["warp"] == [[0, 1]]
    assert smaller.invert_and_compose(outer).bases["warp"] == [[1, 0]]


def test_an_unchanged_dimension_may_change_for_others() -> None:
    """Register 1 of both is element 1; but only with it can lanes 1 and 2 be found."""
    outer = LinearLayout.from_bases({"register": [[1]], "lane": [[2], [3]]}, ["a"])
    inner = LinearLayout.from_bases({"register": [[1]], "lane": [[2], [1]]}, ["a"])
    assert inner.invert_and_compose(outer).bases == {
        "register": [[1, 0]],
        "lane": [[0, 1], [0, 3]],
    }
    needed = LinearLayout.from_bases({"register": [[1]], "lane": [[2], [0]]}, ["a"])
    places = inner.invert_and_compose(needed)
    assert places.bases == {"register": [[1, 0]], "lane": [[0, 1], [1, 0]]}
