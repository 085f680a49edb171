"""`#ttg.amd_wmma`: the accumulator of a WMMA instruction of a wavefront of 32 lanes.

A 16x16 result of gfx12 leaves each lane 8 elements of one column: lane 5 holds rows 0 to 7 of
column 5, lane 21 rows 8 to 15. On gfx11, lane 5 holds the even rows and lane 21 the odd ones:

    gfx12, gfx1250      8 registers along M, 16 lanes along N, 2 lanes along M
    gfx11               16 lanes along N, 2 lanes along M, 8 registers along M

Which tile each warp holds, and each further group of registers, is given by basis vectors in units
of tiles: ctaLayout = {warp = [[0, 1], [1, 0]]} puts warp 1 to the right of warp 0 and warp 2 below
it. Source: AMD's ISA documents of RDNA3 and RDNA4, WMMA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

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
from weft.layouts.tile_builder import TileBuilder, zero_along

__all__ = ["AmdWmmaEncoding"]

_SHAPES = {
    1: ((16, 16, 16),),
    2: ((16, 16, 16), (16, 16, 32)),
    3: ((16, 16, 4), (16, 16, 32), (16, 16, 64), (16, 16, 128)),
}
_DEFAULT_SHAPE = (16, 16, 16)
_KEYS = ("version", "isTranspose", "ctaLayout", "CGALayout", "instrShape", "rank")


@encoding
class AmdWmmaEncoding(Encoding):
    """The result of a WMMA instruction.

    Attributes:
        version: 1 for gfx11, 2 for gfx12, 3 for gfx1250.
        is_transposed: whether the operands were swapped.
        warp: basis vectors of the warp, in tiles.
        register: basis vectors of further tiles of one warp, in tiles.
        cga_layout: basis vectors over the CTAs of a cluster.
        instr_shape: M, N and K of the instruction.
        dimensions: the number of dimensions of the tensor; by default that of the vectors, or 2.
            Triton does not print it.
    """

    mnemonic: ClassVar[str] = "amd_wmma"
    alias: ClassVar[str | None] = "mma"
    ignores_unknown_keys: ClassVar[bool] = True

    version: int = integer("version")
    is_transposed: bool = flag("isTranspose")
    warp: Vectors = vectors("warp")
    register: Vectors = vectors("register", default=())
    cga_layout: Vectors = vectors("CGALayout", default=())
    instr_shape: tuple[int, ...] = integers("instrShape", default=_DEFAULT_SHAPE)
    dimensions: int = integer("rank", default=0)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Value]) -> Self:
        """Build the encoding from Triton's keys.

        Args:
            fields: value by key. ctaLayout is a dictionary of warp and register, whose other
                keys are ignored; rank may be given and must then agree with the vectors.
        """
        cls._check_keys(fields, _KEYS, ("version", "ctaLayout"))
        layout = fields["ctaLayout"]
        entries = layout if isinstance(layout, Mapping) else {"": layout}
        bases = {key: entries[key] for key in ("register", "warp") if key in entries}
        if entries and not bases:
            raise cls.error("ctaLayout must be a dictionary of warp and register", found=layout)
        names = {
            "version": "version",
            "isTranspose": "is_transposed",
            "CGALayout": "cga_layout",
            "instrShape": "instr_shape",
            "rank": "dimensions",
        }
        arguments = {names[key]: value for key, value in fields.items() if key in names}
        return cls._build({"is_transposed": False, "warp": (), **bases, **arguments})

    def fields(self) -> tuple[tuple[str, Value], ...]:
        """Return (key, value) pairs in the order of printing."""
        groups: dict[str, Vectors] = {"register": self.register, "warp": self.warp}
        pairs: list[tuple[str, Value]] = [
            ("version", self.version),
            ("isTranspose", self.is_transposed),
            ("ctaLayout", {key: group for key, group in groups.items() if group}),
        ]
        if self.cga_layout:
            pairs.append(("CGALayout", self.cga_layout))
        if self.instr_shape != _DEFAULT_SHAPE:
            pairs.append(("instrShape", self.instr_shape))
        return tuple(pairs)

    def _check(self) -> None:
        if self.version not in _SHAPES:
            raise self.error(
                "WMMA version must be in the [1, 3] range",
                found=self.version,
                accepted=tuple(_SHAPES),
            )
        shapes = _SHAPES[self.version]
        if self.instr_shape not in shapes:
            raise self.error(
                f"invalid WMMA v{self.version} instruction shape",
                found=list(self.instr_shape),
                accepted=[list(shape) for shape in shapes],
            )
        every = (*self.warp, *self.register, *self.cga_layout)
        rank = len(every[0]) if every else self.dimensions or 2
        if self.dimensions not in (0, rank):
            raise self.error(f"rank must be {rank} as in its vectors", found=self.dimensions)
        object.__setattr__(self, "dimensions", rank)
        checks.covers(self, {"register": self.register, "warp": self.warp}, rank)
        checks.cga(self, self.cga_layout, rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.dimensions

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        rank = len(shape)
        m, n = rank - 2, rank - 1
        # A lane holds 8 elements along one dimension, and 16 lanes go along the other.
        run, across = (n, m) if self.is_transposed else (m, n)
        tile = TileBuilder(shape, self.cga_layout)
        if self.version == 1:
            tile.add("register", 1, run)
            tile.add("lane", 16, across)
            tile.add("lane", 2, run)
            tile.add("register", 8, run)
        else:
            tile.add("register", 8, run)
            tile.add("lane", 16, across)
            tile.add("lane", 2, run)
        tile.set_order((n, m))
        _add_tiles(tile, self.register, self.warp, [n, m, *reversed(range(rank - 2))])
        return tile.build()

    def operand_layout(self, op_idx: int, k_width: int, shape: Shape) -> LinearLayout:
        """Compute the layout of an operand: 16 lanes along M or N, 2 lanes along K.

        On gfx11 both halves of a wavefront hold the same elements.
        """
        rank = len(shape)
        k, other = (rank - 1, rank - 2) if op_idx == 0 else (rank - 2, rank - 1)
        depth = max(shape[k], self.instr_shape[2])
        tile = TileBuilder(shape, self.cga_layout)
        tile.add("register", k_width, k)
        tile.add("lane", 16, other)
        tile.add("lane", 2, k, broadcast=self.version == 1)
        tile.add("register", max(1, depth // (2 * k_width)), k)
        # Warps and registers that differ only along K hold the same tile of an operand.
        register = [vector for vector in zero_along(self.register, k) if any(vector)]
        rest = [d for d in range(rank) if d not in (k, other)]
        _add_tiles(tile, register, zero_along(self.warp, k), [k, other, *rest])
        return tile.build()


def _add_tiles(
    tile: TileBuilder,
    register: Sequence[Sequence[int]],
    warp: Sequence[Sequence[int]],
    order: Sequence[int],
) -> None:
    """Add which tile each warp, and each further group of registers, holds."""
    every = (*register, *warp)
    sizes = {d: 1 << max([v[d].bit_length() for v in every], default=0) for d in order}
    tile.add_vectors({"register": register, "warp": warp}, sizes)
