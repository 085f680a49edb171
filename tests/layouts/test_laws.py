"""The laws of every operation, point by point, on up to 2^12 points.

An operation is compared with what its definition says of all inputs, evaluated from the vectors
alone: nothing of what is tested takes part in the expectation.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.layouts.strategies import bijections, layouts, powers
from weft.layouts import LinearLayout
from weft.layouts.tile_builder import dimension_names

MOST = 1 << 12
Point = dict[str, int]


def points(sizes: dict[str, int]) -> list[Point]:
    """Return every input of these sizes."""
    ranges = (range(size) for size in sizes.values())
    return [dict(zip(sizes, numbers, strict=True)) for numbers in itertools.product(*ranges)]


def image(layout: LinearLayout, point: Point) -> Point:
    """Return where an input goes, by XOR of the vectors of its bits."""
    found = dict.fromkeys(layout.out_dims, 0)
    for name, vectors in layout.bases.items():
        for bit, vector in enumerate(vectors):
            if point[name] >> bit & 1:
                for dim, entry in zip(found, vector, strict=True):
                    found[dim] ^= entry
    return found


@st.composite
def small(draw: st.DrawFn, *, surjective: bool = False) -> LinearLayout:
    layout = draw(layouts(surjective=surjective))
    assume(layout.in_bits <= 12)
    return layout


@st.composite
def chains(draw: st.DrawFn) -> tuple[LinearLayout, LinearLayout]:
    """Two layouts of which the second takes what the first gives."""
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
def test_composition_is_one_after_the_other(pair) -> None:
    inner, outer = pair
    whole = inner.compose(outer)
    for point in points(inner.in_dims):
        assert image(whole, point) == image(outer, image(inner, point))


@given(chains(), st.data())
def test_composition_is_associative(pair, data: st.DataObject) -> None:
    inner, outer = pair
    sizes = outer.out_dims
    last = LinearLayout.from_bases(
        {
            name: [(data.draw(st.integers(0, 7)),) for _ in range(size.bit_length() - 1)]
            for name, size in sizes.items()
        },
        {"end": 8},
        surjective=False,
    )
    assert inner.compose(outer).compose(last) is inner.compose(outer.compose(last))


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


@given(bijections())
def test_an_inverse_finds_every_point_again(layout: LinearLayout) -> None:
    back = layout.invert()
    for point in points(layout.in_dims):
        assert image(back, image(layout, point)) == point
    assert back.invert() is layout


@given(small(surjective=True))
def test_a_right_inverse_finds_every_output(layout: LinearLayout) -> None:
    back = layout.pseudoinvert()
    for point in points(layout.out_dims):
        assert image(layout, image(back, point)) == point


@given(small(surjective=True), st.data())
def test_invert_and_compose_finds_the_same_everywhere(
    outer: LinearLayout, data: st.DataObject
) -> None:
    sizes = {n: data.draw(powers(size.bit_length() - 1)) for n, size in outer.out_dims.items()}
    vector = st.tuples(*(st.integers(0, size - 1) for size in sizes.values()))
    bases = {n: data.draw(st.lists(vector, max_size=3)) for n in ("register", "lane", "warp")}
    inner = LinearLayout.from_bases(bases, sizes, surjective=False)
    where = inner.invert_and_compose(outer)
    for point in points(inner.in_dims):
        assert image(outer, image(where, point)) == image(inner, point)


@given(small(), small())
def test_what_is_divided_out_multiplies_back(factor: LinearLayout, rest: LinearLayout) -> None:
    left, right = (factor * rest).divide_left(factor), (rest * factor).divide_right(factor)
    assert left is not None
    assert right is not None
    assert factor * left is factor * rest
    assert right * factor is rest * factor


@given(small(), st.integers(0, 2), st.integers(0, 2))
def test_division_finds_a_quotient_if_there_is_one(
    whole: LinearLayout, registers: int, lanes: int
) -> None:
    """An identity divides what counts on in its lowest bits and nowhere else touches them."""
    out = next(iter(whole.out_dims))
    factor = LinearLayout.identity_1d(1 << registers, "register", out)
    factor *= LinearLayout.identity_1d(1 << lanes, "lane", out)
    assume(whole.out_size(out) >= 1 << (registers + lanes))
    assume(whole.in_size("register") >= 1 << registers)
    assume(whole.in_size("lane") >= 1 << lanes)
    low = 1 << (registers + lanes)
    wanted = True
    for point in points(whole.in_dims):
        found = image(whole, point)
        part = {
            "register": point["register"] % (1 << registers),
            "lane": point["lane"] % (1 << lanes),
        }
        wanted &= found[out] % low == part["register"] + (part["lane"] << registers)
        if not any(point[n] != part.get(n, 0) for n in point):
            wanted &= found == {n: found[n] % low if n == out else 0 for n in found}
    assert (whole.divide_left(factor) is not None) == wanted


@given(small(), st.integers(0, 2))
def test_an_identity_is_the_quotient_s_other_factor(layout: LinearLayout, bits: int) -> None:
    whole = layout * LinearLayout.identity_1d(1 << bits, "block", "block")
    assume("block" not in layout.in_dims)
    assert whole.is_trivial_over(["block"])
    rest = whole.quotient(["block"])
    assert rest is not None
    assert rest * LinearLayout.identity_1d(1 << bits, "block", "block") is whole


@given(small())
def test_free_bits_can_be_left_at_zero(layout: LinearLayout) -> None:
    """As many are free as the rank leaves over, and without them the same outputs are reached."""
    free = layout.free_variable_masks()
    assert sum(mask.bit_count() for mask in free.values()) == layout.in_bits - layout.rank
    every = {tuple(image(layout, p).values()) for p in points(layout.in_dims)}
    kept = [
        tuple(image(layout, p).values())
        for p in points(layout.in_dims)
        if not any(p[name] & free[name] for name in p)
    ]
    assert len(kept) == len(set(kept))
    assert set(kept) == every


@given(small())
def test_rank_and_its_kinds(layout: LinearLayout) -> None:
    every = {tuple(image(layout, p).values()) for p in points(layout.in_dims)}
    assert len(every) == 1 << layout.rank
    assert layout.is_surjective == (len(every) == 1 << layout.out_bits)
    assert layout.is_injective == (len(every) == 1 << layout.in_bits)
    assert layout.is_invertible == (layout.is_surjective and layout.is_injective)


@given(small(), st.data())
def test_reshaping_reads_the_same_bits(layout: LinearLayout, data: st.DataObject) -> None:
    ins = {f"i{d}": 1 << bits for d, bits in enumerate(data.draw(parts(layout.in_bits)))}
    outs = {f"o{d}": 1 << bits for d, bits in enumerate(data.draw(parts(layout.out_bits)))}
    made = layout.reshape_ins(ins).reshape_outs(outs)
    assert made.in_dims == ins
    assert made.out_dims == outs
    for point in points(layout.in_dims):
        flat = joined(point, layout.in_dims)
        assert joined(image(made, split(flat, ins)), outs) == joined(
            image(layout, point), layout.out_dims
        )
    assert made.reshape_ins(layout.in_dims).reshape_outs(layout.out_dims) is layout
    assert layout.flatten_ins().flatten_outs().columns == layout.columns


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
    found, weight = 0, 1
    for name, size in sizes.items():
        found += point[name] * weight
        weight *= size
    return found


def split(flat: int, sizes: dict[str, int]) -> Point:
    """Return the point of a flat number."""
    found = {}
    for name, size in sizes.items():
        flat, found[name] = divmod(flat, size)
    return found


@given(small(), st.data())
def test_resizing_and_parts(layout: LinearLayout, data: st.DataObject) -> None:
    name, size = data.draw(st.sampled_from([*layout.in_dims.items()]))
    shorter = layout.resize_in(name, data.draw(powers(size.bit_length() - 1)))
    for point in points(shorter.in_dims):
        assert image(shorter, point) == image(layout, point)
    out, size = data.draw(st.sampled_from([*layout.out_dims.items()]))
    cut = layout.resize_out(out, data.draw(powers(size.bit_length() - 1)))
    for name, vectors in layout.bases.items():
        at = list(layout.out_dims).index(out)
        wanted = [
            [*v[:at], v[at] if v[at] < cut.out_size(out) else 0, *v[at + 1 :]] for v in vectors
        ]
        assert cut.bases[name] == wanted
    ins = data.draw(st.lists(st.sampled_from([*layout.in_dims]), min_size=1, unique=True))
    outs = data.draw(st.lists(st.sampled_from([*layout.out_dims]), min_size=1, unique=True))
    part = layout.sublayout(ins, outs)
    for point in points(part.in_dims):
        whole = image(layout, dict.fromkeys(layout.in_dims, 0) | point)
        assert image(part, point) == {name: whole[name] for name in part.out_dims}
    assert layout.sublayout_is_zero(ins, outs) == (not any(part.columns))


@pytest.mark.parametrize("bits", [0, 1, 5, 12])
def test_constructors(bits: int) -> None:
    size = 1 << bits
    assert size <= MOST
    for made, weight in (
        (LinearLayout.identity_1d(size, "i", "o"), 1),
        (LinearLayout.strided_1d(size, 4, "i", "o"), 4),
        (LinearLayout.zeros_1d(size, "i", "o", 2), 0),
    ):
        for number in range(size):
            assert image(made, {"i": number}) == {"o": number * weight}
