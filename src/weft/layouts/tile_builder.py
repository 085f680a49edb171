"""Build the layout of a tensor from the tile that one instruction, thread or warp covers.

An encoding describes a tile: so many registers along one dimension, then so many lanes, then warps.
The tile is then fitted to the tensor. If it is smaller, it repeats in registers; if it is larger,
it wraps around, so that several threads hold the same element. For a tile of 2x2 registers:

    tensor 2x8      register=1 -> (0, 1)    register=2 -> (1, 0)
                    register=4 -> (0, 2)    register=8 -> (0, 4)      two bits repeat it
    tensor 1x2      register=1 -> (0, 1)    register=2 -> (0, 0)      the second row wraps around

A `TileBuilder` knows the shape of the tensor, so it packs and wraps each basis when it is added:

    tile = TileBuilder((16, 8))
    tile.add("register", 2, dim=1)      # register=1 -> (0, 1)
    tile.add("lane", 4, dim=1)          # lane=1 -> (0, 2), lane=2 -> (0, 4)
    tile.add("lane", 8, dim=0)          # lane=4 -> (1, 0), lane=8 -> (2, 0), lane=16 -> (4, 0)
    tile.build()                        # register=2 -> (8, 0), as the tile has 8 rows of 16
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from weft.layouts.basis_vectors import OutDims, out_shifts
from weft.layouts.linear_layout import LinearLayout

__all__ = ["TileBuilder", "dimension_names", "fit_tile", "zero_along"]

Vectors = Sequence[Sequence[int]]


def dimension_names(rank: int) -> list[str]:
    """Return dim0, dim1 …, the names of a tensor's dimensions."""
    return [f"dim{d}" for d in range(rank)]


def zero_along(vectors: Vectors, dim: int) -> list[list[int]]:
    """Return the basis vectors with 0 in one dimension: their inputs broadcast along it."""
    return [[0 if d == dim else entry for d, entry in enumerate(v)] for v in vectors]


@cache
def _out_dims(shape: tuple[int, ...]) -> OutDims:
    """Return (dim0, size), (dim1, size) …"""
    return tuple(zip(dimension_names(len(shape)), shape, strict=True))


class TileBuilder:
    """A tile that grows factor by factor into the layout of a tensor.

    Attributes:
        shape_per_cta: the shape of the part of the tensor that one CTA of the cluster holds.
        sizes: dimension -> extent of the tile so far, the fastest dimension first. An extent may
            exceed that of the tensor.
    """

    __slots__ = ("_cga", "_ins", "_outs", "_shifts", "shape_per_cta", "sizes")

    def __init__(self, shape: Sequence[int], cga: Vectors = ()) -> None:
        """Begin with an empty tile.

        Args:
            shape: the shape of the tensor, powers of two.
            cga: basis vectors over the CTAs of a cluster, in units of one CTA's part.
        """
        self._outs = _out_dims(tuple(shape))
        self._shifts = [*out_shifts(self._outs)[0].values()]
        self._cga = cga
        self._ins: dict[str, list[int]] = {}
        self.sizes: dict[int, int] = {}
        self.shape_per_cta: Sequence[int] = shape
        if cga:
            ctas = [1 << max([v[d].bit_length() for v in cga]) for d in range(len(shape))]
            self.shape_per_cta = [max(1, size // n) for size, n in zip(shape, ctas, strict=True)]

    def add(self, in_dim: str, size: int, dim: int, *, broadcast: bool = False) -> None:
        """Append `size` values of an in-dimension, which step along a dimension above the tile.

        Args:
            in_dim: "register", "lane" and so on.
            size: a power of two.
            dim: the dimension of the tensor.
            broadcast: whether all values hold the same elements instead.
        """
        vectors = self._ins.setdefault(in_dim, [])
        step = self.sizes.get(dim, 1)
        if broadcast:
            vectors.extend([0] * (size.bit_length() - 1))
            self.sizes[dim] = step
            return
        limit, shift, end = self.shape_per_cta[dim], self._shifts[dim], step * size
        while step < end:
            vectors.append(step << shift if step < limit else 0)
            step += step
        self.sizes[dim] = end

    def add_grid(
        self, in_dim: str, sizes: Sequence[int], order: Sequence[int], broadcast: int | None = None
    ) -> None:
        """Append a grid of values of an in-dimension.

        Args:
            in_dim: "register", "lane" and so on.
            sizes: the sizes of the grid, per dimension of the tensor.
            order: the dimensions, fastest first.
            broadcast: a dimension along which all values hold the same elements.
        """
        for dim in order:
            self.add(in_dim, sizes[dim], dim, broadcast=dim == broadcast)

    def add_vectors(self, groups: Mapping[str, Vectors], sizes: Mapping[int, int]) -> None:
        """Append basis vectors that are given in units of the tile so far.

        Args:
            groups: by in-dimension; one entry per dimension of the tensor.
            sizes: dimension -> how many tiles the vectors span there, the fastest first.
        """
        tile = [(d, self.sizes.get(d, 1), self._shifts[d]) for d in range(len(self._outs))]
        for in_dim, group in groups.items():
            vectors = self._ins.setdefault(in_dim, [])
            for vector in group:
                packed = 0
                for dim, size, shift in tile:
                    entry = vector[dim] * size
                    if entry < self.shape_per_cta[dim]:  # else it wraps around
                        packed |= entry << shift
                vectors.append(packed)
        for dim, size in sizes.items():
            self.sizes[dim] = self.sizes.get(dim, 1) * size

    def repeat(self, dim: int, size: int) -> None:
        """Repeat the tile in the first in-dimension until it has `size` elements along `dim`."""
        extent = self.sizes.get(dim, 1)
        if extent < size:
            self.add(next(iter(self._ins)), size // extent, dim)

    def set_order(self, dims: Sequence[int]) -> None:
        """Set the order, fastest first, in which `build` repeats the tile along dimensions."""
        self.sizes = {dim: self.sizes[dim] for dim in dims}

    def build(self) -> LinearLayout:
        """Compute the layout of the tensor: the tile repeated over a CTA, then over the cluster."""
        for dim in [*self.sizes]:
            self.repeat(dim, self.shape_per_cta[dim])
        ins = [(name, tuple(vectors)) for name, vectors in self._ins.items()]
        blocks: list[int] = []
        for vector in self._cga:
            packed = 0
            for entry, size, shift, (_, whole) in zip(
                vector, self.shape_per_cta, self._shifts, self._outs, strict=True
            ):
                if entry < whole:
                    packed |= entry * size << shift
            blocks.append(packed)
        ins.append(("block", tuple(blocks)))
        return LinearLayout(tuple(ins), self._outs)


def fit_tile(tile: LinearLayout, cga: Vectors, shape: Sequence[int]) -> LinearLayout:
    """Compute the layout of a tensor from that of one CTA's tile.

    Args:
        tile: a layout from register, lane, warp (or offset) to dim0 …, the fastest first.
        cga: basis vectors over the CTAs of a cluster.
        shape: the shape of the tensor.
    """
    builder = TileBuilder(shape, cga)
    dims = [int(name.removeprefix("dim")) for name in tile.out_shifts]
    groups: dict[str, list[list[int]]] = {}
    for name, vectors in tile.ins:
        groups[name] = []
        for packed in vectors:
            vector = [0] * len(shape)
            for dim, entry in zip(dims, tile.unpack(packed), strict=True):
                vector[dim] = entry
            groups[name].append(vector)
    sizes = [size for _, size in tile.outs]
    builder.add_vectors(groups, dict(zip(dims, sizes, strict=True)))
    return builder.build()
