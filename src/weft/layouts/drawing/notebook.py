"""Layouts as HTML, for notebooks.

An encoding has no shape, so it is drawn for one tile, the tensor in which each thread has its
elements once, of 16 elements at least along the last two dimensions:

    #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], …}>
    → the picture of a 32x16 tensor

A buffer of shared memory is drawn for the smallest tensor of 8 rows that its encoding accepts. A
picture of too many cells is replaced by the text of the linear layout.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.errors import LayoutError
from weft.layouts.drawing.element_tables import is_distributed, is_shared
from weft.layouts.drawing.html import html
from weft.layouts.drawing.picture import picture
from weft.layouts.encodings import Encoding
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.thread_distribution import shape_per_cta_tile
from weft.notebook import LAYOUTS, frame, preformatted

__all__ = ["encoding_html", "layout_html", "tile_shape"]

_MIN_EXTENT = 16
_LARGE = 1 << 20  # larger along a dimension than the tile of any encoding
_SHARED_ROWS, _SHARED_COLUMNS = 8, 16  # the smallest buffer to draw
_MAX_SHARED_COLUMNS = 512


@LAYOUTS.register("layout")
def layout_html(layout: LinearLayout) -> str:
    """Draw a linear layout; its text if it cannot be drawn."""
    return _html(layout, "linear layout")


def _html(layout: LinearLayout, title: str) -> str:
    if is_distributed(layout) or is_shared(layout):
        try:
            return frame(title, html(picture(layout, title)), height="60vh")
        except LayoutError:
            pass  # too many cells
    return preformatted(f"{title}\n{layout}".strip())


@LAYOUTS.register("encoding")
def encoding_html(encoding: Encoding) -> str:
    """Draw one tile of an encoding; its text if it has no linear layout."""
    shape = tile_shape(encoding)
    if shape is None:
        return preformatted(str(encoding))
    size = "x".join(map(str, shape))
    return _html(encoding.linear(shape), f"{encoding}, {size} elements")


def tile_shape(encoding: Encoding) -> tuple[int, ...] | None:
    """Find the shape of the tensor to draw an encoding for.

    Returns:
        A power of two for each dimension; None if the encoding has no linear layout.
    """
    for shape in _candidates(encoding):
        try:
            layout = encoding.linear(shape)
        except LayoutError:
            continue
        return _tile(encoding, layout, shape) if is_distributed(layout) else shape
    return None


def _candidates(encoding: Encoding) -> Iterator[tuple[int, ...]]:
    """Yield shapes to try: one large tensor, or the smallest buffer and wider ones."""
    if encoding.family == "unresolved":
        return
    rank = encoding.rank
    if encoding.family == "distributed":
        yield (_LARGE,) * rank
        return
    columns = _SHARED_COLUMNS
    while columns <= _MAX_SHARED_COLUMNS:
        rows = (1,) * (rank - 2) + (_SHARED_ROWS,) * min(rank - 1, 1)
        yield (*rows, columns)
        columns *= 2


def _tile(encoding: Encoding, layout: LinearLayout, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Find the tile of all CTAs of the cluster, enlarged to what is worth a picture.

    Args:
        encoding: A distributed encoding.
        layout: Its layout of a tensor that is larger than the tile.
        shape: The shape of that tensor.
    """
    tile = list(shape_per_cta_tile(encoding, shape))
    for vector in layout.bases["block"]:
        for dim, coordinate in enumerate(vector):
            tile[dim] *= 2 if coordinate else 1
    first = len(tile) - 2
    return tuple(max(size, _MIN_EXTENT if dim >= first else 1) for dim, size in enumerate(tile))
