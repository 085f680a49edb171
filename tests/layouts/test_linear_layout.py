"""The laws of every operation of LinearLayout, point by point, on up to 2^12 points.

An operation is compared with what its definition says of all inputs, evaluated from the basis
vectors alone: nothing of what is tested takes part in the expectation.
"""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.layouts.strategies import bijections, blocked, layouts, powers, shapes
from weft.errors import LayoutError
from weft.layouts import LinearLayout
from weft.layouts.tile_builder import dimension_names

Point = dict[str, int]

ROWS = LinearLayout.from_bases(
    {"register": [[0, 1], [0, 2]], "lane": [[0, 4], [1, 0], [2, 0]]}, ["dim0", "dim1"]
)
SWIZZLE = LinearLayout.from_bases({"offset": [[0, 1], [0, 2], [1, 1], [2, 2]]}, ["dim0", "dim1"])
SQUARE = LinearLayout.from_bases(
    {"register": [(0, 1), (0, 2)], "lane": [(1, 1), (2, 2)]}, ["dim0", "dim1"]
)
LINE = LinearLayout.identity_1d(4, "r", "a")
PAIR = LinearLayout.from_bases({"r": [[1, 0]], "l": [[0, 1]]}, ["a", "b"])


def points(sizes: dict[str, int]) -> list[Point]:
    """List every input of these sizes."""
    ranges = (range(size) for size in sizes.values())
    return [dict(zip(sizes, numbers, strict=True)) for numbers in itertools.product(*ranges)]


def image(layout: LinearLayout, point: Point) -> Point:
    """Compute the output of an input by XOR of the bases of its bits."""
    output = dict.fromkeys(layout.out_dims, 0)
    for name, vectors in layout.bases.items():
        for bit, vector in enumerate(vectors):
            if point[name] >> bit & 1:
                for dim, entry in zip(output, vector, strict=True):
                    output[dim] ^= entry
    return output


@st.composite
def small(draw: st.DrawFn, *, surjective: bool = False) -> LinearLayout:
    layout = draw(layouts(surjective=surjective))
    assume(layout.in_bits <= 12)
    return layout


# -- the examples of the module's docstring -----------------------------------------------------


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


# -- identity and immutability ------------------------------------------------------------------


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


# -- construction and reading -------------------------------------------------------------------


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


# -- products and division ----------------------------------------------------------------------


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


# -- composition and inverses -------------------------------------------------------------------


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


# -- reordering and reshaping -------------------------------------------------------------------


@given(small())
def test_transposing_there_and_back(layout: LinearLayout) -> None:
    outs, ins = list(layout.out_dims), list(layout.in_dims)
    turned = layout.transpose_outs(outs[::-1]).transpose_ins(ins[::-1])
    assert list(turned.in_dims) == ins[::-1]
    assert list(turned.out_dims) == outs[::-1]
    assert turned.transpose_outs(outs).transpose_ins(ins) is layout
    for point in points(layout.in_dims):
        assert image(turned, point) == image(layout, point)


@given(small(), st.data())
def test_reshaping_reads_the_same_bits(layout: LinearLayout, data: st.DataObject) -> None:
    ins = {f"i{d}": 1 << bits for d, bits in enumerate(data.draw(parts(layout.in_bits)))}
    outs = {f"o{d}": 1 << bits for d, bits in enumerate(data.draw(parts(layout.out_bits)))}
    reshaped = layout.reshape_ins(ins).reshape_outs(outs)
    assert reshaped.in_dims == ins
    assert reshaped.out_dims == outs
    for point in points(layout.in_dims):
        flat = joined(point, layout.in_dims)
        assert joined(image(reshaped, split(flat, ins)), outs) == joined(
            image(layout, point), layout.out_dims
        )
    assert reshaped.reshape_ins(layout.in_dims).reshape_outs(layout.out_dims) is layout


