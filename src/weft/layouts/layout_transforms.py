"""Derive a layout from another: the same map on another shape, or with parts blanked out.

`reshape_row_major` reads the tensor's elements in the order in which a program counts them, the
last dimension fastest; a 4x8 layout becomes the 2x16 layout of the same elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = [
    "broadcast_as",
    "is_square_identity",
    "remove_dimension",
    "repetitions",
    "reshape_row_major",
    "transpose",
    "zeros_like",
]


def zeros_like(layout: LinearLayout) -> LinearLayout:
    """Return the layout of the same dimensions and sizes that maps everything to 0."""
    return LinearLayout(tuple((n, (0,) * len(v)) for n, v in layout.ins), layout.outs)


def is_square_identity(first: LinearLayout, second: LinearLayout, dims: Sequence[str]) -> bool:
    """Return whether `dims` have equal vectors in both layouts, so that a conversion keeps them."""
    sizes = second.out_dims
    aligned = second.transpose_outs(list(first.starts)) if sizes != first.out_dims else second
    return first.out_dims == aligned.out_dims and all(
        first.images(dim) == aligned.images(dim) for dim in dims
    )


def reshape_row_major(layout: LinearLayout, shape: Sequence[int]) -> LinearLayout:
    """Return the layout of the same elements as a tensor of another shape.

    Args: shape: of as many elements in all; the result's dimensions are dim0, dim1 …
    """
    if math.prod(shape) != 1 << layout.out_bits:
        raise LayoutError(
            f"the new shape must have {1 << layout.out_bits} elements",
            found="x".join(map(str, shape)),
        )
    names = dimension_names(len(shape))
    lowest_first = layout.transpose_outs(list(reversed(list(layout.starts))))
    split = lowest_first.reshape_outs(dict(zip(reversed(names), reversed(shape), strict=True)))
    return split.transpose_outs(names)


def transpose(layout: LinearLayout, order: Sequence[int]) -> LinearLayout:
    """Return the layout of the tensor whose dimension i is the old dimension order[i]."""
    names = list(layout.starts)
    if sorted(order) != list(range(len(names))):
        raise LayoutError(
            f"the order must be a permutation of 0..{len(names) - 1}", found=list(order)
        )
    moved = layout.transpose_outs([names[d] for d in order])
    sizes = tuple(zip(names, moved.out_dims.values(), strict=True))
    return LinearLayout(moved.ins, sizes)


def remove_dimension(layout: LinearLayout, dim: int) -> LinearLayout:
    """Return the layout without one out-dimension, the later ones renamed."""
    names = list(layout.starts)
    if not 0 <= dim < len(names):
        raise LayoutError(f"the dimension must be in 0..{len(names) - 1}", found=dim)
    kept = layout.sublayout(list(layout.in_dims), names[:dim] + names[dim + 1 :])
    sizes = zip(dimension_names(len(names) - 1), kept.out_dims.values(), strict=True)
    return LinearLayout(kept.ins, tuple(sizes))


def broadcast_as(layout: LinearLayout, other: LinearLayout, in_dim: str) -> LinearLayout:
    """Return the layout with zero vectors in `in_dim` where the other one has them.

    Raises: LayoutError where the other one has not as many vectors besides.
    """
    images = iter(layout.images(in_dim))
    wanted = other.images(in_dim)
    if sum(1 for v in wanted if v) != len(layout.images(in_dim)):
        raise LayoutError(
            f"{in_dim} must have as many bits as the other layout has vectors that are not zero",
            found=len(layout.images(in_dim)),
            accepted=[str(sum(1 for v in wanted if v))],
        )
    spread = tuple(next(images) if v else 0 for v in wanted)
    ins = tuple((n, spread if n == in_dim else v) for n, v in layout.ins)
    return LinearLayout(ins, layout.outs)


def repetitions(layout: LinearLayout, tile: LinearLayout) -> LinearLayout | None:
    """Return where each repetition of a tile starts; None where the tile does not repeat.

    The tile's vectors become zero, and no other vector may touch the bits that they span; bits of
    the tile's dimensions that it does not span may be used.
    """
    if any(layout.out_dims.get(name, 0) < size for name, size in tile.outs):
        return None
    span, ins = 0, []
    for name, _ in tile.ins:
        if name not in layout.in_dims:
            return None
    aligned = {
        name: [
            sum(e << layout.starts[n] for (n, _), e in zip(tile.outs, tile.unpack(v), strict=True))
            for v in images
        ]
        for name, images in tile.ins
    }
    for name, images in layout.ins:
        own = aligned.get(name, [])
        if list(images[: len(own)]) != own:
            return None
        for vector in own:
            span |= vector
        ins.append((name, (0,) * len(own) + images[len(own) :]))
    found = LinearLayout(tuple(ins), layout.outs)
    return None if any(column & span for column in found.columns) else found
