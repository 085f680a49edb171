"""Actions on registers, alike in a layout and in values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import layouts
from weft.errors import LayoutError
from weft.layouts import LinearLayout
from weft.layouts.column_action import ColumnAction, remove_broadcast
from weft.layouts.vectorization import (
    largest_vectorisation,
    permutation_for_division,
)


@st.composite
def acted(draw: st.DrawFn) -> tuple[LinearLayout, ColumnAction]:
    layout = draw(layouts())
    count = len(layout.images("register"))
    bits = draw(st.permutations(range(count)))
    return layout, ColumnAction(tuple(bits[draw(st.integers(0, count)) :]), "register", count)


@given(acted())
def test_values_move_as_the_layout_does(case: tuple[LinearLayout, ColumnAction]) -> None:
    layout, action = case
    alone = layout.sublayout(["register"], list(layout.out_shifts))
    moved = action.apply(layout).sublayout(["register"], list(layout.out_shifts))
    assert action.apply_values(alone.packed_table().tolist()) == moved.packed_table().tolist()


@given(acted())
def test_an_inverse_undoes(case: tuple[LinearLayout, ColumnAction]) -> None:
    layout, action = case
    if len(action.bits) == action.in_bits:
        assert action.inverse().apply(action.apply(layout)) is layout
        assert action.left_compose(action.inverse()).is_identity


@given(layouts())
def test_no_register_repeats_after_removal(layout: LinearLayout) -> None:
    alone = layout.sublayout(["register"], list(layout.out_shifts))
    result = remove_broadcast(alone).apply(alone)
    assert result.is_injective
    assert result.rank == alone.rank


@given(layouts(), st.integers(1, 4))
def test_the_widest_access_is_side_by_side(layout: LinearLayout, bits: int) -> None:
    flat = layout.flatten_outs()
    elements, action = largest_vectorisation(flat, 128 >> bits)
    assert elements <= 1 << bits
    moved = action.apply(flat)
    assert moved.num_consecutive() >= elements


def test_registers_out_of_order_still_vectorise() -> None:
    offsets = LinearLayout.from_bases({"register": [[4], [1], [2]], "lane": [[8]]}, ["offset"])
    elements, action = largest_vectorisation(offsets, 32)
    assert (elements, action.bits) == (4, (1, 2, 0))
    right = permutation_for_division(
        offsets, LinearLayout.identity_1d(2, "lane", "offset"), left=False
    )
    assert right is not None
    assert right.is_identity
    assert permutation_for_division(offsets, LinearLayout.strided_1d(2, 2, "register", "x")) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ColumnAction((3,), "register", 2), "register has 2 bits"),
        (lambda: ColumnAction((1, 1), "register", 2), "each bit of register at most once"),
        (lambda: ColumnAction((1,), "register", 2).inverse(), "drops bits has no inverse"),
        (lambda: ColumnAction((0,), "r", 1).apply_values([1]), "r has 2 values in this action"),
        (
            lambda: ColumnAction((0,), "r", 1).apply(LinearLayout.identity_1d(4, "r", "a")),
            "r must have 1 bits for this action",
        ),
        (
            lambda: ColumnAction((0,), "r", 1).left_compose(ColumnAction((0, 1), "r", 2)),
            "the next action must take 1 bits of r",
        ),
    ],
)
def test_refuses(make, message: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make()
    assert message in str(caught.value)