@given(small())
def test_flattening(layout: LinearLayout) -> None:
    flat = layout.flatten_ins().flatten_outs()
    assert flat.columns == layout.columns
    assert flat.in_dims == {next(iter(layout.in_dims)): 1 << layout.in_bits}
    assert flat.out_dims == {next(iter(layout.out_dims)): 1 << layout.out_bits}
    named = layout.flatten_ins("i").flatten_outs("o")
    assert (list(named.in_dims), list(named.out_dims)) == (["i"], ["o"])
    assert LinearLayout.empty().flatten_ins("i") is LinearLayout.empty()
    assert LinearLayout.empty().flatten_outs("o") is LinearLayout.empty()


@st.composite
def parts(draw: st.DrawFn, bits: int) -> list[int]:
    """Cut a number of bits into one to three parts."""
    first = draw(st.integers(0, bits))
    second = draw(st.integers(0, bits - first))
    return draw(
        st.sampled_from([[bits], [first, bits - first], [first, second, bits - first - second]])
    )


def joined(point: Point, sizes: dict[str, int]) -> int:
    """Return the flat number of a point, the first dimension lowest."""
    number, weight = 0, 1
    for name, size in sizes.items():
        number += point[name] * weight
        weight *= size
    return number


def split(number: int, sizes: dict[str, int]) -> Point:
    """Return the point of a flat number."""
    point = {}
    for name, size in sizes.items():
        number, point[name] = divmod(number, size)
    return point


@given(small(), st.data())
def test_resizing(layout: LinearLayout, data: st.DataObject) -> None:
    name, size = data.draw(st.sampled_from([*layout.in_dims.items()]))
    shorter = layout.resize_in(name, data.draw(powers(size.bit_length() - 1)))
    for point in points(shorter.in_dims):
        assert image(shorter, point) == image(layout, point)
    out, size = data.draw(st.sampled_from([*layout.out_dims.items()]))
    smaller = layout.resize_out(out, data.draw(powers(size.bit_length() - 1)))
    index = list(layout.out_dims).index(out)
    for name, vectors in layout.bases.items():
        expected = [list(vector) for vector in vectors]
        for vector in expected:
            vector[index] = vector[index] if vector[index] < smaller.out_size(out) else 0
        assert smaller.bases[name] == expected


@given(small(), st.data())
def test_a_sublayout_is_the_layout_with_other_inputs_at_zero(
    layout: LinearLayout, data: st.DataObject
) -> None:
    ins = data.draw(st.lists(st.sampled_from([*layout.in_dims]), min_size=1, unique=True))
    outs = data.draw(st.lists(st.sampled_from([*layout.out_dims]), min_size=1, unique=True))
    part = layout.sublayout(ins, outs)
    assert list(part.in_dims) == [name for name in layout.in_dims if name in ins]
    assert part.out_dims == {n: size for n, size in layout.out_dims.items() if n in outs}
    for point in points(part.in_dims):
        whole = image(layout, dict.fromkeys(layout.in_dims, 0) | point)
        assert image(part, point) == {name: whole[name] for name in part.out_dims}
    assert layout.sublayout_is_zero(ins, outs) == (not any(part.columns))


@given(small(), small())
def test_concatenation_and_its_parts(first: LinearLayout, second: LinearLayout) -> None:
    renamed = second
    for name in list(second.in_dims):
        renamed = renamed.rename_in(name, f"other {name}")
    if renamed.outs == first.outs:
        both = first.concat_ins(renamed)
        assert both.sublayout(list(first.in_dims), list(first.out_shifts)) is first
        assert both.sublayout(list(renamed.in_dims), list(first.out_shifts)) is renamed
    beside = first.flatten_outs("other")
    both = first.concat_outs(beside)
    assert both.sublayout(list(first.in_dims), ["other"]) is beside
    assert both.sublayout(list(first.in_dims), list(first.out_shifts)) is first


@given(small())
def test_dimensions_of_size_1_go_away(layout: LinearLayout) -> None:
    wide = layout * LinearLayout.identity_1d(1, "block", "unit")
    assert wide.unsqueeze_in("block").unsqueeze_out("unit") is layout


