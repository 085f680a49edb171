"""Tiles that grow into the layout of a tensor, beside products of linear layouts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import cga_vectors, powers
from weft.layouts import LinearLayout
from weft.layouts.layout_transforms import at_least, at_most
from weft.layouts.tile_builder import (
    TileBuilder,
    dimension_names,
    fit_tile,
)

factors = st.lists(
    st.tuples(st.sampled_from(["register", "lane", "warp"]), powers(3), st.integers(0, 1)),
    min_size=1,
    max_size=6,
)


def product(parts) -> LinearLayout:
    """Return the product of all parts, with every in-dimension and both dimensions in it."""
    out = LinearLayout.identity_1d(1, "register", "dim1") * LinearLayout.identity_1d(
        1, "lane", "dim0"
    )
    out = out * LinearLayout.identity_1d(1, "warp", "dim0")
    for in_dim, size, dim in parts:
        out = out * LinearLayout.identity_1d(size, in_dim, f"dim{dim}")
    return out


@given(factors, st.tuples(powers(5), powers(5)))
def test_a_tile_is_a_product_that_is_wrapped_and_repeated(parts, shape) -> None:
    tile = TileBuilder(shape)
    for in_dim, dim in (("register", 1), ("lane", 0), ("warp", 0)):
        tile.add(in_dim, 1, dim)
    for part in parts:
        tile.add(*part)
    sizes = dict(zip(dimension_names(2), shape, strict=True))
    expected = at_most(at_least(product(parts), sizes), sizes).transpose_outs(dimension_names(2))
    layout = tile.build()
    assert {n: v for n, v in layout.bases.items() if n != "block"} == expected.bases
    assert layout.out_dims == sizes
    assert layout.in_size("block") == 1


@given(factors, st.tuples(powers(5), powers(5)), cga_vectors(2, 2))
def test_blocks_hold_parts(parts, shape, cga) -> None:
    """The part of block 0 is laid out as if it were alone, and each vector steps over parts."""
    whole = fit_tile(product(parts), cga, shape)
    part = TileBuilder(shape, cga).shape_per_cta
    alone = fit_tile(product(parts), (), part)
    for name in ("register", "lane", "warp"):
        assert whole.bases[name] == alone.bases[name]
    assert whole.bases["block"] == [
        [e * p if e < s else 0 for e, p, s in zip(v, part, shape, strict=True)] for v in cga
    ]
    assert whole.is_surjective


def test_broadcast_has_zero_bases() -> None:
    tile = TileBuilder((4, 4))
    tile.add("register", 2, 1)
    tile.add_grid("lane", (2, 4), (1, 0), broadcast=1)
    assert tile.build().bases == {
        "register": [[0, 1], [0, 2], [2, 0]],
        "lane": [[0, 0], [0, 0], [1, 0]],
        "block": [],
    }


def test_filling_and_order() -> None:
    tile = TileBuilder((8, 4))
    tile.add("register", 1, 1)
    tile.add("lane", 2, 0)
    tile.set_order((0, 1))
    tile.repeat(1, 2)
    assert tile.sizes == {0: 2, 1: 2}
    assert tile.build().bases["register"] == [[0, 1], [2, 0], [4, 0], [0, 2]]


def test_vectors_of_several_dimensions() -> None:
    tile = TileBuilder((4, 4))
    tile.add("offset", 2, 1)
    tile.add_vectors({"offset": [(1, 1), (2, 4)]}, {0: 4, 1: 2})
    assert tile.build().bases["offset"] == [[0, 1], [1, 2], [2, 0]]
