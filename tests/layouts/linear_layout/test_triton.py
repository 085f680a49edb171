"""LinearLayout beside Triton's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import bijections, blocked, layouts, shapes
from weft.layouts import LinearLayout


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
            answer = oracle.answer_or_none(
                lambda: [
                    [name, [list(v) for v in vectors]]
                    for name, vectors in theirs(bijection).invert_and_compose(theirs(flat)).bases
                ]
            )
            ours = bijection.invert_and_compose(flat).bases
            assert answer is None or dict(answer) == ours


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
