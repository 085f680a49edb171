"""Encodings that mirror what a matrix instruction leaves in its registers.

`#ttg.nvidia_mma`, `#ttg.amd_mfma` and `#ttg.amd_wmma` describe the result of a dot: the tile of one
instruction, repeated over warps and then over the tensor.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from weft.errors import did_you_mean
from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, encoding, flag, integer, integers, vectors

__all__ = ["AmdMfmaEncoding", "AmdWmmaEncoding", "NvidiaMmaEncoding"]

Vectors = tuple[tuple[int, ...], ...]

_MFMA_SHAPES = ((32, 32), (16, 16), (64, 4), (4, 64))
_WMMA_SHAPES = {
    1: ((16, 16, 16),),
    2: ((16, 16, 16), (16, 16, 32)),
    3: ((16, 16, 4), (16, 16, 32), (16, 16, 64), (16, 16, 128)),
}


@encoding
class NvidiaMmaEncoding(Encoding):
    """Lay a result out as NVIDIA's mma (version 2) or wgmma (version 3) leaves it.

    Fields: version_major, version_minor: of the instruction family.
    warps_per_cta, instr_shape: per dimension; version 3 gives M, N and K of the instruction.
    cga_layout: basis vectors over the blocks of a cluster.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "nvidia_mma"
    alias: ClassVar[str | None] = "mma"
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
        checks.powers_of_two(self, "warpsPerCTA", self.warps_per_cta)
        least = 3 if self.version_major == 3 else self.rank
        if self.rank < 2:
            raise self.error("warpsPerCTA must have at least 2 entries", found=self.rank)
        if len(self.instr_shape) not in (self.rank, least):
            raise self.error(f"instrShape must have {least} entries", found=list(self.instr_shape))
        checks.cga(self, self.cga_layout, self.rank)

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return len(self.warps_per_cta)


@encoding
class AmdMfmaEncoding(Encoding):
    """Lay a result out as an MFMA instruction of a 64-lane wave leaves it.

    Fields: version: 1 gfx908, 2 gfx90a, 3 gfx942, 4 gfx950.
    warps_per_cta: per dimension.  instr_shape: M, N, K.
    is_transposed: whether the operands were swapped, so that a lane holds part of a row.
    tiles_per_warp: neighbouring tiles that one warp takes; all ones where left out.
    element_bit_width: 32, or 64 for f64 results.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "amd_mfma"
    alias: ClassVar[str | None] = "mma"

    version: int = integer("version")
    warps_per_cta: tuple[int, ...] = integers("warpsPerCTA")
    instr_shape: tuple[int, ...] = integers("instrShape")
    is_transposed: bool = flag("isTransposed", default=False, always=True)
    cga_layout: Vectors = vectors("CGALayout", default=())
    tiles_per_warp: tuple[int, ...] = integers("tilesPerWarp", default=())
    element_bit_width: int = integer("elementBitWidth", default=32)

    def _check(self) -> None:
        checks.one_of(self, "version", self.version, (0, 1, 2, 3, 4))
        checks.powers_of_two(self, "warpsPerCTA", self.warps_per_cta)
        if len(self.warps_per_cta) not in (2, 3):
            raise self.error("warpsPerCTA must have 2 or 3 entries", found=list(self.warps_per_cta))
        if len(self.instr_shape) not in (2, 3) or self.instr_shape[:2] not in _MFMA_SHAPES:
            raise self.error(
                "instrShape must be M, N, K of an instruction",
                found=list(self.instr_shape),
                accepted=[f"{m}x{n}" for m, n in _MFMA_SHAPES],
            )
        checks.one_of(self, "elementBitWidth", self.element_bit_width, (32, 64))
        checks.powers_of_two(self, "tilesPerWarp", self.tiles_per_warp)
        if all(tiles == 1 for tiles in self.tiles_per_warp):
            object.__setattr__(self, "tiles_per_warp", (1,) * self.rank)
        elif len(self.tiles_per_warp) != self.rank:
            raise self.error(
                f"tilesPerWarp must have {self.rank} entries", found=list(self.tiles_per_warp)
            )
        checks.cga(self, self.cga_layout, self.rank)

    def _elided(self, field: dataclasses.Field[Any]) -> bool:
        if field.name == "tiles_per_warp":
            return all(tiles == 1 for tiles in self.tiles_per_warp)
        return not field.metadata["always"] and getattr(self, field.name) == field.default

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return len(self.warps_per_cta)


@encoding
class AmdWmmaEncoding(Encoding):
    """Lay a result out as a WMMA instruction of a 32-lane wave leaves it.

    Fields: version: 1 gfx11, 2 gfx12, 3 gfx1250.
    is_transposed: whether the operands were swapped.
    warp, register: basis vectors, in tiles, over the warps of a block and over further tiles of
    one warp.  cga_layout: basis vectors over the blocks of a cluster.  instr_shape: M, N, K.
    dimensions: of the tensor; 2 where no vector says more.  Triton does not print it.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "amd_wmma"
    alias: ClassVar[str | None] = "mma"

    version: int = integer("version")
    is_transposed: bool = flag("isTranspose")
    warp: Vectors = vectors("warp")
    register: Vectors = vectors("register", default=())
    cga_layout: Vectors = vectors("CGALayout", default=())
    instr_shape: tuple[int, ...] = integers("instrShape", default=(16, 16, 16))
    dimensions: int = integer("rank", default=0)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> AmdWmmaEncoding:
        """Build the encoding from Triton's keys.

        Args: fields: ctaLayout is a dictionary of warp and register; rank may be given and must
        then agree with the vectors.
        """
        keys = ("version", "isTranspose", "ctaLayout", "CGALayout", "instrShape", "rank")
        for key in fields:
            if key not in keys:
                raise cls.error(
                    f"unknown key {key}", found=key, accepted=keys, hint=did_you_mean(key, keys)
                )
        for key in ("version", "ctaLayout"):
            if key not in fields:
                raise cls.error(f"{key} is missing", accepted=keys)
        layout = fields["ctaLayout"]
        if not isinstance(layout, dict) or not set(layout) <= {"warp", "register"}:
            raise cls.error("ctaLayout must be a dictionary of warp and register", found=layout)
        return cls(
            fields["version"],
            fields.get("isTranspose", False),
            layout.get("warp", ()),
            layout.get("register", ()),
            fields.get("CGALayout", ()),
            fields.get("instrShape", (16, 16, 16)),
            fields.get("rank", 0),
        )

    def fields(self) -> tuple[tuple[str, Any], ...]:
        """Return (key, value) pairs in the order of printing."""
        layout = {"register": self.register, "warp": self.warp}
        pairs: list[tuple[str, Any]] = [
            ("version", self.version),
            ("isTranspose", self.is_transposed),
            ("ctaLayout", {key: value for key, value in layout.items() if value}),
        ]
        if self.cga_layout:
            pairs.append(("CGALayout", self.cga_layout))
        if self.instr_shape != (16, 16, 16):
            pairs.append(("instrShape", self.instr_shape))
        return tuple(pairs)

    def _check(self) -> None:
        checks.one_of(self, "version", self.version, tuple(_WMMA_SHAPES))
        shapes = _WMMA_SHAPES[self.version]
        if self.instr_shape not in shapes:
            raise self.error(
                f"instrShape is not one of version {self.version}",
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
        """Return the number of dimensions."""
        return self.dimensions