@given(small())
def test_renaming_and_zero_bases(layout: LinearLayout) -> None:
    assert layout.rename_out("dim0", "x").out_bits == layout.out_bits
    assert layout.rename_out("dim0", "x").rename_out("x", "dim0") is layout
    assert layout.rename_in("lane", "lane") is layout
    without = layout.remove_zero_bases("register")
    assert [v for v in layout.images("register") if v] == list(without.images("register"))
    assert without.images("lane") == layout.images("lane")


def test_equality_but_for_sizes() -> None:
    small_a = LinearLayout.from_bases({"r": [[1]]}, {"a": 2})
    large_a = LinearLayout.from_bases({"r": [[1]]}, {"a": 4}, surjective=False)
    small_b = LinearLayout.from_bases({"r": [[1]]}, {"b": 2})
    assert small_a is not large_a
    assert small_a.equals_ignoring_out_sizes(large_a)
    assert not small_a.equals_ignoring_out_sizes(small_b)
    assert not small_a.equals_ignoring_out_sizes(LinearLayout.zeros_1d(2, "r", "a", 2))


# -- evaluation ---------------------------------------------------------------------------------


@given(small())
def test_apply_adds_the_bases_of_the_bits(layout: LinearLayout) -> None:
    for point in points(layout.in_dims):
        assert layout.apply(point) == image(layout, point)


