"""Other orders, sizes and names of dimensions, on up to 2^12 points."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.linear_layout.points import image, joined, points, small, split
from tests.layouts.strategies import powers
from weft.layouts import LinearLayout


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
