"""How a tensor is shared out over the blocks of a cluster.

#ttg.blocked<{…, CGALayout = [[0, 1]]}>      two blocks: the second holds the odd half of
                                             dimension 1, each of 128x64 holds 128x32
"""

from __future__ import annotations

from collections.abc import Sequence
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
from weft.layouts.linear import LinearLayout

__all__ = ["blocked_like", "cta_tile_shape", "cga_bases", "shape_per_cta", "cta_tile_layout"]

Vectors = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=4096)
def cga_bases(encoding: Encoding) -> Vectors:
    """Return where the blocks 1, 2, 4 … of a cluster stand, in blocks per dimension.

    Raises: LayoutError: a layout that does not say.
    """
    if isinstance(encoding, SliceEncoding):
        dim = encoding.dim
        return tuple((*v[:dim], *v[dim + 1 :]) for v in cga_bases(encoding.parent))
    if isinstance(encoding, DotOperandEncoding):
        inner = encoding.parent.rank - (1 if encoding.op_idx == 0 else 2)
        return tuple(
            tuple(0 if dim == inner else at for dim, at in enumerate(vector))
            for vector in cga_bases(encoding.parent)
        )
    if isinstance(
        encoding, BlockedEncoding | NvidiaMmaEncoding | AmdMfmaEncoding | AmdWmmaEncoding
    ):
        return encoding.cga_layout
    if isinstance(encoding, LinearEncoding) and not encoding.block:
        return ()
    raise LayoutError("which block of a cluster holds what is not told", found=str(encoding))


@lru_cache(maxsize=16384)
def shape_per_cta(encoding: Encoding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that one block of a cluster holds of a tensor."""
    split = [1] * len(shape)
    for vector in cga_bases(encoding):
        for dim, at in enumerate(vector):
            split[dim] = max(split[dim], 2 * at)
    return tuple(max(1, size // parts) for size, parts in zip(shape, split, strict=True))


@lru_cache(maxsize=16384)
def cta_tile_shape(layout: LinearLayout) -> tuple[int, ...]:
    """Return the shape of what one block of a cluster holds, whatever the layout is made of.

    Raises: LayoutError: the blocks do not hold boxes, one beside the other.
    """
    sizes = list(layout.out_dims.values())
    split = {place for place in map(layout.unpack, layout.images("block")) if any(place)}
    for place in sorted(split, key=sum, reverse=True):
        dim = next(dim for dim, at in enumerate(place) if at)
        sizes[dim] //= 2
        if place.count(0) != len(place) - 1 or place[dim] != sizes[dim]:
            raise _no_box(layout)
    for name in layout.bases:
        for place in map(layout.unpack, layout.images(name)) if name != "block" else ():
            if any(at >= size for at, size in zip(place, sizes, strict=True)):
                raise _no_box(layout)
    return tuple(sizes)


@lru_cache(maxsize=16384)
def cta_tile_layout(layout: LinearLayout) -> LinearLayout:
    """Return the layout of the box that a block holds; the blocks' bits step nowhere in it.

    Raises: LayoutError: as of `cta_tile_shape`.
    """
    found = layout
    for (dim, size), own in zip(layout.out_dims.items(), cta_tile_shape(layout), strict=True):
        if own != size:
            found = found.resize_out(dim, own)
    return found


def _no_box(layout: LinearLayout) -> LayoutError:
    return LayoutError(
        "the blocks of a cluster must hold boxes, one beside the other",
        found=[layout.unpack(image) for image in layout.images("block")],
        accepted=["the highest bits of a dimension, each for one block bit"],
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
    """Return the blocked layout with these sizes per thread, over the same blocks as another.

    Args: encoding: the layout whose share of each block stays.  sizes, order: per dimension.
    warps: of a block.  lanes: threads of a warp.
    """
    share = shape_per_cta(encoding, shape)
    one = default_blocked(share, warps, lanes, 1, sizes, order)
    vectors: Sequence[Sequence[int]] = cga_bases(encoding)
    if not vectors:
        return one
    return BlockedEncoding(
        one.size_per_thread, one.threads_per_warp, one.warps_per_cta, one.order, vectors
    )
