"""How tensors are shared out over the blocks of a cluster."""

from __future__ import annotations

import pytest

from weft.errors import LayoutError
from weft.layouts import (
    BlockedEncoding,
    DotOperandEncoding,
    SliceEncoding,
    default_blocked,
    parse,
)
from weft.layouts.cga import blocked_like, cga_bases, cta_tile_shape, shape_per_cta
from weft.layouts.linear_layout import LinearLayout

TWO = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0), ((0, 1),))
FOUR = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0), ((1, 0), (0, 1)))


def test_shares():
    assert shape_per_cta(TWO, (128, 64)) == (128, 32)
    assert shape_per_cta(FOUR, (128, 64)) == (64, 32)
    assert shape_per_cta(SliceEncoding(0, FOUR), (64,)) == (32,)
    assert shape_per_cta(DotOperandEncoding(0, FOUR), (128, 64)) == (64, 64)
    assert shape_per_cta(DotOperandEncoding(1, FOUR), (128, 64)) == (128, 32)
    assert shape_per_cta(BlockedEncoding((1,), (32,), (4,), (0,)), (256,)) == (256,)


def test_a_layout_over_the_same_blocks():
    encoding = blocked_like(TWO, (128, 64), (1, 8), (1, 0), 4, 32)
    assert encoding.cga_layout == ((0, 1),)
    alone = default_blocked((128, 32), 4, 32, 1, (1, 8), (1, 0))
    assert encoding.threads_per_warp == alone.threads_per_warp
    assert blocked_like(alone, (128, 32), (1, 8), (1, 0), 4, 32) is alone


def test_linear_layouts_over_ctas():
    rows = parse(
        "#ttg.linear<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2]], warp = [[4, 0]], "
        "block = [[8, 0], [0, 0], [16, 0]]}>"
    )
    assert cga_bases(rows) == ((1, 0), (0, 0), (2, 0))
    assert shape_per_cta(rows, (32, 4)) == (8, 4)
    assert shape_per_cta(rows, (64, 4)) == (16, 4)
    interleaved = parse("#ttg.linear<{register = [[2]], lane = [], warp = [], block = [[1]]}>")
    with pytest.raises(LayoutError, match="must hold boxes that lie side by side"):
        cga_bases(interleaved)


def test_encoding_without_a_cga_layout():
    shared = parse(
        "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>"
    )
    with pytest.raises(LayoutError, match="the encoding has no CGA layout"):
        cga_bases(shared)


@pytest.mark.parametrize(
    ("block", "lane"),
    [((2, 0), (1, 0)), ((4, 4), (1, 0)), ((4, 0), (4, 1))],
    ids=["interleaved", "diagonal", "overlapping"],
)
def test_parts_of_ctas_that_are_not_boxes(block, lane):
    bases = {"lane": [lane, (0, 1)], "register": [(2, 0), (0, 2), (0, 4)], "block": [block]}
    layout = LinearLayout.from_bases(bases, {"dim0": 8, "dim1": 8}, surjective=False)
    with pytest.raises(LayoutError, match="must hold boxes that lie side by side"):
        cta_tile_shape(layout)
