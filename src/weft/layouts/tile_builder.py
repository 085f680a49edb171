"""Build the linear layout of a tensor from the layout of one tile.

A tile that is too small for the tensor repeats in registers; one that is too large wraps, so that
several threads hold the same element. For a 2x2 tile on 2x8, two register bits are added; on 1x2,
the bits that would step over the first row become zero:

    on 2x8:  register=1 -> (0, 1), register=2 -> (1, 0), register=4 -> (0, 2), register=8 -> (0, 4)
    on 1x2:  register=1 -> (0, 1), register=2 -> (0, 0)

A `TileBuilder` knows the tensor's shape, so it packs and wraps each vector when it is added:

    tile = TileBuilder((16, 8), cga)
    tile.put("register", 2, 1)      # two registers along dimension 1
    tile.put("lane", 4, 1)          # then four lanes along it
    tile.put("lane", 8, 0)          # and eight lanes down
    tile.finished()                 # repeats in registers, and spreads over the blocks
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from weft.layouts import basis_vectors
from weft.layouts.linear import LinearLayout

__all__ = ["TileBuilder", "at_least", "at_most", "dimension_names", "on_shape"]

Vectors = Sequence[Sequence[int]]


@cache
def _named(shape: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    """Return (dim0, size), (dim1, size) …"""
    return tuple(zip(dimension_names(len(shape)), shape, strict=True))


def dimension_names(rank: int) -> list[str]:
    """Return dim0, dim1 …"""
    return [f"dim{d}" for d in range(rank)]


class TileBuilder:
    """A tile that grows factor by factor, and then into the layout of a whole tensor.

    Attributes: sizes: of the tile so far, by dimension, the fastest first; also beyond the tensor.
    per_block: the part of the tensor that one block of the cluster holds.
    """

    __slots__ = ("_blocks", "_ins", "_outs", "_starts", "per_block", "sizes")

    def __init__(self, shape: Sequence[int], cga: Vectors = ()) -> None:
        """Begin with nothing.

        Args: shape: of the tensor, powers of two.  cga: basis basis_vectors over the blocks.
        """
        self._outs = _named(tuple(shape))
        self._starts = [*basis_vectors.starts(self._outs)[0].values()]
        self._blocks = cga
        self.sizes: dict[int, int] = {}
        self._ins: dict[str, list[int]] = {}
        if not cga:
            self.per_block = shape
            return
        counts = [1 << max([v[d].bit_length() for v in cga]) for d in range(len(shape))]
        self.per_block = [max(1, size // n) for size, n in zip(shape, counts, strict=True)]

    def put(self, in_dim: str, size: int, dim: int, *, repeated: bool = False) -> None:
        """Let `size` values of an in-dimension count on along a dimension.

        Args: repeated: whether the count moves on and the element does not.
        """
        column = self._ins.get(in_dim)
        if column is None:
            column = self._ins[in_dim] = []
        value = self.sizes.get(dim, 1)
        if repeated:
            column.extend([0] * (size.bit_length() - 1))
            self.sizes[dim] = value
            return
        limit, start, end = self.per_block[dim], self._starts[dim], value * size
        while value < end:
            column.append(value << start if value < limit else 0)
            value += value
        self.sizes[dim] = end

    def grid(
        self, in_dim: str, sizes: Sequence[int], order: Sequence[int], repeated: int | None = None
    ) -> None:
        """Let an in-dimension count through a grid, the dimension order[0] fastest.

        Args: repeated: a dimension along which the element does not move.
        """
        for dim in order:
            self.put(in_dim, sizes[dim], dim, repeated=dim == repeated)

    def put_vectors(self, groups: Mapping[str, Vectors], sizes: Mapping[int, int]) -> None:
        """Append basis_vectors, of as many entries as the tensor has dimensions, above the tile.

        Args: groups: basis_vectors by in-dimension.  sizes: that they span, by dimension, in order.
        """
        have = [(d, self.sizes.get(d, 1), self._starts[d]) for d in range(len(self._outs))]
        for in_dim, group in groups.items():
            column = self._ins.setdefault(in_dim, [])
            for vector in group:
                image = 0
                for dim, size, start in have:
                    value = vector[dim] * size
                    if value < self.per_block[dim]:
                        image |= value << start
                column.append(image)
        for dim, size in sizes.items():
            self.sizes[dim] = self.sizes.get(dim, 1) * size

    def fill(self, dim: int, size: int) -> None:
        """Repeat in the first in-dimension until a dimension has this size."""
        have = self.sizes.get(dim, 1)
        if have < size:
            self.put(next(iter(self._ins)), size // have, dim)

    def reorder(self, dims: Sequence[int]) -> None:
        """Call dims[0] the fastest dimension of what is there so far, and so on."""
        self.sizes = {dim: self.sizes[dim] for dim in dims}

    def finished(self) -> LinearLayout:
        """Return the layout of the tensor, repeated in the first in-dimension to fill a block."""
        for dim in [*self.sizes]:
            self.fill(dim, self.per_block[dim])
        ins = [(name, tuple(column)) for name, column in self._ins.items()]
        spread = []
        for vector in self._blocks:
            image = 0
            for entry, size, start, (_, whole) in zip(
                vector, self.per_block, self._starts, self._outs, strict=True
            ):
                if entry < whole:
                    image |= entry * size << start
            spread.append(image)
        ins.append(("block", tuple(spread)))
        return LinearLayout(tuple(ins), self._outs)


def on_shape(tile: LinearLayout, cga: Vectors, shape: Sequence[int]) -> LinearLayout:
    """Return the layout of a tensor from that of a block's tile and the spread over the cluster.

    Args: tile: from register, lane, warp (or offset) to dim0 …, the fastest dimension first.
    cga: basis basis_vectors over the blocks.  shape: of the tensor.
    """
    made = TileBuilder(shape, cga)
    sizes = {int(name.removeprefix("dim")): size for name, size in tile.outs}
    places = [*sizes]
    groups = {}
    for name, images in tile.ins:
        group = []
        for image in images:
            vector = [0] * len(shape)
            for dim, entry in zip(places, tile.unpack(image), strict=True):
                vector[dim] = entry
            group.append(vector)
        groups[name] = group
    made.put_vectors(groups, sizes)
    return made.finished()


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
