"""Laws of division, quotient and consecutive runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout

UNITS = LinearLayout.empty()


@st.composite
def sharing(draw: st.DrawFn) -> tuple[LinearLayout, LinearLayout]:
    """Two layouts of the same dimensions."""
    first, second = draw(layouts()), draw(layouts())
    names = [n for n in first.starts if n in second.starts]
    ins = list(first.in_dims)
    return first.sublayout(ins, names), second.sublayout(ins, names)


@given(sharing())
def test_division_undoes_the_product(pair: tuple[LinearLayout, LinearLayout]) -> None:
    first, second = pair
    assert (first * second).divide_left(first) is second
    assert (first * second).divide_right(second) is first


@given(sharing())
def test_what_divides_multiplies_back(pair: tuple[LinearLayout, LinearLayout]) -> None:
    whole, factor = pair
    left, right = whole.divide_left(factor), whole.divide_right(factor)
    assert left is None or factor * left is whole
    assert right is None or right * factor is whole


def test_a_quotient_keeps_the_dimensions_of_the_whole() -> None:
    whole = LinearLayout.identity_1d(4, "r", "a") * LinearLayout.identity_1d(2, "l", "b")
    found = whole.divide_left(LinearLayout.identity_1d(4, "r", "a"))
    assert found is not None
    assert found.in_dims == {"r": 1, "l": 2}
    assert found.out_dims == {"a": 1, "b": 2}
    assert whole.divide_left(LinearLayout.identity_1d(2, "x", "a")) is None
    assert whole.divide_left(LinearLayout.identity_1d(8, "r", "a")) is None


@given(layouts(), st.integers(0, 3))
def test_quotient_takes_an_identity_out(layout: LinearLayout, bits: int) -> None:
    extra = LinearLayout.identity_1d(1 << bits, "block", "block")
    whole = layout * extra
    assert whole.is_trivial_over(["block"])
    assert whole.quotient(["block"]) is layout


def test_quotient_wants_nothing_mixed() -> None:
    swap = LinearLayout.from_bases({"a": [[0, 1]], "b": [[1, 0]]}, ["a", "b"])
    assert swap.quotient(["a"]) is None
    assert swap.quotient(["a", "b"]) is None
    lean = LinearLayout.from_bases({"a": [[1, 0]], "b": [[1, 1]]}, ["a", "b"])
    assert not lean.is_trivial_over(["a"])
    with pytest.raises(LayoutError, match="no dimension c"):
        lean.quotient(["c"])


@given(layouts())
def test_consecutive_by_brute_force(layout: LinearLayout) -> None:
    first_in = layout.ins[0][0]
    run = layout.num_consecutive()
    moved = layout.table().astype(int).reshape(layout.in_size(first_in), -1, len(layout.outs))

    first = np.arange(len(layout.outs)) == 0

    def runs(length: int) -> bool:
        heads = moved[::length]
        return (heads[..., 0] % length == 0).all() and all(
            (moved[step::length] == heads + step * first).all() for step in range(length)
        )

    assert runs(run)
    assert run == layout.in_size(first_in) or not runs(2 * run)


def test_consecutive_by_hand() -> None:
    assert LinearLayout.identity_1d(8, "r", "a").num_consecutive() == 8
    assert LinearLayout.strided_1d(8, 2, "r", "a").num_consecutive() == 1
    mixed = LinearLayout.from_bases({"r": [[1], [2]], "l": [[2]]}, ["a"])
    assert mixed.num_consecutive() == 2
    assert UNITS.num_consecutive() == 1
