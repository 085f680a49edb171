"""Laws of products, compositions and inverses, and Triton's answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import bijections, blocked, layouts, shapes
from weft.errors import LayoutError
from weft.layouts import LinearLayout
from weft.layouts.algebra import merged_order

ONE = LinearLayout.identity_1d(4, "r", "a")


def test_product_stacks_bits() -> None:
    made = ONE * LinearLayout.identity_1d(2, "l", "b") * LinearLayout.identity_1d(2, "r", "a")
    assert made.bases == {"r": [[1, 0], [2, 0], [4, 0]], "l": [[0, 1]]}
    assert made.out_dims == {"a": 8, "b": 2}


@given(layouts(), layouts(), layouts())
def test_product_is_associative(a: LinearLayout, b: LinearLayout, c: LinearLayout) -> None:
    assert (a * b) * c is a * (b * c)
    assert a * LinearLayout.empty() is a


@given(bijections())
def test_an_inverse_undoes(layout: LinearLayout) -> None:
    there_and_back = layout.compose(layout.invert())
    for point in range(1 << layout.in_bits):
        register, lane = layout.in_dims["register"], layout.in_dims["lane"]
        given_point = {"register": point % register, "lane": point // register % lane}
        assert there_and_back.apply(given_point) == given_point


@given(layouts(surjective=True))
def test_a_right_inverse_finds_each_output(layout: LinearLayout) -> None:
    back = layout.pseudoinvert()
    for name, size in layout.out_dims.items():
        for bit in range(size.bit_length() - 1):
            point = {other: 0 for other in layout.out_dims} | {name: 1 << bit}
            assert layout.apply(back.apply(point)) == point


@given(st.data())
def test_invert_and_compose_finds_the_same_element(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    shape = data.draw(shapes(rank))
    source = data.draw(blocked(rank)).linear(shape)
    target = data.draw(blocked(rank)).linear(shape)
    where = source.invert_and_compose(target)
    for name, size in source.in_dims.items():
        for bit in range(size.bit_length() - 1):
            point = {other: 0 for other in source.in_dims} | {name: 1 << bit}
            assert target.apply(where.apply(point)) == source.apply(point)


def test_a_dimension_stays_where_it_is_only_between_equal_sizes() -> None:
    """What both map alike is not moved; Triton holds to that where all sizes agree, and so do we.

    Warp 1 of the outer layout and lane 1 hold the element 1; the least solution is the lane.
    """
    outer = LinearLayout.from_bases({"lane": [[1], [2]], "warp": [[1]]}, {"a": 4})
    alike = LinearLayout.from_bases({"lane": [], "warp": [[1]]}, {"a": 4}, surjective=False)
    smaller = LinearLayout.from_bases({"lane": [], "warp": [[1]]}, {"a": 2})
    assert alike.invert_and_compose(outer).bases["warp"] == [[0, 1]]
    assert smaller.invert_and_compose(outer).bases["warp"] == [[1, 0]]


def test_merged_order() -> None:
    assert merged_order(["a", "c"], ["a", "b"]) == ["a", "c", "b"]
    assert merged_order([], ["b"]) == ["b"]
    with pytest.raises(LayoutError, match="orders that disagree"):
        merged_order(["a", "b"], ["b", "a"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a").invert(),
            "only a layout that reaches each output once has an inverse",
        ),
        (
            lambda: ONE.compose(LinearLayout.identity_1d(4, "b", "c")),
            "the inner layout's out-dimensions must be the outer one's in-dimensions",
        ),
        (
            lambda: ONE.compose(LinearLayout.identity_1d(2, "a", "c")),
            "a must not be larger than in the outer layout, 2",
        ),
        (
            lambda: ONE.invert_and_compose(LinearLayout.identity_1d(4, "b", "c")),
            "both layouts must have the same out-dimensions",
        ),
        (
            lambda: ONE.invert_and_compose(LinearLayout.identity_1d(2, "b", "a")),
            "a must not be larger than in the outer layout, 2",
        ),
        (
            lambda: ONE.invert_and_compose(LinearLayout.zeros_1d(2, "b", "a", 4)),
            "the outer layout must reach every output that the inner one reaches",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.oracle
@given(st.data())
def test_as_triton(data: st.DataObject) -> None:
    """The text and four operations agree with Triton's own LinearLayout."""
    from tests.layouts.oracle import same, theirs

    rank = data.draw(st.integers(1, 3))
    shape = data.draw(shapes(rank))
    a, b = (data.draw(blocked(rank)).linear(shape) for _ in range(2))
    one, two = theirs(a), theirs(b)
    assert str(a) == str(one)
    assert same(a * b, one * two)
    assert same(a.invert_and_compose(b), one.invert_and_compose(two))
    assert same(a.pseudoinvert(), one.pseudoinvert())
    assert same(a.compose(a.pseudoinvert()), one.compose(one.pseudoinvert()))


@pytest.mark.oracle
@given(layouts(), bijections())
def test_random_vectors_as_triton(layout: LinearLayout, bijection: LinearLayout) -> None:
    """Every operation of Triton's binding, on vectors that are not only powers of two."""
    from tests.layouts import oracle
    from tests.layouts.oracle import same, theirs

    other = theirs(layout)
    assert same(layout, other)
    assert str(layout) == str(other)
    assert (layout.is_surjective, layout.is_injective, layout.is_invertible) == (
        other.is_surjective(),
        other.is_injective(),
        other.is_invertible(),
    )
    assert list(layout.in_dims) == other.get_in_dim_names()
    assert list(layout.out_dims) == other.get_out_dim_names()
    point = {name: (size - 1) & 0b1011 for name, size in layout.in_dims.items()}
    assert layout.apply(point) == other.apply(point)
    assert same(bijection.invert(), theirs(bijection).invert())
    if layout.is_surjective:
        assert same(layout.pseudoinvert(), other.pseudoinvert())
        flat = layout.flatten_outs("dim0")
        if flat.out_bits == bijection.out_bits:
            # Triton ends its process where only one side has dimensions that are not alike.
            found = oracle.answer_or_none(
                lambda: [
                    [name, [list(v) for v in vectors]]
                    for name, vectors in theirs(bijection).invert_and_compose(theirs(flat)).bases
                ]
            )
            ours = bijection.invert_and_compose(flat).bases
            assert found is None or dict(found) == ours


@pytest.mark.oracle
@given(st.integers(0, 6), st.integers(0, 4))
def test_constructors_as_triton(bits: int, other_bits: int) -> None:
    pytest.importorskip("triton")
    from triton._C.libtriton.linear_layout import LinearLayout as Theirs

    from tests.layouts.oracle import same

    size, other = 1 << bits, 1 << other_bits
    for name, arguments in (
        ("identity_1d", (size, "r", "a")),
        ("strided_1d", (size, other, "r", "a")),
        ("zeros_1d", (size, "r", "a", other)),
    ):
        assert same(getattr(LinearLayout, name)(*arguments), getattr(Theirs, name)(*arguments))
