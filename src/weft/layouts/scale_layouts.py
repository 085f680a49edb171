"""The layouts of the scales of a block-scaled dot in registers.

A scale belongs to 32 elements along K of one row (of A) or column (of B). It is held by the lanes
that hold this row or column: for MFMA of 16 rows, lane l holds the scale of row l % 16 and of K
group l // 16; warps along the other side of the result repeat it.

    mfma_scale((64, 16), 0, 16, (1, 1), (2, 2))     # dim0: row, dim1: K / 32

In a cluster each block holds its part so: `cga` are basis vectors over the blocks, in these two
dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import TileBuilder, on_shape

__all__ = ["mfma_scale", "mma_scale", "wmma_scale"]

Vectors = Sequence[Sequence[int]]
_WMMA_LEAST = 4


def _checked(op_idx: int, shape: Sequence[int], cga: Vectors) -> None:
    if op_idx not in (0, 1):
        raise LayoutError("op_idx must be 0 or 1", found=op_idx)
    if len(shape) != 2:
        raise LayoutError("scales must have 2 dimensions", found="x".join(map(str, shape)))
    for dim, size in enumerate(shape):
        if not is_power_of_two(size):
            raise LayoutError(f"dimension {dim} of the shape must be a power of two", found=size)
    LinearLayout.from_bases({"block": cga}, ["dim0", "dim1"])  # refuses what leaves blocks out


def _part(shape: Sequence[int], cga: Vectors) -> int:
    """Return how many groups along K one block holds."""
    return TileBuilder(shape, cga).per_block[1]


def mfma_scale(
    shape: Sequence[int],
    op_idx: int,
    m_dim: int,
    tiles_per_warp: Sequence[int],
    warps_per_cta: Sequence[int],
    cga: Vectors = (),
) -> LinearLayout:
    """Return the layout of the scales of an operand of a scaled MFMA instruction.

    Args: shape: rows (of A) or columns (of B), then K / 32.  op_idx: 0 for A, 1 for B.
    m_dim: 16 or 32, of the instruction.  tiles_per_warp, warps_per_cta: of the result.
    """
    _checked(op_idx, shape, cga)
    if m_dim not in (16, 32):
        raise LayoutError("m_dim must be 16 or 32", found=m_dim, accepted=["16", "32"])
    one, zeros = LinearLayout.identity_1d, LinearLayout.zeros_1d
    deep = 64 // m_dim
    tile = one(m_dim, "lane", "dim0") * one(deep, "lane", "dim1")
    tile = one(1, "register", "dim0") * tile
    part = _part(shape, cga)
    tile = tile * one(max(1, part // deep), "register", "dim1")
    tile = tile * one(tiles_per_warp[op_idx], "register", "dim0")
    for side in (1, 0):
        line = one if side == op_idx else zeros
        tile = tile * line(warps_per_cta[side], "warp", "dim0")
    return on_shape(tile, cga, shape)


def wmma_scale(
    shape: Sequence[int],
    op_idx: int,
    register: Vectors,
    warp: Vectors,
    cga: Vectors = (),
) -> LinearLayout:
    """Return the layout of the scales of an operand of a scaled WMMA instruction.

    Its 16 upper lanes hold the scales of a further tile: of the warp's next one, if it has one.

    Args: shape, op_idx: as of `mfma_scale`.  register, warp: vectors of the result, in tiles.
    """
    _checked(op_idx, shape, cga)
    own = [v[op_idx] * 16 for v in register if v[op_idx]]
    spread = [v[op_idx] * 16 for v in warp]
    upper = own.pop(0) if own else 2 * max([8, *spread])
    depth = max(_WMMA_LEAST, _part(shape, cga))
    bases = {
        "register": [(0, 1 << bit) for bit in range(depth.bit_length() - 1)]
        + [(value, 0) for value in own],
        "lane": [(1, 0), (2, 0), (4, 0), (8, 0), (upper, 0)],
        "warp": [(value, 0) for value in spread],
    }
    tile = LinearLayout.from_bases(bases, ["dim0", "dim1"], surjective=False)
    return on_shape(tile, cga, shape)


def mma_scale(
    shape: Sequence[int], op_idx: int, warps_per_cta: Sequence[int], cga: Vectors = ()
) -> LinearLayout:
    """Return the layout of the scales of an operand of NVIDIA's block-scaled mma of sm_120.

    Four lanes that hold a row's operand hold its scales as well; of A, the second of them holds
    those of row r + 8.

    Args: shape, op_idx: as of `mfma_scale`.  warps_per_cta: of the result.
    """
    _checked(op_idx, shape, cga)
    one, zeros = LinearLayout.identity_1d, LinearLayout.zeros_1d
    lanes = [(8 if op_idx == 0 else 0, 0), (0, 0), (1, 0), (2, 0), (4, 0)]
    tile = one(_part(shape, cga), "register", "dim1") * LinearLayout.from_bases(
        {"lane": lanes}, {"dim0": 16 if op_idx == 0 else 8, "dim1": 1}
    ).transpose_outs(["dim1", "dim0"])
    for side in (1, 0):
        line = one if side == op_idx else zeros
        tile = tile * line(warps_per_cta[side], "warp", "dim0")
    return on_shape(tile, cga, shape)
