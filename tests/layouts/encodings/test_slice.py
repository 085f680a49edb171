"""Slices of blocked encodings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.strategies import encoded_shapes
from weft.layouts import BlockedEncoding, SliceEncoding


@given(encoded_shapes(2), st.data())
def test_a_slice_is_the_parent_without_a_dimension(
    case: tuple[BlockedEncoding, tuple[int, ...]], data: st.DataObject
) -> None:
    parent, shape = case
    dim = data.draw(st.integers(0, len(shape) - 1))
    rest = (*shape[:dim], *shape[dim + 1 :])
    layout = SliceEncoding(dim, parent).linear(rest)
    whole = parent.linear((*shape[:dim], 1, *shape[dim + 1 :]))
    for name in ("lane", "warp", "block"):
        assert layout.bases[name] == [v[:dim] + v[dim + 1 :] for v in whole.bases[name]]
    assert all(map(any, layout.bases["register"]))


def test_a_reduction_along_lanes_leaves_zero_bases() -> None:
    parent = BlockedEncoding((1, 4), (4, 8), (1, 1), (1, 0))
    bases = SliceEncoding(1, parent).linear((8,)).bases
    assert bases["register"] == [[4]]  # the registers along dimension 1 are gone
    assert bases["lane"] == [[0], [0], [0], [1], [2]]  # its lanes broadcast
