"""Build the linear layout of a tensor from the layout of one tile.

A tile that is too small for the tensor repeats in registers; one that is too large wraps, so that
several threads hold the same element. For a 2x2 tile on 2x8, two register bits are added; on 1x2,
the bits that would step over the first row become zero:

    on 2x8:  register=1 -> (0, 1), register=2 -> (1, 0), register=4 -> (0, 2), register=8 -> (0, 4)
    on 1x2:  register=1 -> (0, 1), register=2 -> (0, 0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.layouts.linear import LinearLayout

__all__ = ["at_least", "at_most", "dimension_names", "grid", "on_shape"]

Vectors = Sequence[Sequence[int]]


def dimension_names(rank: int) -> list[str]:
    """Return dim0, dim1 …"""
    return [f"dim{d}" for d in range(rank)]


def grid(
    in_dim: str, sizes: Sequence[int], order: Sequence[int], broadcast: Sequence[int] = ()
) -> LinearLayout:
    """Return in_dim counting through a grid of `sizes`, the dimension order[0] fastest.

    Args: broadcast: dimensions along which the count moves on and the element does not.
    """
    out = LinearLayout.empty()
    for d in order:
        line = LinearLayout.zeros_1d if d in broadcast else LinearLayout.identity_1d
        out = out * line(sizes[d], in_dim, f"dim{d}")
    return out


def at_least(layout: LinearLayout, sizes: Mapping[str, int]) -> LinearLayout:
    """Repeat the layout in its first in-dimension until it has these sizes."""
    first = layout.ins[0][0]
    for name, size in layout.outs:
        if size < sizes[name]:
            layout = layout * LinearLayout.identity_1d(sizes[name] // size, first, name)
    return layout


def at_most(
    layout: LinearLayout, sizes: Mapping[str, int], *, drop: Sequence[str] = ()
) -> LinearLayout:
    """Wrap the layout at these sizes.

    Args: drop: in-dimensions whose bits go away, rather than become zero, when they are wrapped.
    """
    for name, size in layout.outs:
        if size <= sizes[name]:
            continue
        start, mask = layout.starts[name], size - 1
        kept = tuple(
            (n, tuple(v for v in images if n not in drop or (v >> start & mask) < sizes[name]))
            for n, images in layout.ins
        )
        layout = LinearLayout(kept, layout.outs).resize_out(name, sizes[name])
    return layout


def on_shape(tile: LinearLayout, cga: Vectors, shape: Sequence[int]) -> LinearLayout:
    """Return the layout of a tensor from that of a block's tile and the spread over the cluster.

    Args: tile: from register, lane, warp (or offset) to dim0 …, the fastest dimension first.
    cga: basis vectors over the blocks.  shape: of the tensor.
    """
    names = dimension_names(len(shape))
    whole = dict(zip(names, shape, strict=True))
    # The least sizes that hold the vectors; a dimension that no vector enters has size 1.
    blocks = LinearLayout.from_bases({"block": cga}, names, surjective=False)
    blocks = at_most(blocks, whole)
    per_block = {n: max(1, whole[n] // size) for n, size in blocks.outs}
    tile = at_most(at_least(tile, per_block), per_block)
    spread = tile * blocks.transpose_outs([n for n, _ in tile.outs])
    return spread.transpose_outs(names)
