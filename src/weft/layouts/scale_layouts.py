"""Layouts of the scales of a block-scaled dot in registers.

A scale applies to 32 elements along K of one row of A or column of B. The lanes that hold the row
or column hold its scales: for an MFMA with 16 rows, lane l holds the scale of row l % 16 and of
the block l / 16 along K. Warps that differ along the other dimension of the result hold the same.

    mfma_scale((64, 16), 0, 16, (1, 1), (2, 2))     # dim0: row, dim1: K / 32

In a cluster, `cga` is the basis vectors over CTAs, in these two dimensions. Source: PTX ISA,
mma with block scaling; AMD's ISA documents of CDNA4 and gfx1250; measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import TileBuilder, fit_tile

__all__ = ["mfma_scale", "mma_scale", "wmma_scale"]

Vectors = Sequence[Sequence[int]]
_WMMA_LEAST_SCALES = 4  # of one lane


def _check_arguments(op_idx: int, shape: Sequence[int], cga: Vectors) -> None:
    if op_idx not in (0, 1):
        raise LayoutError("op_idx must be 0 or 1", found=op_idx)
    if len(shape) != 2:
        raise LayoutError("scales must have 2 dimensions", found="x".join(map(str, shape)))
    for dim, size in enumerate(shape):
        if not is_power_of_two(size):
            raise LayoutError(f"dimension {dim} of the shape must be a power of two", found=size)
    LinearLayout.from_bases({"block": cga}, ["dim0", "dim1"])  # raises unless surjective


def _scales_per_cta(shape: Sequence[int], cga: Vectors) -> int:
    """Count the scales along K of one CTA."""
    return TileBuilder(shape, cga).shape_per_cta[1]


def _add_warps(tile: LinearLayout, op_idx: int, warps_per_cta: Sequence[int]) -> LinearLayout:
    """Add the warps, the last dimension fastest; those along the other operand broadcast."""
    for dim in (1, 0):
        factor = LinearLayout.identity_1d if dim == op_idx else LinearLayout.zeros_1d
        tile = tile * factor(warps_per_cta[dim], "warp", "dim0")
    return tile


def mfma_scale(
    shape: Sequence[int],
    op_idx: int,
    m_dim: int,
    tiles_per_warp: Sequence[int],
    warps_per_cta: Sequence[int],
    cga: Vectors = (),
) -> LinearLayout:
    """Compute the layout of the scales of an operand of a scaled MFMA instruction.

    Args:
        shape: rows of A or columns of B, then K / 32.
        op_idx: 0 for A, 1 for B.
        m_dim: rows of the instruction, 16 or 32.
        tiles_per_warp: the tiles per warp of the result.
        warps_per_cta: the warps of the result.
        cga: basis vectors over the CTAs of a cluster.
    """
    _check_arguments(op_idx, shape, cga)
    if m_dim not in (16, 32):
        raise LayoutError("m_dim must be 16 or 32", found=m_dim, accepted=["16", "32"])
    identity = LinearLayout.identity_1d
    scales = 64 // m_dim  # along K, of one instruction
    tile = identity(1, "register", "dim0") * identity(m_dim, "lane", "dim0")
    tile = tile * identity(scales, "lane", "dim1")
    tile = tile * identity(max(1, _scales_per_cta(shape, cga) // scales), "register", "dim1")
    tile = tile * identity(tiles_per_warp[op_idx], "register", "dim0")
    return fit_tile(_add_warps(tile, op_idx, warps_per_cta), cga, shape)


def wmma_scale(
    shape: Sequence[int],
    op_idx: int,
    register: Vectors,
    warp: Vectors,
    cga: Vectors = (),
) -> LinearLayout:
    """Compute the layout of the scales of an operand of a scaled WMMA instruction.

    The upper 16 lanes hold the scales of another tile: of the warp's next one, if it has one.

    Args:
        shape: rows of A or columns of B, then K / 32.
        op_idx: 0 for A, 1 for B.
        register: basis vectors of the result's registers, in tiles.
        warp: basis vectors of the result's warps, in tiles.
        cga: basis vectors over the CTAs of a cluster.
    """
    _check_arguments(op_idx, shape, cga)
    register_rows = [v[op_idx] * 16 for v in register if v[op_idx]]
    warp_rows = [v[op_idx] * 16 for v in warp]
    upper_lanes = register_rows.pop(0) if register_rows else 2 * max([8, *warp_rows])
    depth = max(_WMMA_LEAST_SCALES, _scales_per_cta(shape, cga))
    bases = {
        "register": [(0, 1 << bit) for bit in range(depth.bit_length() - 1)]
        + [(row, 0) for row in register_rows],
        "lane": [(1, 0), (2, 0), (4, 0), (8, 0), (upper_lanes, 0)],
        "warp": [(row, 0) for row in warp_rows],
    }
    tile = LinearLayout.from_bases(bases, ["dim0", "dim1"], surjective=False)
    return fit_tile(tile, cga, shape)


def mma_scale(
    shape: Sequence[int], op_idx: int, warps_per_cta: Sequence[int], cga: Vectors = ()
) -> LinearLayout:
    """Compute the layout of the scales of an operand of NVIDIA's block-scaled mma of sm_120.

    The four lanes that hold a row's elements hold its scales as well; of A, every other lane holds
    those of row r + 8 instead.

    Args:
        shape: rows of A or columns of B, then K / 32.
        op_idx: 0 for A, 1 for B.
        warps_per_cta: the warps of the result.
        cga: basis vectors over the CTAs of a cluster.
    """
    _check_arguments(op_idx, shape, cga)
    lanes = [(8 if op_idx == 0 else 0, 0), (0, 0), (1, 0), (2, 0), (4, 0)]
    rows = LinearLayout.from_bases(
        {"lane": lanes}, {"dim0": 16 if op_idx == 0 else 8, "dim1": 1}
    ).transpose_outs(["dim1", "dim0"])
    tile = LinearLayout.identity_1d(_scales_per_cta(shape, cga), "register", "dim1") * rows
    return fit_tile(_add_warps(tile, op_idx, warps_per_cta), cga, shape)
