"""The linear layouts of what lies in shared memory: from offset and block to the element.

A swizzle exchanges columns by row, so that a column of the tensor spreads over the banks. 4 rows of
8 columns with vec = 2, perPhase = 1, maxPhase = 4 lie like this (each number is the column):

    row 0   0 1 2 3 4 5 6 7        row 2   4 5 6 7 0 1 2 3
    row 1   2 3 0 1 6 7 4 5        row 3   6 7 4 5 2 3 0 1

`#ttg.nvmma_shared` does that within core matrices of 8 rows, which it tiles as the tensor memory
accelerator writes them. `#ttg.padded_shared` leaves gaps instead, which no linear map can say: its
layout is the one before the gaps, and `PaddedSharedEncoding.padded` adds them to an offset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from weft.errors import LayoutError
from weft.layouts.encodings import (
    AmdRotatingSharedEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import (
    TileBuilder,
    at_least,
    dimension_names,
    on_shape,
)

__all__ = ["nvmma", "padded", "rotating", "shared_linear", "swizzled"]

Shape = tuple[int, ...]
_TMA_BOX = 256  # elements of a box of the tensor memory accelerator along one dimension, at most
_CORE_ROWS = 8


def shared_linear(encoding: SharedLinearEncoding, shape: Shape) -> LinearLayout:
    """Return the layout that the vectors spell."""
    return _spelled(encoding, shape)


def _spelled(encoding: SharedLinearEncoding | PaddedSharedEncoding, shape: Shape) -> LinearLayout:
    """Return the layout that vectors spell.

    Raises: LayoutError: the shape is another.
    """
    bases = {"offset": encoding.offset, "block": encoding.block}
    layout = LinearLayout.from_bases(bases, dimension_names(encoding.rank))
    if tuple(layout.out_dims.values()) != shape:
        raise LayoutError(
            f"the shape must be the one that #ttg.{encoding.mnemonic} spells",
            found="x".join(map(str, shape)),
            accepted=["x".join(str(size) for size in layout.out_dims.values())],
        )
    return layout


def swizzled(encoding: SwizzledSharedEncoding, shape: Shape) -> LinearLayout:
    """Give row r the column c ^ vec * (r / perPhase % maxPhase), one vector per offset bit."""
    sizes = TileBuilder(shape, encoding.cga_layout).per_block

    def phase(row: int) -> int:
        return row // encoding.per_phase % encoding.max_phase

    return _phased(encoding, phase, sizes, shape)


def rotating(encoding: AmdRotatingSharedEncoding, shape: Shape) -> LinearLayout:
    """Swizzle with a phase that also moves on after each maxPhase of phases."""

    def phase(row: int) -> int:
        step = row // encoding.per_phase
        return step % encoding.max_phase ^ step // encoding.max_phase % encoding.max_phase

    return _phased(encoding, phase, list(shape), shape)


def _phased(
    encoding: SwizzledSharedEncoding | AmdRotatingSharedEncoding,
    phase: Callable[[int], int],
    sizes: Sequence[int],
    shape: Shape,
) -> LinearLayout:
    """Return rows of `sizes` whose columns are exchanged by vec * phase(row)."""
    tile = TileBuilder(shape, encoding.cga_layout)
    if len(shape) == 1:
        tile.put("offset", tile.per_block[0], 0)
        return tile.finished()
    column, row = encoding.order[:2]
    columns, rows = sizes[column], sizes[row]
    vectors = []
    for dim, first in ((column, 1), (row, 0)):
        for bit in range(sizes[dim].bit_length() - 1):
            vector = [0] * len(shape)
            vector[dim] = 1 << bit
            if not first:
                vector[column] = encoding.vec * phase(1 << bit) % columns
            vectors.append(vector)
    tile.put_vectors({"offset": vectors}, {column: columns, row: rows})
    tile.grid("offset", sizes, encoding.order[2:])
    return tile.finished()


def padded(encoding: PaddedSharedEncoding, shape: Shape) -> LinearLayout:
    """Return the linear part: where elements lie before gaps are put between them."""
    return _spelled(encoding, shape)


def nvmma(encoding: NvmmaSharedEncoding, shape: Shape) -> LinearLayout:
    """Return core matrices tiled over a box of the accelerator, and boxes over the tensor."""
    widths = (encoding.swizzling_byte_width, encoding.element_bit_width)
    if encoding.fp4_padded and widths != (128, 8):
        raise encoding.error(
            "fp4Padded needs swizzlingByteWidth = 128 and elementBitWidth = 8",
            found=f"{widths[0]} and {widths[1]}",
        )
    plain = TileBuilder(shape, encoding.cga_layout)
    sizes = plain.per_block
    if encoding.swizzling_byte_width == 0:
        box = [min(_TMA_BOX, size) for size in sizes]
        plain.grid("offset", box, list(reversed(range(len(shape)))))
        return plain.finished()
    dims = list(range(len(shape)))
    if encoding.transposed:
        dims = [*dims[1:], 0]
    columns = 8 * encoding.swizzling_byte_width // encoding.element_bit_width
    if encoding.fp4_padded:
        columns //= 2
    rows = [min(_TMA_BOX, sizes[d]) for d in dims[:-1]]
    if sizes[dims[-1]] < columns or math.prod(rows) < _CORE_ROWS:
        raise encoding.error(
            f"a block must hold {_CORE_ROWS} rows of {columns} elements along dimension {dims[-1]}",
            found="x".join(map(str, sizes)),
        )
    if encoding.transposed and rows[-1] < _CORE_ROWS:  # a copy counts rows along the last one
        raise encoding.error(
            f"a transposed block must have {_CORE_ROWS} elements along its last dimension",
            found="x".join(map(str, sizes)),
        )
    core = _core_matrix(encoding, columns)
    tile = at_least(core, {"row": math.prod(rows), "column": columns})
    tile = _folded(tile, dims, [*rows, columns], transposed=encoding.transposed)
    return on_shape(tile, encoding.cga_layout, shape)


def _core_matrix(encoding: NvmmaSharedEncoding, columns: int) -> LinearLayout:
    """Return 8 rows whose 16-byte vectors are exchanged by row.

    Padded 4-bit elements stand in bytes: 8 elements, two in a byte, fill half of 16 bytes, and
    offset bit 3 steps over the other half.
    """
    width = encoding.swizzling_byte_width
    vec, per_phase, phases = 128 // encoding.element_bit_width, 128 // width, width // 16

    def element(offset: int) -> int:
        return offset % 8 + offset // 16 * 8 if encoding.fp4_padded else offset

    offsets = 2 * columns if encoding.fp4_padded else columns
    vectors = [(0, element(1 << bit)) for bit in range(offsets.bit_length() - 1)]
    if encoding.fp4_padded:
        vectors[3] = (0, 0)
    for bit in range(_CORE_ROWS.bit_length() - 1):
        phase = (1 << bit) // per_phase % phases
        vectors.append((1 << bit, element(vec * phase)))
    return LinearLayout.from_bases({"offset": vectors}, {"row": _CORE_ROWS, "column": columns})


def _folded(
    tile: LinearLayout, dims: list[int], sizes: list[int], *, transposed: bool
) -> LinearLayout:
    """Return the tile with its rows split over the dimensions dims[:-1].

    With three dimensions or more, a transposed box does not count its rows in the order of the
    dimensions: Triton reads the rows anew after turning the dimensions round, and so does this.
    """
    flat = tile.transpose_outs(["column", "row"])
    by_dim = dict(zip(dims, sizes, strict=True))
    inner, rows = dims[-1], list(reversed(dims[:-1]))
    split = flat.reshape_outs({f"dim{d}": by_dim[d] for d in (inner, *rows)})
    if transposed and len(rows) > 1:
        turned = [*rows[1:], rows[0]]
        split = split.transpose_outs([f"dim{d}" for d in (inner, *turned)])
        split = split.reshape_outs({f"dim{d}": by_dim[d] for d in (inner, *rows)})
    return split.transpose_outs([f"dim{d}" for d in range(len(dims))])
