"""`#ttg.nvidia_mma`: the accumulator of mma (version 2) or wgmma (version 3) in registers.

mma.m16n8 leaves each lane four elements. Lane 0 holds columns 0 and 1 of rows 0 and 8, lane 1
columns 2 and 3 of these rows, and lane 4 columns 0 and 1 of rows 1 and 9. As factors, the fastest
first:

    2 registers along N, 4 lanes along N, 8 lanes along M, 2 registers along M

wgmma repeats this along N in registers. Warps, and then further registers, repeat the tile of an
instruction over the tensor. Source: PTX ISA, matrix fragments of mma.m16n8k16 and of wgmma.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Shape,
    Value,
    Vectors,
    encoding,
    integer,
    integers,
    vectors,
)
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import TileBuilder, zero_along

__all__ = ["NvidiaMmaEncoding"]


@encoding
class NvidiaMmaEncoding(Encoding):
    """The result of mma (version 2) or wgmma (version 3).

    Attributes:
        version_major: the version of the instruction.
        version_minor: the minor version of the instruction.
        warps_per_cta: warps per dimension.
        instr_shape: the shape of an instruction per dimension; M, N and K for version 3.
        cga_layout: basis vectors over the CTAs of a cluster.
    """

    mnemonic: ClassVar[str] = "nvidia_mma"
    alias: ClassVar[str | None] = "mma"
    ignores_unknown_keys: ClassVar[bool] = True
    parse_defaults: ClassVar[Mapping[str, Value]] = {"versionMinor": 0}
    key_order: ClassVar[tuple[str, ...]] = (
        "versionMajor",
        "versionMinor",
        "warpsPerCTA",
        "CGALayout",
        "instrShape",
    )

    version_major: int = integer("versionMajor")
    version_minor: int = integer("versionMinor")
    warps_per_cta: tuple[int, ...] = integers("warpsPerCTA")
    instr_shape: tuple[int, ...] = integers("instrShape")
    cga_layout: Vectors = vectors("CGALayout", default=())

    def _check(self) -> None:
        checks.powers_of_two(self, "instrShape", self.instr_shape)
        checks.powers_of_two(self, "warpsPerCTA", self.warps_per_cta)
        if self.version_minor < 0:
            raise self.error("versionMinor must not be negative", found=self.version_minor)
        for size in self.instr_shape:
            checks.positive(self, "instrShape", size)
        entries = 3 if self.version_major == 3 else self.rank
        if self.rank < 2:
            raise self.error("warpsPerCTA must have at least 2 entries", found=self.rank)
        if len(self.instr_shape) not in (self.rank, entries):
            raise self.error(
                f"instrShape must have {entries} entries", found=list(self.instr_shape)
            )
        checks.cga(self, self.cga_layout, self.rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.warps_per_cta)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        self._check_version()
        m, n = len(shape) - 2, len(shape) - 1
        if self.version_major == 3:
            rows, columns = self.instr_shape[:2]
        else:
            rows, columns = self.instr_shape[-2:]
        if rows < 8 or columns < 8:
            raise self.error("instrShape must have at least 8 rows and columns", found=str(self))
        tile = TileBuilder(shape, self.cga_layout)
        tile.add("register", 2, n)
        tile.add("lane", 4, n)
        tile.add("lane", 8, m)
        tile.add("register", rows // 8, m)
        tile.add("register", columns // 8, n)
        self._add_warps(tile)
        return tile.build()

    def operand_layout(self, op_idx: int, k_width: int, shape: Shape) -> LinearLayout:
        """Compute the layout of an operand: 8 rows by 4 lanes along K, twice along each."""
        self._check_version()
        m, n = len(shape) - 2, len(shape) - 1
        k, other = (n, m) if op_idx == 0 else (m, n)
        rows = 16 if op_idx == 0 else 8  # of A, or columns of B, that one instruction reads
        tile = TileBuilder(shape, zero_along(self.cga_layout, k))
        tile.add("register", k_width, k)
        tile.add("lane", 4, k)
        tile.add("lane", 8, other)
        tile.add("register", rows // 8, other)
        tile.add("register", 2, k)
        self._add_warps(tile, broadcast=k)
        return tile.build()

    def _add_warps(self, tile: TileBuilder, broadcast: int | None = None) -> None:
        """Add the warps, the first dimension fastest for version 3 and the last one before."""
        order = list(range(self.rank))
        if self.version_major != 3:
            order.reverse()
        tile.add_grid("warp", self.warps_per_cta, order, broadcast)

    def _check_version(self) -> None:
        if self.version_major not in (2, 3):
            raise self.error(
                f"version {self.version_major} has no known linear layout",
                found=str(self),
                accepted=["version 2", "version 3"],
            )
