"""Layouts of the results of matrix instructions of AMD GPUs."""

from __future__ import annotations

import dataclasses
from typing import cast

from weft.gluon.layouts.base import (
    Bases,
    layout_class,
    mangle_bases,
    mangle_integers,
    require,
    vectors,
)
from weft.gluon.layouts.distributed import DistributedLayout
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    Encoding,
)

__all__ = ["AMDMFMALayout", "AMDWMMALayout"]

_MFMA_SHAPES = ([32, 32], [16, 16], [64, 4], [4, 64])


@layout_class
class AMDMFMALayout(DistributedLayout):
    """The layout of the result of an MFMA instruction.

    Attributes:
        version: 1 for gfx908, 2 for gfx90a, 3 for gfx942, 4 for gfx950.
        instr_shape: M, N and K of the instruction.
        transposed: Whether a thread holds consecutive elements of a row, rather than a column.
        warps_per_cta: Warps, per dimension.
        element_bitwidth: The bits of an element of the result, 32 or 64.
        tiles_per_warp: Adjacent tiles of a warp, per dimension.
        cga_layout: Basis vectors over the CTAs of a cluster.
    """

    version: int
    instr_shape: list[int]
    transposed: bool
    warps_per_cta: list[int]
    element_bitwidth: int | None = None
    tiles_per_warp: list[int] | None = None
    cga_layout: Bases = dataclasses.field(default_factory=list)

    def _complete(self) -> None:
        if self.element_bitwidth is None:
            self.set_field("element_bitwidth", 32)
        if self.tiles_per_warp is None:
            self.set_field("tiles_per_warp", [1] * len(self.warps_per_cta))

    def _check(self) -> None:
        require(1 <= self.version <= 4, "version must be in the [1, 4] range", self.version)
        shape = self.instr_shape
        require(len(shape) == 3, "instr_shape must follow the (M, N, K) format", shape)
        require(shape[:2] in _MFMA_SHAPES, f"invalid intrinsic shape {shape}", shape)
        bits = self.element_bitwidth
        require(bits in (32, 64), "element bitwidth must be 32 or 64", bits)
        for basis in self.cga_layout:
            require(len(basis) == self.rank, "cga_layout basis rank mismatch", basis)

    def _encoding(self) -> Encoding:
        return AmdMfmaEncoding(
            self.version,
            tuple(self.warps_per_cta),
            tuple(self.instr_shape),
            self.transposed,
            vectors(self.cga_layout),
            tuple(self.tiles_per_warp or ()),
            self.element_bitwidth or 32,
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return (
            f"MFMA_{self.version}_{mangle_integers(self.instr_shape)}_{self.transposed}_"
            f"{mangle_integers(self.warps_per_cta)}_{self.element_bitwidth}_"
            f"{mangle_integers(self.tiles_per_warp)}_{mangle_bases(self.cga_layout)}_MFMA"
        )

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.warps_per_cta)


@layout_class
class AMDWMMALayout(DistributedLayout):
    """The layout of the result of a WMMA instruction.

    Attributes:
        version: 1 for RDNA3, 2 for RDNA4, 3 for gfx1250.
        transposed: Whether the result is transposed.
        warp_bases: Basis vectors of the warp, in tiles.
        reg_bases: Basis vectors of a warp's tiles.
        instr_shape: M, N and K of the instruction; [16, 16, 16] if not given.
        cga_layout: Basis vectors over the CTAs of a cluster.
        rank: The number of dimensions; 2 if not given.
    """

    version: int
    transposed: bool
    warp_bases: Bases
    reg_bases: Bases | None = None
    instr_shape: list[int] | None = None
    cga_layout: Bases = dataclasses.field(default_factory=list)
    rank: int | None = None  # pyright: ignore[reportIncompatibleMethodOverride, reportAssignmentType] - an int after _complete

    def _complete(self) -> None:
        self.set_field("reg_bases", self.reg_bases or [])
        self.set_field("instr_shape", self.instr_shape or [16, 16, 16])
        self.set_field("rank", 2 if self.rank is None else self.rank)

    def _check(self) -> None:
        require(1 <= self.version <= 3, "version must be in the [1, 3] range", self.version)
        for basis in self.warp_bases[:1]:
            require(len(basis) == self.rank, "warp_bases basis rank mismatch", basis)
        for basis in self.cga_layout:
            require(len(basis) == self.rank, "cga_layout basis rank mismatch", basis)

    def _encoding(self) -> Encoding:
        return AmdWmmaEncoding(
            self.version,
            self.transposed,
            vectors(self.warp_bases),
            vectors(self.reg_bases or ()),
            vectors(self.cga_layout),
            tuple(self.instr_shape or ()),
            cast("int", self.rank),
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return (
            f"WMMA_{self.version}_{self.transposed}_{mangle_bases(self.warp_bases)}_"
            f"{mangle_bases(self.reg_bases)}_{mangle_integers(self.instr_shape)}_"
            f"{mangle_bases(self.cga_layout)}_{self.rank}_WMMA"
        )
