"""The class LinearLayout: the examples of its introduction, identity, construction, rank."""

from __future__ import annotations

import copy
import itertools
import pickle

import pytest
from hypothesis import given

from tests.layouts.linear_layout.points import ROWS, SQUARE, SWIZZLE, image, points, small
from tests.layouts.strategies import layouts
from weft.layouts import LinearLayout


def test_the_table_of_the_introduction() -> None:
    for row, column in itertools.product(range(4), range(8)):
        lane, register = 2 * row + column // 4, column % 4
        assert ROWS.apply({"register": register, "lane": lane}) == {"dim0": row, "dim1": column}
    assert ROWS.basis("lane", 0) == (0, 4)
    identity = LinearLayout.identity_1d
    product = identity(4, "register", "dim1") * identity(2, "lane", "dim1")
    assert (product * identity(4, "lane", "dim0")).transpose_outs(["dim0", "dim1"]) is ROWS


def test_the_swizzle_of_the_introduction() -> None:
    columns = [SWIZZLE.apply({"offset": offset})["dim1"] for offset in range(16)]
    assert columns == [0, 1, 2, 3, 1, 0, 3, 2, 2, 3, 0, 1, 3, 2, 1, 0]
    back = SWIZZLE.invert()
    assert [back.apply({"dim0": row, "dim1": 0})["offset"] for row in range(4)] == [0, 5, 10, 15]


def test_the_pseudo_inverse_of_the_introduction() -> None:
    layout = LinearLayout.from_bases({"lane": [[3], [1], [2]]}, ["dim0"])
    assert layout.free_variable_masks() == {"lane": 0b100}
    assert layout.pseudoinvert().bases == {"dim0": [[2], [3]]}


def test_equal_layouts_are_one_object() -> None:
    again = LinearLayout.from_bases(
        {"register": [[0, 1], [0, 2]], "lane": [[1, 1], [2, 2]]}, {"dim0": 4, "dim1": 4}
    )
    assert again is SQUARE
    assert pickle.loads(pickle.dumps(SQUARE)) is SQUARE
    assert copy.copy(SQUARE) is SQUARE
    assert copy.deepcopy(SQUARE) is SQUARE


@given(layouts())
def test_bases_build_the_layout_again(layout: LinearLayout) -> None:
    assert LinearLayout.from_bases(layout.bases, layout.out_dims, surjective=False) is layout


@pytest.mark.parametrize("name", [*LinearLayout.__slots__, "in_bits", "other"])
def test_no_attribute_can_be_changed(name: str) -> None:
    with pytest.raises(AttributeError, match=f"cannot be changed, and {name} was assigned"):
        setattr(SQUARE, name, ())
    with pytest.raises(AttributeError, match=f"cannot be changed, and {name} was deleted"):
        delattr(SQUARE, name)


def test_a_change_of_a_returned_container_has_no_effect() -> None:
    before = str(SQUARE)
    SQUARE.in_dims.clear()
    SQUARE.out_dims.clear()
    SQUARE.bases["lane"][0][0] = 7
    SQUARE.columns.clear()
    SQUARE.free_variable_masks().clear()
    SQUARE.apply({"register": 0, "lane": 0}).clear()
    SQUARE.table()[:] = 7
    SQUARE.matrix()[:] = 0
    with pytest.raises(TypeError):
        SQUARE.out_shifts["dim0"] = 1  # type: ignore[index]
    packed = SQUARE.packed_table()
    with pytest.raises(ValueError, match="read-only"):
        packed[0] = 7
    with pytest.raises(ValueError, match="WRITEABLE"):
        packed.flags.writeable = True
    assert str(SQUARE) == before
    assert SQUARE.packed_table().tolist() == [0, 4, 8, 12, 5, 1, 13, 9, 10, 14, 2, 6, 15, 11, 7, 3]
    assert SQUARE.invert().compose(SQUARE).is_trivial_over(["dim0", "dim1"])


@pytest.mark.parametrize("bits", [0, 1, 5, 12])
def test_constructors(bits: int) -> None:
    size = 1 << bits
    for layout, weight in (
        (LinearLayout.identity_1d(size, "i", "o"), 1),
        (LinearLayout.strided_1d(size, 4, "i", "o"), 4),
        (LinearLayout.zeros_1d(size, "i", "o", 2), 0),
    ):
        for number in range(size):
            assert image(layout, {"i": number}) == {"o": number * weight}
    assert LinearLayout.strided_1d(4, 2, "i", "o").out_dims == {"o": 8}


def test_text() -> None:
    assert str(SQUARE) == (
        "\n - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - lane=1 -> (1, 1)\n"
        "   lane=2 -> (2, 2)\nwhere out dims are: [dim0 (size 4), dim1 (size 4)]"
    )
    assert repr(SQUARE) == str(SQUARE)
    assert str(LinearLayout.empty()) == "\n(empty layout)"
    without_inputs = LinearLayout.from_bases({}, {"a": 1})
    assert str(without_inputs) == "\n(empty layout)\nwhere out dims are: [a (size 1)]"
    assert "register is a size 1 dimension" in str(LinearLayout.identity_1d(1, "register", "d"))


@given(small())
def test_rank_and_its_kinds(layout: LinearLayout) -> None:
    outputs = {tuple(image(layout, p).values()) for p in points(layout.in_dims)}
    assert len(outputs) == 1 << layout.rank
    assert layout.is_surjective == (len(outputs) == 1 << layout.out_bits)
    assert layout.is_injective == (len(outputs) == 1 << layout.in_bits)
    assert layout.is_invertible == (layout.is_surjective and layout.is_injective)


@given(small())
def test_free_bits_can_be_left_at_zero(layout: LinearLayout) -> None:
    """There are in_bits - rank of them, and without them the same outputs are reached once."""
    free = layout.free_variable_masks()
    assert sum(mask.bit_count() for mask in free.values()) == layout.in_bits - layout.rank
    outputs = {tuple(image(layout, p).values()) for p in points(layout.in_dims)}
    without = [
        tuple(image(layout, p).values())
        for p in points(layout.in_dims)
        if not any(p[name] & free[name] for name in p)
    ]
    assert len(without) == len(set(without))
    assert set(without) == outputs


def test_the_free_bit_is_the_higher_one() -> None:
    layout = LinearLayout.from_bases({"r": [[1], [2]], "l": [[3], [4]]}, ["a"])
    assert layout.free_variable_masks() == {"r": 0, "l": 0b01}
