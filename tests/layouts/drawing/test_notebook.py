"""What a notebook shows of a layout."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layouts.strategies import blocked, layouts
from weft.layouts import (
    AutoEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearLayout,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
    TensorMemoryEncoding,
)
from weft.layouts.drawing.notebook import tile_shape

BLOCKED = BlockedEncoding((1, 4), (8, 4), (4, 1), (1, 0))
MMA = NvidiaMmaEncoding(2, 0, (2, 2), (16, 8))


@pytest.mark.parametrize(
    ("encoding", "shape"),
    [
        (BLOCKED, (32, 16)),
        (BlockedEncoding((8,), (32,), (4,), (0,)), (1024,)),
        (BlockedEncoding((1, 1, 1), (2, 4, 4), (4, 1, 1), (2, 1, 0)), (8, 16, 16)),
        (MMA, (32, 16)),
        (DotOperandEncoding(0, MMA, 2), (32, 16)),
        (SliceEncoding(1, BLOCKED), (32,)),
        (SwizzledSharedEncoding(8, 1, 8, (1, 0)), (8, 16)),
        (SwizzledSharedEncoding(1, 1, 1, (0,)), (16,)),
        (NvmmaSharedEncoding(128, 16, False), (8, 64)),
        (AutoEncoding(), None),
    ],
)
def test_the_shape_of_a_picture(encoding: Encoding, shape: tuple[int, ...] | None):
    assert tile_shape(encoding) == shape
    html = encoding._repr_html_()
    if shape is None:
        assert html.startswith("<pre")
        assert str(encoding) in unescape(html)
        return
    document = unescape(re.findall(r'srcdoc="([^"]*)"', html)[0])
    assert f"{'x'.join(map(str, shape))} elements" in unescape(document)
    cells = 1
    for size in shape:
        cells *= size
    assert document.count('class="cell') == cells


def test_an_encoding_without_a_picture_is_text():
    encoding = TensorMemoryEncoding(128, 64, 1)
    assert str(encoding) in unescape(encoding._repr_html_())


def test_a_layout():
    assert BLOCKED.linear((8, 8))._repr_html_().startswith("<iframe")
    large = BLOCKED.linear((256, 256))
    assert str(large) in unescape(large._repr_html_())
    assert "(empty layout)" in LinearLayout.empty()._repr_html_()


@given(st.integers(1, 3).flatmap(blocked))
def test_the_tile_of_a_blocked_encoding(encoding: BlockedEncoding):
    """It has all threads: a larger tensor repeats it in registers only."""
    shape = tile_shape(encoding)
    assert shape is not None
    layout, larger = (encoding.linear(tuple(factor * n for n in shape)) for factor in (1, 2))
    assert layout.is_surjective
    for dim in ("lane", "warp"):
        assert layout.bases[dim] == larger.bases[dim]


@settings(max_examples=20)
@given(layouts())
def test_every_layout_is_shown(layout: LinearLayout):
    assert layout._repr_html_().startswith(("<iframe", "<pre"))
