"""`#ttg.blocked`: each thread holds a small rectangle, tiled over lanes, then over warps.

sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0] gives lane 0
the elements (0, 0..3), lane 1 the elements (0, 4..7), and warp 1 the rows from 8. The tile of
16x16 that the block then covers repeats over a larger tensor, in registers.
"""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, encoding, integers, vectors

__all__ = ["BlockedEncoding"]


@encoding
class BlockedEncoding(Encoding):
    """Tile a tensor by registers, lanes and warps.

    Fields: size_per_thread, threads_per_warp, warps_per_cta: a power of two per dimension.
    order: the dimensions, fastest first.  cga_layout: basis vectors over the blocks of a cluster.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "blocked"
    alias: ClassVar[str | None] = "blocked"

    size_per_thread: tuple[int, ...] = integers("sizePerThread")
    threads_per_warp: tuple[int, ...] = integers("threadsPerWarp")
    warps_per_cta: tuple[int, ...] = integers("warpsPerCTA")
    order: tuple[int, ...] = integers("order")
    cga_layout: tuple[tuple[int, ...], ...] = vectors("CGALayout", default=())

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
        """Return the number of dimensions."""
        return len(self.order)
