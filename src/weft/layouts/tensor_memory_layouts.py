"""The linear layouts of tensor memory: from its 128 rows and its columns to the element.

128x64 elements in blocks of 128x64 lie plainly: row r, column c. A block of 64 rows leaves 64 rows
of the memory over, in two groups of 16, and the next block (down, or else to the right) fills them:

    memory rows    0-15    16-31    32-47   48-63    64-79 …
    element rows   0-15    64-79    16-31   80-95    32-47 …       for 128 rows in blocks of 64

Further blocks follow in the columns, down first. A zero vector means that nothing else lies there.
"""

from __future__ import annotations

from weft.layouts.encodings import TensorMemoryEncoding, TensorMemoryScalesEncoding
from weft.layouts.linear import LinearLayout
from weft.layouts.tile_builder import at_most

__all__ = ["accumulator", "scales"]

Shape = tuple[int, ...]
_SCALE_ROWS, _SCALE_COLUMNS = 32, 4


def _columns(size: int, dim: int) -> LinearLayout:
    return LinearLayout.identity_1d(size, "col", f"dim{dim}")


def _per_block(
    encoding: TensorMemoryEncoding | TensorMemoryScalesEncoding, shape: Shape
) -> tuple[int, int]:
    """Return the part of the shape that one block of the cluster holds."""
    split = (encoding.cta_split_m, encoding.cta_split_n)
    for dim, parts in enumerate(split):
        if shape[dim] < parts:
            raise encoding.error(
                f"dimension {dim} cannot be split into {parts} parts", found=shape[dim]
            )
    return shape[0] // split[0], shape[1] // split[1]


def accumulator(encoding: TensorMemoryEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of an accumulator, or of an operand in tensor memory."""
    rows, columns = _per_block(encoding, shape)
    split_m = encoding.cta_split_m
    paired = encoding.block_m == 64 and encoding.two_ctas and split_m > 1
    if paired:  # the pair works as one block of 128 rows
        split_m //= 2
        rows *= 2
        tile = _blocks(encoding, 128, rows, columns)
        tile = _exchanged(encoding, tile)
    else:
        tile = _blocks(encoding, encoding.block_m, rows, columns)
    return tile * _columns(split_m, 0) * _columns(encoding.cta_split_n, 1)


def _blocks(encoding: TensorMemoryEncoding, block_m: int, rows: int, columns: int) -> LinearLayout:
    """Return blocks of block_m rows over a part of the tensor."""
    if rows < block_m:
        raise encoding.error(
            f"a block of the cluster must hold at least {block_m} rows, as blockM says", found=rows
        )
    block_n = min(encoding.block_n, columns)
    tile = LinearLayout.zeros_1d(encoding.col_stride, "col", "dim1")
    if block_m == 64:
        filler = (64, 0) if rows > 64 else (0, block_n) if columns > block_n else (0, 0)
        down = [(1, 0), (2, 0), (4, 0), (8, 0), filler, (16, 0), (32, 0)]
        along = [(0, 0)] * (encoding.col_stride.bit_length() - 1)
        along += [(0, 1 << bit) for bit in range(block_n.bit_length() - 1)]
        tile = LinearLayout.from_bases({"row": down, "col": along}, ["dim0", "dim1"])
    else:
        down = LinearLayout.identity_1d(block_m, "row", "dim0")
        tile = (tile * _columns(block_n, 1)).transpose_outs(["dim1"])
        tile = (down * tile).transpose_outs(["dim0", "dim1"])
    more_rows = rows // tile.out_size("dim0")
    return tile * _columns(more_rows, 0) * _columns(columns // tile.out_size("dim1"), 1)


def _exchanged(encoding: TensorMemoryEncoding, tile: LinearLayout) -> LinearLayout:
    """Exchange the upper half of the rows with the upper half of a block's columns."""
    at = (encoding.col_stride * encoding.block_n).bit_length() - 2
    down, along = list(tile.images("row")), list(tile.images("col"))
    if not 0 <= at < len(along):
        raise encoding.error(
            f"a pair of blocks must hold {encoding.block_n} columns, as blockN says, at least 2",
            found=1 << len(along),
        )
    down[-1], along[at] = along[at], down[-1]
    return LinearLayout((("row", tuple(down)), ("col", tuple(along))), tile.outs)


def scales(encoding: TensorMemoryScalesEncoding, shape: Shape) -> LinearLayout:
    """Return the layout of scales: 32 rows, held four times, by 4 columns; then down, along."""
    rows, columns = _per_block(encoding, shape)
    tile = LinearLayout.from_bases(
        {
            "row": [(1 << bit, 0) for bit in range(5)] + [(0, 0), (0, 0)],
            "col": [(0, 1), (0, 2), (_SCALE_ROWS, 0)],
        },
        {"dim0": 2 * _SCALE_ROWS, "dim1": _SCALE_COLUMNS},
    )
    sizes = {"dim0": rows, "dim1": columns}
    grown = tile * _columns(max(1, rows // tile.out_size("dim0")), 0)
    grown = grown * _columns(max(1, columns // tile.out_size("dim1")), 1)
    held = at_most(grown, sizes)
    return held * _columns(encoding.cta_split_m, 0) * _columns(encoding.cta_split_n, 1)
