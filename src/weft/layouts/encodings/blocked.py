"""`#ttg.blocked`: each thread holds a small rectangle, tiled over lanes, then over warps.

sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]:

    lane 0   elements (0, 0) to (0, 3)      lane 4    from (1, 0)
    lane 1   elements (0, 4) to (0, 7)      warp 1    from (8, 0)

Two warps of 8x16 elements make a tile of 16x16, which repeats over a larger tensor in registers.
"""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, Shape, Vectors, encoding, integers, vectors
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import TileBuilder, zero_along

__all__ = ["BlockedEncoding"]


@encoding
class BlockedEncoding(Encoding):
    """A tile of registers, lanes and warps.

    Attributes:
        size_per_thread: elements of a thread, a power of two per dimension.
        threads_per_warp: lanes, a power of two per dimension.
        warps_per_cta: warps, a power of two per dimension.
        order: the dimensions, fastest first.
        cga_layout: basis vectors over the CTAs of a cluster.
    """

    mnemonic: ClassVar[str] = "blocked"
    alias: ClassVar[str | None] = "blocked"

    size_per_thread: tuple[int, ...] = integers("sizePerThread")
    threads_per_warp: tuple[int, ...] = integers("threadsPerWarp")
    warps_per_cta: tuple[int, ...] = integers("warpsPerCTA")
    order: tuple[int, ...] = integers("order")
    cga_layout: Vectors = vectors("CGALayout", default=())

    def _check(self) -> None:
        tiles = {
            "sizePerThread": self.size_per_thread,
            "threadsPerWarp": self.threads_per_warp,
            "warpsPerCTA": self.warps_per_cta,
        }
        checks.same_length(self, {**tiles, "order": self.order})
        checks.permutation(self, "order", self.order)
        for key, values in tiles.items():
            checks.powers_of_two(self, key, values)
        checks.cga(self, self.cga_layout, self.rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.order)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        tile = TileBuilder(shape, self.cga_layout)
        tile.add_grid("register", self.size_per_thread, self.order)
        tile.add_grid("lane", self.threads_per_warp, self.order)
        tile.add_grid("warp", self.warps_per_cta, self.order)
        return tile.build()

    def operand_layout(self, op_idx: int, k_width: int, shape: Shape) -> LinearLayout:
        """Compute the layout of an operand of a dot that each thread computes by FMA.

        A thread holds all of K of the rows or columns that it needs, in registers.
        """
        k = len(shape) - 1 if op_idx == 0 else len(shape) - 2
        sizes = [shape[d] if d == k else size for d, size in enumerate(self.size_per_thread)]
        tile = TileBuilder(shape, zero_along(self.cga_layout, k))
        tile.add_grid("register", sizes, self.order)
        tile.add_grid("lane", self.threads_per_warp, self.order, broadcast=k)
        tile.add_grid("warp", self.warps_per_cta, self.order, broadcast=k)
        return tile.build()
