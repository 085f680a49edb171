"""The linear layouts of what matrix instructions leave, and of the operands they take.

A tile is written down as the instruction's manual draws it: so many neighbours in registers, so
many lanes along one dimension, so many along the other, further registers. NVIDIA's m16n8 is

    2 registers along n · 4 lanes along n · 8 lanes along m · 2 registers along m

and a `TileBuilder` repeats it over warps and then in registers, along K of an operand in
registers alone.
Blocks of a cluster share K of blocked and NVIDIA operands and split it for AMD's, as in Triton.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import LayoutError
from weft.layouts.encodings import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    NvidiaMmaEncoding,
)
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import TileBuilder

__all__ = ["amd_mfma", "amd_wmma", "dot_operand", "nvidia_mma"]

Shape = tuple[int, ...]
Vectors = Sequence[Sequence[int]]


def _put(tile: TileBuilder, *parts: tuple[str, int, int]) -> None:
    """Add (in-dimension, size, dimension) parts, the fastest first."""
    for in_dim, size, dim in parts:
        tile.put(in_dim, size, dim)


def _flat_along(vectors: Sequence[Sequence[int]], dim: int) -> list[list[int]]:
    """Return the vectors with nothing along one dimension."""
    return [[0 if d == dim else entry for d, entry in enumerate(v)] for v in vectors]


# -- NVIDIA ---------------------------------------------------------------------------------------
def _put_nvidia_warps(
    tile: TileBuilder, parent: NvidiaMmaEncoding, repeated: int | None = None
) -> None:
    """Add the warps: of version 3 down the columns, before that along the rows."""
    rank = parent.rank
    order = list(range(rank)) if parent.version_major == 3 else list(reversed(range(rank)))
    tile.grid("warp", parent.warps_per_cta, order, repeated)


def nvidia_mma(encoding: NvidiaMmaEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of a result of mma or wgmma."""
    if encoding.version_major not in (2, 3):
        raise LayoutError(
            f"the linear layout of #ttg.nvidia_mma version {encoding.version_major} is not known",
            found=str(encoding),
            accepted=["version 2", "version 3"],
        )
    rank = len(shape)
    m, n = rank - 2, rank - 1
    sides = encoding.instr_shape
    rows, columns = sides[:2] if encoding.version_major == 3 else sides[-2:]
    tile = TileBuilder(shape, encoding.cga_layout)
    _put(
        tile,
        ("register", 2, n),
        ("lane", 4, n),
        ("lane", 8, m),
        ("register", rows // 8, m),
        ("register", columns // 8, n),
    )
    _put_nvidia_warps(tile, encoding)
    return tile.finished()


def _nvidia_operand(
    encoding: DotOperandEncoding, parent: NvidiaMmaEncoding, shape: Shape
) -> LinearLayout:
    rank = len(shape)
    k, other = (rank - 1, rank - 2) if encoding.op_idx == 0 else (rank - 2, rank - 1)
    side = 16 if encoding.op_idx == 0 else 8
    tile = TileBuilder(shape, _flat_along(parent.cga_layout, k))
    _put(
        tile,
        ("register", encoding.k_width, k),
        ("lane", 4, k),
        ("lane", 8, other),
        ("register", side // 8, other),
        ("register", 2, k),
    )
    _put_nvidia_warps(tile, parent, repeated=k)
    return tile.finished()


# -- AMD, 64 lanes --------------------------------------------------------------------------------
def amd_mfma(encoding: AmdMfmaEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of a result of an MFMA instruction."""
    rank = len(shape)
    m, n = rank - 2, rank - 1
    rows, columns = encoding.instr_shape[:2]
    height = 1 if encoding.element_bit_width == 64 else 4
    if (rows, columns) == (64, 4) and not encoding.is_transposed:
        raise encoding.error("a result of 64x4 must be transposed", found="isTransposed = false")
    swapped = encoding.is_transposed
    down, along, width = (n, m, rows) if swapped else (m, n, columns)
    tile = TileBuilder(shape, encoding.cga_layout)
    _put(
        tile,
        ("register", height, down),
        ("lane", width, along),
        ("lane", 64 // width, down),
        ("register", rows * columns // (64 * height), down),
    )
    tile.reorder((n, m))
    _put(tile, ("register", encoding.tiles_per_warp[n], n), ("warp", encoding.warps_per_cta[n], n))
    # Triton fills the rows of the whole tensor here, also where blocks of a cluster share them.
    tile.fill(n, shape[n])
    _put(tile, ("register", encoding.tiles_per_warp[m], m), ("warp", encoding.warps_per_cta[m], m))
    if rank == 3:
        tile.put("warp", encoding.warps_per_cta[0], 0)
    return tile.finished()


def _mfma_operand(
    encoding: DotOperandEncoding, parent: AmdMfmaEncoding, shape: Shape
) -> LinearLayout:
    rank = len(shape)
    k, other = (rank - 1, rank - 2) if encoding.op_idx == 0 else (rank - 2, rank - 1)
    rows, columns = parent.instr_shape[:2]
    side = rows if encoding.op_idx == 0 else columns
    wide = (rows, columns) == ((64, 4) if encoding.op_idx == 0 else (4, 64))
    depth = encoding.k_width * (64 // side) * (16 if wide else 1)
    tile = TileBuilder(shape, parent.cga_layout)
    _put(
        tile,
        ("register", encoding.k_width, k),
        ("lane", side, other),
        ("lane", 64 // side, k),
        ("register", 16 if wide else 1, k),
        ("register", max(1, shape[k] // depth), k),
        ("register", parent.tiles_per_warp[other], other),
    )
    tile.grid("warp", parent.warps_per_cta, list(reversed(range(rank))), repeated=k)
    return tile.finished()


# -- AMD, 32 lanes --------------------------------------------------------------------------------
def _put_tiles(tile: TileBuilder, register: Vectors, warp: Vectors, order: Sequence[int]) -> None:
    """Add which tile each warp, and each further register, holds."""
    every = (*register, *warp)
    sizes = {d: 1 << max([v[d].bit_length() for v in every], default=0) for d in order}
    tile.put_vectors({"register": register, "warp": warp}, sizes)


def amd_wmma(encoding: AmdWmmaEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of a result of a WMMA instruction."""
    rank = len(shape)
    m, n = rank - 2, rank - 1
    down, along = (n, m) if encoding.is_transposed else (m, n)
    tile = TileBuilder(shape, encoding.cga_layout)
    if encoding.version == 1:  # the lanes of a half hold every other row
        parts = ("lane", 16, along), ("lane", 2, down), ("register", 8, down)
        _put(tile, ("register", 1, down), *parts)
    else:
        _put(tile, ("register", 8, down), ("lane", 16, along), ("lane", 2, down))
    tile.reorder((n, m))
    order = [n, m, *reversed(range(rank - 2))]
    _put_tiles(tile, encoding.register, encoding.warp, order)
    return tile.finished()


def _wmma_operand(
    encoding: DotOperandEncoding, parent: AmdWmmaEncoding, shape: Shape
) -> LinearLayout:
    rank = len(shape)
    k, other = (rank - 1, rank - 2) if encoding.op_idx == 0 else (rank - 2, rank - 1)
    depth = max(shape[k], parent.instr_shape[2])
    tile = TileBuilder(shape, parent.cga_layout)
    _put(tile, ("register", encoding.k_width, k), ("lane", 16, other))
    tile.put("lane", 2, k, repeated=parent.version == 1)
    tile.put("register", max(1, depth // (2 * encoding.k_width)), k)
    register = [v for v in _flat_along(parent.register, k) if any(v)]
    rest = [d for d in range(rank) if d not in (k, other)]
    _put_tiles(tile, register, _flat_along(parent.warp, k), [k, other, *rest])
    return tile.finished()


# -- operands -------------------------------------------------------------------------------------
def dot_operand(encoding: DotOperandEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of an operand of a dot."""
    parent = encoding.parent
    if isinstance(parent, BlockedEncoding):
        return _blocked_operand(encoding, parent, shape)
    if isinstance(parent, NvidiaMmaEncoding) and parent.version_major in (2, 3):
        return _nvidia_operand(encoding, parent, shape)
    if isinstance(parent, AmdMfmaEncoding):
        return _mfma_operand(encoding, parent, shape)
    if isinstance(parent, AmdWmmaEncoding):
        return _wmma_operand(encoding, parent, shape)
    raise LayoutError(
        f"the linear layout of #ttg.dot_op of #ttg.{parent.mnemonic} is not known to weft",
        found=str(encoding),
        accepted=[f"#ttg.dot_op of {name}" for name in ("blocked", "mma 2, 3", "mfma", "wmma")],
    )


def _blocked_operand(
    encoding: DotOperandEncoding, parent: BlockedEncoding, shape: Shape
) -> LinearLayout:
    """Hold all of K in each thread's registers, for a dot that is a sum of products per thread."""
    k = len(shape) - 1 if encoding.op_idx == 0 else len(shape) - 2
    sizes = tuple(shape[d] if d == k else n for d, n in enumerate(parent.size_per_thread))
    tile = TileBuilder(shape, _flat_along(parent.cga_layout, k))
    tile.grid("register", sizes, parent.order)
    tile.grid("lane", parent.threads_per_warp, parent.order, repeated=k)
    tile.grid("warp", parent.warps_per_cta, parent.order, repeated=k)
    return tile.finished()
