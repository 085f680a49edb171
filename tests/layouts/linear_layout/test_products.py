"""The laws of products and division, on up to 2^12 points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.layouts.linear_layout.points import LINE, image, points, small
from tests.layouts.strategies import layouts
from weft.layouts import LinearLayout


@given(small(), small())
def test_a_product_keeps_its_factors_apart(first: LinearLayout, second: LinearLayout) -> None:
    assume(first.in_bits + second.in_bits <= 12)
    whole = first * second
    assert whole.in_bits == first.in_bits + second.in_bits
    for point in points(whole.in_dims):
        low = {n: v % first.in_dims.get(n, 1) for n, v in point.items()}
        high = {n: v // first.in_dims.get(n, 1) for n, v in point.items()}
        one = image(first, {n: low[n] for n in first.in_dims})
        two = image(second, {n: high[n] for n in second.in_dims})
        for name, value in image(whole, point).items():
            size = first.out_dims.get(name, 1)
            assert value == one.get(name, 0) + size * two.get(name, 0)


@given(layouts(), layouts(), layouts())
def test_a_product_is_associative(a: LinearLayout, b: LinearLayout, c: LinearLayout) -> None:
    assert (a * b) * c is a * (b * c)
    assert a * LinearLayout.empty() is a


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        (["a", "c"], ["a", "b"], ["a", "c", "b"]),
        ([], ["b"], ["b"]),
        (["a"], [], ["a"]),
        (["c", "a"], ["b", "a"], ["c", "b", "a"]),
        (["a", "b"], ["c", "b", "d"], ["a", "c", "b", "d"]),
    ],
)
def test_a_product_merges_the_orders_of_dimensions(
    first: list[str], second: list[str], merged: list[str]
) -> None:
    one = LinearLayout.from_bases({name: [] for name in first}, {name: 1 for name in first})
    two = LinearLayout.from_bases({name: [] for name in second}, {name: 1 for name in second})
    assert list((one * two).in_dims) == merged
    assert list((one * two).out_dims) == merged


@st.composite
def of_the_same_dimensions(draw: st.DrawFn) -> tuple[LinearLayout, LinearLayout]:
    first, second = draw(small()), draw(small())
    names = [n for n in first.out_shifts if n in second.out_shifts]
    ins = list(first.in_dims)
    return first.sublayout(ins, names), second.sublayout(ins, names)


@given(of_the_same_dimensions())
def test_division_undoes_the_product(pair: tuple[LinearLayout, LinearLayout]) -> None:
    first, second = pair
    assert (first * second).divide_left(first) is second
    assert (first * second).divide_right(second) is first


@given(small(), small())
def test_quotient_times_divisor_is_the_dividend(factor: LinearLayout, rest: LinearLayout) -> None:
    left, right = (factor * rest).divide_left(factor), (rest * factor).divide_right(factor)
    assert left is not None
    assert right is not None
    assert factor * left is factor * rest
    assert right * factor is rest * factor


@given(small(), st.integers(0, 2), st.integers(0, 2))
def test_division_finds_a_quotient_if_there_is_one(
    whole: LinearLayout, registers: int, lanes: int
) -> None:
    """An identity divides a layout that counts in its lowest bits, which nothing else touches."""
    out = next(iter(whole.out_dims))
    factor = LinearLayout.identity_1d(1 << registers, "register", out)
    factor *= LinearLayout.identity_1d(1 << lanes, "lane", out)
    assume(whole.out_size(out) >= 1 << (registers + lanes))
    assume(whole.in_size("register") >= 1 << registers)
    assume(whole.in_size("lane") >= 1 << lanes)
    low = 1 << (registers + lanes)
    is_factor = True
    for point in points(whole.in_dims):
        output = image(whole, point)
        part = {
            "register": point["register"] % (1 << registers),
            "lane": point["lane"] % (1 << lanes),
        }
        is_factor &= output[out] % low == part["register"] + (part["lane"] << registers)
        if not any(point[n] != part.get(n, 0) for n in point):
            is_factor &= output == {n: output[n] % low if n == out else 0 for n in output}
    assert (whole.divide_left(factor) is not None) == is_factor


def test_a_quotient_keeps_the_dimensions_of_the_whole() -> None:
    whole = LINE * LinearLayout.identity_1d(2, "l", "b")
    quotient = whole.divide_left(LINE)
    assert quotient is not None
    assert quotient.in_dims == {"r": 1, "l": 2}
    assert quotient.out_dims == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    "factor",
    [
        LinearLayout.identity_1d(2, "x", "a"),  # an in-dimension that the whole lacks
        LinearLayout.identity_1d(1, "x", "a"),
        LinearLayout.identity_1d(2, "r", "x"),  # an out-dimension that it lacks
        LinearLayout.identity_1d(8, "r", "a"),  # larger
        LinearLayout.zeros_1d(8, "r", "a", 4),
        LinearLayout.strided_1d(2, 2, "r", "a"),  # another basis
    ],
)
def test_layout_that_is_not_a_factor(factor: LinearLayout) -> None:
    whole = LINE * LinearLayout.identity_1d(2, "l", "b")
    assert whole.divide_left(factor) is None
    assert whole.divide_right(factor) is None


def test_bases_that_touch_the_factor_bits_prevent_division() -> None:
    low = LinearLayout.from_bases({"r": [[1], [2]], "l": [[1]]}, ["a"])
    assert low.divide_left(LinearLayout.identity_1d(2, "r", "a")) is None
    high = LinearLayout.from_bases({"r": [[1], [2]], "l": [[2]]}, ["a"])
    assert high.divide_right(LinearLayout.identity_1d(2, "r", "a")) is None
    assert high.divide_left(LinearLayout.identity_1d(2, "r", "a")) is not None


@given(small(), st.integers(0, 3))
def test_quotient_removes_an_identity(layout: LinearLayout, bits: int) -> None:
    whole = layout * LinearLayout.identity_1d(1 << bits, "block", "block")
    assume("block" not in layout.in_dims)
    assert whole.is_trivial_over(["block"])
    assert whole.quotient(["block"]) is layout


def test_quotient_needs_an_identity_that_nothing_else_touches() -> None:
    swap = LinearLayout.from_bases({"a": [[0, 1]], "b": [[1, 0]]}, ["a", "b"])
    assert swap.quotient(["a"]) is None
    assert swap.quotient(["a", "b"]) is None
    shear = LinearLayout.from_bases({"a": [[1, 0]], "b": [[1, 1]]}, ["a", "b"])
    assert not shear.is_trivial_over(["a"])
    only_in = LinearLayout.from_bases({"a": [[1]]}, ["b"])
    assert not only_in.is_trivial_over(["a"])
    assert not only_in.is_trivial_over(["b"])


@given(layouts())
def test_consecutive_inputs_by_brute_force(layout: LinearLayout) -> None:
    first_in = layout.ins[0][0]
    run = layout.num_consecutive()
    table = layout.table().reshape(layout.in_size(first_in), -1, len(layout.outs))
    step_along_first = np.arange(len(layout.outs)) == 0

    def is_consecutive(length: int) -> bool:
        heads = table[::length]
        return (heads[..., 0] % length == 0).all() and all(
            (table[step::length] == heads + step * step_along_first).all() for step in range(length)
        )

    assert is_consecutive(run)
    assert run == layout.in_size(first_in) or not is_consecutive(2 * run)


def test_consecutive_inputs_by_hand() -> None:
    assert LinearLayout.identity_1d(8, "r", "a").num_consecutive() == 8
    assert LinearLayout.strided_1d(8, 2, "r", "a").num_consecutive() == 1
    mixed = LinearLayout.from_bases({"r": [[1], [2]], "l": [[2]]}, ["a"])
    assert mixed.num_consecutive() == 2
    assert LinearLayout.empty().num_consecutive() == 1
    assert LinearLayout.from_bases({"r": []}, {}).num_consecutive() == 1
