"""Derive a layout from another one: resize, reshape and transpose the tensor, compare, blank out.

A tensor counts its elements in row-major order, the last dimension fastest, whereas a LinearLayout
packs its first dimension lowest. These functions take the tensor's view: `reshape_row_major` turns
a layout of 4x8 into one of 2x16 in which element (r, c) of 4x8 is (r / 2, 8 (r % 2) + c).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from weft.errors import LayoutError
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = [
    "at_least",
    "at_most",
    "broadcast_as",
    "is_square_identity",
    "remove_dimension",
    "repetitions",
    "reshape_row_major",
    "transpose",
    "zeros_like",
]


def at_least(layout: LinearLayout, sizes: Mapping[str, int]) -> LinearLayout:
    """Repeat a layout in its first in-dimension until it has these sizes.

    Args:
        layout: the layout.
        sizes: the least size of each out-dimension, a power of two.
    """
    first = layout.ins[0][0]
    for name, size in layout.outs:
        if size < sizes[name]:
            layout = layout * LinearLayout.identity_1d(sizes[name] // size, first, name)
    return layout


def at_most(
    layout: LinearLayout, sizes: Mapping[str, int], *, drop: Sequence[str] = ()
) -> LinearLayout:
    """Wrap a layout at these sizes: bases beyond them become 0 there.

    Args:
        layout: the layout.
        sizes: the largest size of each out-dimension, a power of two.
        drop: in-dimensions whose bits are removed, instead of becoming 0, when they wrap.
    """
    for name, size in layout.outs:
        if size <= sizes[name]:
            continue
        shift, mask = layout.out_shifts[name], size - 1
        ins = tuple(
            (n, tuple(v for v in images if n not in drop or (v >> shift & mask) < sizes[name]))
            for n, images in layout.ins
        )
        layout = LinearLayout(ins, layout.outs).resize_out(name, sizes[name])
    return layout


def zeros_like(layout: LinearLayout) -> LinearLayout:
    """Compute the layout of the same dimensions and sizes that maps everything to 0."""
    return LinearLayout(tuple((n, (0,) * len(v)) for n, v in layout.ins), layout.outs)


def is_square_identity(first: LinearLayout, second: LinearLayout, dims: Sequence[str]) -> bool:
    """Check whether `dims` have equal bases in both layouts.

    A conversion between the layouts then moves nothing between different values of `dims`.
    """
    sizes = second.out_dims
    aligned = second.transpose_outs(list(first.out_shifts)) if sizes != first.out_dims else second
    return first.out_dims == aligned.out_dims and all(
        first.images(dim) == aligned.images(dim) for dim in dims
    )


def reshape_row_major(layout: LinearLayout, shape: Sequence[int]) -> LinearLayout:
    """Compute the layout of the same elements, in row-major order, as a tensor of another shape.

    Args:
        layout: the layout of the tensor.
        shape: the shape of as many elements; the result's dimensions are dim0, dim1 …
    """
    if math.prod(shape) != 1 << layout.out_bits:
        raise LayoutError(
            f"the new shape must have {1 << layout.out_bits} elements",
            found="x".join(map(str, shape)),
        )
    names = dimension_names(len(shape))
    # Fastest dimension first, the packed vector is the row-major number of the element, which a
    # reshape preserves: split its bits anew.
    fastest_first = layout.transpose_outs(list(layout.out_dims)[::-1])
    split = fastest_first.reshape_outs(dict(zip(reversed(names), reversed(shape), strict=True)))
    return split.transpose_outs(names)


def transpose(layout: LinearLayout, order: Sequence[int]) -> LinearLayout:
    """Compute the layout of the tensor whose dimension i is the old dimension order[i]."""
    names = list(layout.out_shifts)
    if sorted(order) != list(range(len(names))):
        raise LayoutError(
            f"the order must be a permutation of 0..{len(names) - 1}", found=list(order)
        )
    reordered = layout.transpose_outs([names[d] for d in order])
    sizes = tuple(zip(names, reordered.out_dims.values(), strict=True))
    return LinearLayout(reordered.ins, sizes)


def remove_dimension(layout: LinearLayout, dim: int) -> LinearLayout:
    """Compute the layout without one out-dimension, the later ones renamed."""
    names = list(layout.out_shifts)
    if not 0 <= dim < len(names):
        raise LayoutError(f"the dimension must be in 0..{len(names) - 1}", found=dim)
    rest = layout.sublayout(list(layout.in_dims), names[:dim] + names[dim + 1 :])
    sizes = zip(dimension_names(len(names) - 1), rest.out_dims.values(), strict=True)
    return LinearLayout(rest.ins, tuple(sizes))


def broadcast_as(layout: LinearLayout, other: LinearLayout, in_dim: str) -> LinearLayout:
    """Compute the layout with zero bases in `in_dim` where another layout has them.

    Raises:
        LayoutError: the other layout does not have as many bases that are not zero.
    """
    images, pattern = layout.images(in_dim), other.images(in_dim)
    count = sum(1 for v in pattern if v)
    if count != len(images):
        raise LayoutError(
            f"{in_dim} must have as many bits as the other layout has bases that are not zero",
            found=len(images),
            accepted=[str(count)],
        )
    remaining = iter(images)
    broadcast = tuple(next(remaining) if v else 0 for v in pattern)
    ins = tuple((n, broadcast if n == in_dim else v) for n, v in layout.ins)
    return LinearLayout(ins, layout.outs)


def repetitions(layout: LinearLayout, tile: LinearLayout) -> LinearLayout | None:
    """Compute the start of each repetition of a tile; None if the tile does not repeat.

    The bases of the tile become 0 in the result. No other basis may touch the output bits that
    they span; bits of the tile's dimensions that the tile does not span are allowed.
    """
    if any(layout.out_dims.get(name, 0) < size for name, size in tile.outs):
        return None
    if any(name not in layout.in_dims for name, _ in tile.ins):
        return None
    shifts = [layout.out_shifts[name] for name, _ in tile.outs]
    tile_images = {
        name: tuple(
            sum(entry << shift for shift, entry in zip(shifts, tile.unpack(v), strict=True))
            for v in images
        )
        for name, images in tile.ins
    }
    # The tile's bases come first in each in-dimension; what follows them enumerates repetitions.
    spanned = 0  # output bits of the tile
    ins: list[tuple[str, tuple[int, ...]]] = []
    for name, images in layout.ins:
        own = tile_images.get(name, ())
        if images[: len(own)] != own:
            return None
        for vector in own:
            spanned |= vector
        ins.append((name, (0,) * len(own) + images[len(own) :]))
    starts = LinearLayout(tuple(ins), layout.outs)
    return None if any(column & spanned for column in starts.columns) else starts
