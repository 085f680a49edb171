"""How a tensor is split over the CTAs of a cluster (Triton: cooperative group array, CGA).

    #ttg.blocked<{…, CGALayout = [[0, 1]]}>

One basis vector means two CTAs. In units of a CTA's part, CTA 1 is one step along dimension 1 from
CTA 0: of a tensor of 128x64, each of them holds 128x32.
"""

from __future__ import annotations

from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.default_encoding import default_blocked
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
)
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = ["blocked_like", "cga_bases", "cta_tile_layout", "cta_tile_shape", "shape_per_cta"]

Vectors = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=4096)
def cga_bases(encoding: Encoding) -> Vectors:
    """Return the basis vectors over CTAs 1, 2, 4 … of a cluster, in units of a CTA's part.

    A layout that is not resolved yet is taken as that of a cluster of one CTA.

    Raises:
        LayoutError: the encoding has no CGA layout, or the CTAs of a linear layout do not hold
            boxes that lie side by side.
    """
    if isinstance(encoding, SliceEncoding):
        dim = encoding.dim
        return tuple((*v[:dim], *v[dim + 1 :]) for v in cga_bases(encoding.parent))
    if isinstance(encoding, DotOperandEncoding):
        # CTAs that hold different columns of the result hold the same part of the left operand.
        k = encoding.parent.rank - (1 if encoding.op_idx == 0 else 2)
        return tuple(
            tuple(0 if dim == k else entry for dim, entry in enumerate(vector))
            for vector in cga_bases(encoding.parent)
        )
    if isinstance(
        encoding, BlockedEncoding | NvidiaMmaEncoding | AmdMfmaEncoding | AmdWmmaEncoding
    ):
        return encoding.cga_layout
    if isinstance(encoding, LinearEncoding):
        return _linear_cga_bases(encoding) if encoding.block else ()
    if encoding.family == "unresolved":
        return ()
    raise LayoutError("the encoding has no CGA layout", found=str(encoding))


def _linear_cga_bases(encoding: LinearEncoding) -> Vectors:
    """Divide the basis vectors of the CTA by the shape of a CTA's part."""
    names = dimension_names(encoding.rank)
    bases = {
        "register": encoding.register,
        "lane": encoding.lane,
        "warp": encoding.warp,
        "block": encoding.block,
    }
    tile = cta_tile_shape(LinearLayout.from_bases(bases, names))
    return tuple(
        tuple(entry // size for entry, size in zip(vector, tile, strict=True))
        for vector in encoding.block
    )


@lru_cache(maxsize=16384)
def shape_per_cta(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the part of a tensor that one CTA holds, by the CGA layout."""
    split = [1] * len(shape)
    for vector in cga_bases(encoding):
        for dim, entry in enumerate(vector):
            split[dim] = max(split[dim], 2 * entry)
    return tuple(max(1, size // parts) for size, parts in zip(shape, split, strict=True))


@lru_cache(maxsize=16384)
def cta_tile_shape(layout: LinearLayout) -> tuple[int, ...]:
    """Return the shape of the part of a tensor that one CTA holds, by the linear layout.

    Raises:
        LayoutError: the parts are not boxes that lie side by side.
    """
    sizes = list(layout.out_dims.values())
    splits = {basis for basis in map(layout.unpack, layout.images("block")) if any(basis)}
    # Each basis of a CTA must be the highest remaining bit of a dimension, which it halves.
    for basis in sorted(splits, key=sum, reverse=True):
        dim = next(dim for dim, entry in enumerate(basis) if entry)
        sizes[dim] //= 2
        if basis.count(0) != len(basis) - 1 or basis[dim] != sizes[dim]:
            raise _no_boxes(layout)
    for name, images in layout.ins:
        for basis in map(layout.unpack, images) if name != "block" else ():
            if any(entry >= size for entry, size in zip(basis, sizes, strict=True)):
                raise _no_boxes(layout)
    return tuple(sizes)


@lru_cache(maxsize=16384)
def cta_tile_layout(layout: LinearLayout) -> LinearLayout:
    """Compute the layout of the part that one CTA holds; the bases of CTAs become 0.

    Raises:
        LayoutError: the parts are not boxes that lie side by side.
    """
    tile = layout
    for (dim, size), own_size in zip(layout.outs, cta_tile_shape(layout), strict=True):
        if own_size != size:
            tile = tile.resize_out(dim, own_size)
    return tile


def _no_boxes(layout: LinearLayout) -> LayoutError:
    return LayoutError(
        "the CTAs of a cluster must hold boxes that lie side by side",
        found=[layout.unpack(image) for image in layout.images("block")],
        accepted=["the highest bits of a dimension, each for one bit of the CTA"],
    )


@lru_cache(maxsize=16384)
def blocked_like(
    encoding: Encoding,
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    warps: int,
    lanes: int,
) -> BlockedEncoding:
    """Return a blocked encoding with the CGA layout of another encoding.

    Args:
        encoding: the other encoding.
        shape: the shape of the tensor.
        sizes: elements of a thread, per dimension.
        order: the dimensions, fastest first.
        warps: the number of warps of a CTA.
        lanes: the number of lanes of a warp.
    """
    tile = default_blocked(shape_per_cta(encoding, shape), warps, lanes, 1, sizes, order)
    vectors = cga_bases(encoding)
    if not vectors:
        return tile
    return BlockedEncoding(
        tile.size_per_thread, tile.threads_per_warp, tile.warps_per_cta, tile.order, vectors
    )
