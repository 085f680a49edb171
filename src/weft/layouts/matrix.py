"""The linear layouts of what matrix instructions leave, and of the operands they take.

A tile is written down as the instruction's manual draws it: so many neighbours in registers, so
many lanes along one dimension, so many along the other, further registers. NVIDIA's m16n8 is

    2 registers along n · 4 lanes along n · 8 lanes along m · 2 registers along m

and `_spread` and `on_shape` repeat it. Along K, operands repeat in registers, never over warps.
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
from weft.layouts.tiling import at_least, dimension_names, grid, on_shape

__all__ = ["amd_mfma", "amd_wmma", "dot_operand", "nvidia_mma"]

Shape = tuple[int, ...]


def _tile(*parts: tuple[str, int, int]) -> LinearLayout:
    """Return the product of (in-dimension, size, dimension) parts, the fastest first."""
    out = LinearLayout.empty()
    for in_dim, size, dim in parts:
        out = out * LinearLayout.identity_1d(size, in_dim, f"dim{dim}")
    return out


def _spread(tile: LinearLayout, over: LinearLayout) -> LinearLayout:
    """Return a tile repeated over warps, in the order of the tile's dimensions."""
    first = [name for name, _ in tile.outs]
    return tile * over.transpose_outs(first + [n for n, _ in over.outs if n not in first])


def _flat_along(vectors: Sequence[Sequence[int]], dim: int) -> list[list[int]]:
    """Return the vectors with nothing along one dimension."""
    return [[0 if d == dim else entry for d, entry in enumerate(v)] for v in vectors]


