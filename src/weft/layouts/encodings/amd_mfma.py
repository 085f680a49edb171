"""`#ttg.amd_mfma`: the accumulator of an MFMA instruction of a wavefront of 64 lanes.

v_mfma_f32_32x32x8f16 leaves each lane 16 elements of one column: lane 5 holds rows 0 to 3 of column
5, then rows 8 to 11, 16 to 19 and 24 to 27; lane 37 holds the four rows below each. As factors,
fastest first:

    4 registers along M, 32 lanes along N, 2 lanes along M, 4 registers along M

A transposed result, for which the operands were swapped, exchanges M and N, so that a lane holds
four neighbours of a row. Source: AMD's matrix instruction calculator and ISA documents of CDNA.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Shape,
    Value,
    Vectors,
    encoding,
    flag,
    integer,
    integers,
    vectors,
)
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import TileBuilder

__all__ = ["AmdMfmaEncoding"]

_LANES = 64
_SHAPES = ((32, 32), (16, 16), (64, 4), (4, 64))  # M and N of the instructions


@encoding
class AmdMfmaEncoding(Encoding):
    """The result of an MFMA instruction.

    Attributes:
        version: 1 for gfx908, 2 for gfx90a, 3 for gfx942, 4 for gfx950.
        warps_per_cta: warps per dimension.
        instr_shape: M, N and K of the instruction; older text has no K.
        is_transposed: whether the operands were swapped, so that a lane holds part of a row.
        cga_layout: basis vectors over the CTAs of a cluster.
        tiles_per_warp: neighbouring tiles of one warp per dimension; 1 each if left out.
        element_bit_width: 32, or 64 for f64 results.
    """

    mnemonic: ClassVar[str] = "amd_mfma"
    alias: ClassVar[str | None] = "mma"
    ignores_unknown_keys: ClassVar[bool] = True
    parse_defaults: ClassVar[Mapping[str, Value]] = {"version": 0}

    version: int = integer("version")
    warps_per_cta: tuple[int, ...] = integers("warpsPerCTA")
    instr_shape: tuple[int, ...] = integers("instrShape")
    is_transposed: bool = flag("isTransposed", default=False, always=True)
    cga_layout: Vectors = vectors("CGALayout", default=())
    tiles_per_warp: tuple[int, ...] = integers("tilesPerWarp", default=())
    element_bit_width: int = integer("elementBitWidth", default=32)

    def _check(self) -> None:
        if self.version not in range(5):
            raise self.error("version must be in the [0, 4] range", found=self.version)
        checks.powers_of_two(self, "warpsPerCTA", self.warps_per_cta)
        if len(self.warps_per_cta) not in (2, 3):
            raise self.error("warpsPerCTA must have 2 or 3 entries", found=list(self.warps_per_cta))
        if len(self.instr_shape) not in (2, 3):
            raise self.error("instrShape must have 2 or 3 entries", found=list(self.instr_shape))
        if self.instr_shape[:2] not in _SHAPES:
            raise self.error(
                f"invalid (mDim, nDim) combination: ({', '.join(map(str, self.instr_shape[:2]))})",
                found=list(self.instr_shape),
                accepted=[f"{m}x{n}" for m, n in _SHAPES],
            )
        if self.element_bit_width not in (32, 64):
            raise self.error("elementBitWidth must be 32 or 64", found=self.element_bit_width)
        for size in self.instr_shape:
            checks.positive(self, "instrShape", size)
        checks.powers_of_two(self, "tilesPerWarp", self.tiles_per_warp)
        if self._has_single_tiles:
            # Left out, or 1 for any number of dimensions: the normal form has one per dimension.
            object.__setattr__(self, "tiles_per_warp", (1,) * self.rank)
        elif len(self.tiles_per_warp) != self.rank:
            raise self.error(
                f"tilesPerWarp must have {self.rank} entries", found=list(self.tiles_per_warp)
            )
        checks.cga(self, self.cga_layout, self.rank)

    @property
    def _has_single_tiles(self) -> bool:
        return all(tiles == 1 for tiles in self.tiles_per_warp)

    def _is_elided(self, field: dataclasses.Field[object]) -> bool:
        if field.name == "tiles_per_warp":
            return self._has_single_tiles
        return not field.metadata["always"] and getattr(self, field.name) == field.default

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.warps_per_cta)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        m, n = len(shape) - 2, len(shape) - 1
        rows, columns = self.instr_shape[:2]
        if (rows, columns) == (64, 4) and not self.is_transposed:
            raise self.error("a result of 64x4 must be transposed", found="isTransposed = false")
        # A lane holds runs of `height` elements along one dimension; lanes go along the other.
        run, across, width = (n, m, rows) if self.is_transposed else (m, n, columns)
        height = 1 if self.element_bit_width == 64 else 4
        tile = TileBuilder(shape, self.cga_layout)
        tile.add("register", height, run)
        tile.add("lane", width, across)
        tile.add("lane", _LANES // width, run)
        tile.add("register", rows * columns // (_LANES * height), run)
        tile.set_order((n, m))
        tile.add("register", self.tiles_per_warp[n], n)
        tile.add("warp", self.warps_per_cta[n], n)
        # Triton fills the rows of the whole tensor here, even if CTAs of a cluster share them.
        tile.repeat(n, shape[n])
        tile.add("register", self.tiles_per_warp[m], m)
        tile.add("warp", self.warps_per_cta[m], m)
        if len(shape) == 3:
            tile.add("warp", self.warps_per_cta[0], 0)
        return tile.build()

    def operand_layout(self, op_idx: int, k_width: int, shape: Shape) -> LinearLayout:
        """Compute an operand's layout: lanes along M or N, then lanes and registers along K."""
        rank = len(shape)
        k, other = (rank - 1, rank - 2) if op_idx == 0 else (rank - 2, rank - 1)
        rows, columns = self.instr_shape[:2]
        width = rows if op_idx == 0 else columns
        # The wide operand of a 64x4 or 4x64 instruction has 16 times as many registers along K.
        wide = 16 if (rows, columns) == ((64, 4) if op_idx == 0 else (4, 64)) else 1
        depth = k_width * (_LANES // width) * wide
        tile = TileBuilder(shape, self.cga_layout)
        tile.add("register", k_width, k)
        tile.add("lane", width, other)
        tile.add("lane", _LANES // width, k)
        tile.add("register", wide, k)
        tile.add("register", max(1, shape[k] // depth), k)
        tile.add("register", self.tiles_per_warp[other], other)
        tile.add_grid("warp", self.warps_per_cta, list(reversed(range(rank))), broadcast=k)
        return tile.build()