@given(small())
def test_tables_agree_with_apply(layout: LinearLayout) -> None:
    table, packed = layout.table(), layout.packed_table()
    grids = np.indices(list(layout.in_dims.values()))
    coordinates = layout.apply(dict(zip(layout.in_dims, grids, strict=True)))
    assert table.shape == (*layout.in_dims.values(), len(layout.outs))
    for d, name in enumerate(layout.out_dims):
        assert (table[..., d] == coordinates[name]).all()
    for number in {0, packed.size - 1, packed.size // 2}:
        point = split(number, layout.in_dims)
        assert tuple(layout.apply(point).values()) == layout.unpack(int(packed[number]))


@given(layouts())
def test_the_matrix_multiplies(layout: LinearLayout) -> None:
    bits = np.arange(layout.in_bits) % 2
    product = layout.matrix().astype(int) @ bits % 2
    expected = 0
    for bit, column in zip(bits, layout.columns, strict=True):
        expected ^= column if bit else 0
    assert [expected >> b & 1 for b in range(layout.out_bits)] == product.tolist()


def test_arrays_broadcast() -> None:
    rows = SQUARE.apply({"register": np.arange(4)[None, :], "lane": np.arange(4)[:, None]})
    assert (rows["dim1"] == np.arange(4)[None, :] ^ np.arange(4)[:, None]).all()
    assert (SQUARE.apply({"register": np.arange(4), "lane": 0})["dim0"] == 0).all()
    assert LinearLayout.empty().table().shape == (0,)
    empty = SQUARE.apply({"register": np.empty(0, np.int64), "lane": 0})
    assert empty["dim0"].shape == (0,)


def test_a_large_table_is_computed_anew() -> None:
    layout = LinearLayout.identity_1d(1 << 17, "r", "a")
    assert layout.packed_table() is not layout.packed_table()
    assert (layout.packed_table() == np.arange(1 << 17)).all()
    small_table = LinearLayout.identity_1d(1 << 16, "r", "a")
    assert small_table.packed_table() is small_table.packed_table()


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearLayout.identity_1d(3, "r", "d"), "the size of r must be a power of two"),
        (lambda: LinearLayout.strided_1d(4, 3, "r", "d"), "the stride must be a power of two"),
        (lambda: LinearLayout.zeros_1d(2, "r", "d", 3), "the size of d must be a power of two"),
        (lambda: LinearLayout.from_bases({"r": [[2]]}, ["a"]), "the layout is not surjective"),
        (lambda: SQUARE.images("warp"), "no in-dimension warp"),
        (lambda: SQUARE.in_size("warp"), "no in-dimension warp"),
        (lambda: PAIR.basis("r", 1), "r has 1 bits"),
        (lambda: PAIR.basis("r", -1), "r has 1 bits"),
        (lambda: PAIR.out_size("c"), "no out-dimension c"),
        (lambda: LINE * PAIR.transpose_outs(["b", "a"]) * PAIR, "orders that disagree"),
        (lambda: PAIR.quotient(["c"]), "no dimension c"),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a").invert(),
            "a layout that is not invertible has no inverse",
        ),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a", 2).pseudoinvert(),
            "the outer layout must reach every output that the inner one reaches",
        ),
        (
            lambda: LINE.compose(LinearLayout.identity_1d(4, "b", "c")),
            "the inner layout's out-dimensions must be the outer one's in-dimensions",
        ),
        (
            lambda: LINE.compose(LinearLayout.identity_1d(2, "a", "c")),
            "a must not be larger than in the outer layout, 2",
        ),
        (
            lambda: LINE.invert_and_compose(LinearLayout.identity_1d(4, "b", "c")),
            "both layouts must have the same out-dimensions",
        ),
        (
            lambda: LINE.invert_and_compose(LinearLayout.identity_1d(2, "b", "a")),
            "a must not be larger than in the outer layout, 2",
        ),
        (
            lambda: LINE.invert_and_compose(LinearLayout.zeros_1d(2, "b", "a", 4)),
            "the outer layout must reach every output that the inner one reaches",
        ),
        (lambda: SQUARE.transpose_ins(["lane"]), "the order must name each in-dimension once"),
        (lambda: SQUARE.transpose_outs(["dim0"]), "the order must name each out-dimension once"),
        (lambda: SQUARE.reshape_outs({"a": 8}), "the new out-dimensions must have 16 values"),
        (lambda: SQUARE.reshape_ins({"a": 8}), "the new in-dimensions must have 16 values"),
        (lambda: SQUARE.resize_in("lane", 8), "lane can only shrink: its size is 4"),
        (lambda: SQUARE.resize_out("dim1", 8), "dim1 can only shrink: its size is 4"),
        (lambda: SQUARE.resize_out("x", 8), "no out-dimension x"),
        (lambda: SQUARE.sublayout(["lane"], ["x"]), "no out-dimension x"),
        (lambda: SQUARE.sublayout(["x"], ["dim0"]), "no in-dimension x"),
        (lambda: PAIR.rename_in("r", "l"), "there is an in-dimension l already"),
        (lambda: PAIR.rename_in("x", "y"), "no in-dimension x"),
        (lambda: PAIR.rename_out("a", "b"), "there is an out-dimension b already"),
        (lambda: PAIR.rename_out("c", "b"), "no out-dimension c"),
        (lambda: PAIR.concat_ins(PAIR), "both layouts have the in-dimension r"),
        (lambda: PAIR.concat_outs(PAIR), "both layouts have the out-dimension a"),
        (
            lambda: PAIR.concat_ins(LinearLayout.identity_1d(2, "x", "a")),
            "the same out-dimensions and sizes",
        ),
        (
            lambda: PAIR.concat_outs(LinearLayout.identity_1d(2, "r", "c")),
            "the same in-dimensions and sizes",
        ),
        (lambda: PAIR.unsqueeze_in("r"), "r must have size 1 to go away"),
        (lambda: PAIR.unsqueeze_out("a"), "a must have size 1 to go away"),
        (lambda: PAIR.remove_zero_bases("x"), "no in-dimension x"),
        (lambda: SQUARE.apply({"register": 4, "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": -1, "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": 0}), "no value for in-dimension lane"),
        (lambda: SQUARE.apply({"register": 0, "lane": 0, "x": 0}), "no in-dimension x"),
        (lambda: SQUARE.apply({"register": np.array([4]), "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": np.array([-1]), "lane": 0}), "register must be in 0..3"),
        (lambda: SQUARE.apply({"register": np.array([0])}), "no value for in-dimension lane"),
        (lambda: SQUARE.apply({"register": np.array([0.5]), "lane": 0}), "must hold integers"),
        (lambda: LinearLayout.zeros_1d(1 << 29, "r", "a").table(), "at most 2^28 inputs"),
        (
            lambda: LinearLayout.zeros_1d(2, "r", "a", 1 << 63).table(),
            "outputs of 62 bits",
        ),
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


# -- beside Triton ------------------------------------------------------------------------------


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