# -- NVIDIA ---------------------------------------------------------------------------------------
def _nvidia_warps(parent: NvidiaMmaEncoding, broadcast: tuple[int, ...] = ()) -> LinearLayout:
    """Return the warps: of version 3 down the columns, before that along the rows."""
    rank = parent.rank
    order = list(range(rank)) if parent.version_major == 3 else list(reversed(range(rank)))
    return grid("warp", parent.warps_per_cta, order, broadcast)


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
    tile = _tile(
        ("register", 2, n),
        ("lane", 4, n),
        ("lane", 8, m),
        ("register", rows // 8, m),
        ("register", columns // 8, n),
    )
    return on_shape(_spread(tile, _nvidia_warps(encoding)), encoding.cga_layout, shape)


def _nvidia_operand(
    encoding: DotOperandEncoding, parent: NvidiaMmaEncoding, shape: Shape
) -> LinearLayout:
    rank = len(shape)
    k, other = (rank - 1, rank - 2) if encoding.op_idx == 0 else (rank - 2, rank - 1)
    side = 16 if encoding.op_idx == 0 else 8
    tile = _tile(
        ("register", encoding.k_width, k),
        ("lane", 4, k),
        ("lane", 8, other),
        ("register", side // 8, other),
        ("register", 2, k),
    )
    warps = _nvidia_warps(parent, broadcast=(k,))
    return on_shape(_spread(tile, warps), _flat_along(parent.cga_layout, k), shape)


# -- AMD, 64 lanes --------------------------------------------------------------------------------
def amd_mfma(encoding: AmdMfmaEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of a result of an MFMA instruction."""
    rank = len(shape)
    m, n = rank - 2, rank - 1
    rows, columns = encoding.instr_shape[:2]
    height = 1 if encoding.element_bit_width == 64 else 4
    swapped = encoding.is_transposed or (rows, columns) == (64, 4)
    down, along, width = (n, m, rows) if swapped else (m, n, columns)
    tile = _tile(
        ("register", height, down),
        ("lane", width, along),
        ("lane", 64 // width, down),
        ("register", rows * columns // (64 * height), down),
    )
    tile = tile.transpose_outs([f"dim{n}", f"dim{m}"])
    tile = tile * _tile(
        ("register", encoding.tiles_per_warp[n], n), ("warp", encoding.warps_per_cta[n], n)
    )
    # Triton fills the rows of the whole tensor here, also where blocks of a cluster share them.
    tile = at_least(tile, {f"dim{n}": shape[n], f"dim{m}": 1})
    tile = tile * _tile(
        ("register", encoding.tiles_per_warp[m], m), ("warp", encoding.warps_per_cta[m], m)
    )
    if rank == 3:
        tile = tile * _tile(("warp", encoding.warps_per_cta[0], 0))
    return on_shape(tile, encoding.cga_layout, shape)


def _mfma_operand(
    encoding: DotOperandEncoding, parent: AmdMfmaEncoding, shape: Shape
) -> LinearLayout:
    rank = len(shape)
    k, other = (rank - 1, rank - 2) if encoding.op_idx == 0 else (rank - 2, rank - 1)
    rows, columns = parent.instr_shape[:2]
    side = rows if encoding.op_idx == 0 else columns
    wide = (rows, columns) == ((64, 4) if encoding.op_idx == 0 else (4, 64))
    depth = encoding.k_width * (64 // side) * (16 if wide else 1)
    tile = _tile(("register", encoding.k_width, k), ("lane", side, other), ("lane", 64 // side, k))
    if wide:
        tile = tile * _tile(("register", 16, k))
    tile = tile * _tile(
        ("register", max(1, shape[k] // depth), k),
        ("register", parent.tiles_per_warp[other], other),
    )
    warps = grid("warp", parent.warps_per_cta, list(reversed(range(rank))), broadcast=(k,))
    return on_shape(_spread(tile, warps), parent.cga_layout, shape)


# -- AMD, 32 lanes --------------------------------------------------------------------------------
def _tiles(encoding: AmdWmmaEncoding, rank: int) -> LinearLayout:
    """Return which tile each warp, and each further register, holds."""
    bases = {"register": encoding.register, "warp": encoding.warp}
    return LinearLayout.from_bases(bases, dimension_names(rank))


def amd_wmma(encoding: AmdWmmaEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of a result of a WMMA instruction."""
    rank = len(shape)
    m, n = rank - 2, rank - 1
    down, along = (n, m) if encoding.is_transposed else (m, n)
    if encoding.version == 1:
        down_bits = {"register": (2, 4, 8), "lane": (1,)}
    else:
        down_bits = {"register": (1, 2, 4), "lane": (8,)}
    lanes = [(0, 1 << bit) for bit in range(4)] + [(v, 0) for v in down_bits["lane"]]
    tile = LinearLayout.from_bases(
        {"register": [(v, 0) for v in down_bits["register"]], "lane": lanes},
        {f"dim{down}": 16, f"dim{along}": 16},
    ).transpose_outs([f"dim{n}", f"dim{m}"])
    order = [f"dim{n}", f"dim{m}", *(f"dim{d}" for d in reversed(range(rank - 2)))]
    spread = tile * _tiles(encoding, rank).transpose_outs(order)
    return on_shape(spread, encoding.cga_layout, shape)


def _wmma_operand(
    encoding: DotOperandEncoding, parent: AmdWmmaEncoding, shape: Shape
) -> LinearLayout:
    rank = len(shape)
    k, other = (rank - 1, rank - 2) if encoding.op_idx == 0 else (rank - 2, rank - 1)
    depth = max(shape[k], parent.instr_shape[2])
    tile = _tile(("register", encoding.k_width, k), ("lane", 16, other))
    tile = tile * (
        LinearLayout.zeros_1d(2, "lane", f"dim{k}")
        if parent.version == 1
        else _tile(("lane", 2, k))
    )
    tile = tile * _tile(("register", max(1, depth // (2 * encoding.k_width)), k))
    register = [v for v in _flat_along(parent.register, k) if any(v)]
    tiles = LinearLayout.from_bases(
        {"register": register, "warp": _flat_along(parent.warp, k)}, dimension_names(rank)
    )
    return on_shape(_spread(tile, tiles), parent.cga_layout, shape)


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
    tile = (
        grid("register", sizes, parent.order)
        * grid("lane", parent.threads_per_warp, parent.order, broadcast=(k,))
        * grid("warp", parent.warps_per_cta, parent.order, broadcast=(k,))
    )
    return on_shape(tile, _flat_along(parent.cga_layout, k), shape)
