"""Padded buffers for operands of MFMA that gfx950 copies to shared memory asynchronously.

A warp writes contiguously, 64 lanes of 8 elements at once, so there can be padding only after
every 512 elements. Rows that are read together must start in different banks. So rows that are
`wrap` apart follow each other in memory, and the padding shifts the next such group. For a tile of
128 rows of 64 16-bit elements along K, with mfma 16x16 and kWidth = 8, wrap is 16:

    row 0    row 16   row 32 …  row 112    8 rows are 512 elements
    16 elements of padding
    row 1    row 17   row 33 …

    #ttg.padded_shared<[512:+16] {offset = [[0, 1] … [0, 32],  [16, 0] [32, 0] [64, 0],
                                            [1, 0] [2, 0] [4, 0] [8, 0]]}>

Source: Triton, third_party/amd/lib/TritonAMDGPUTransforms/Utility.cpp.
"""

from __future__ import annotations

from msgspec import Struct

from weft.ir import types
from weft.ir.builtin import Attribute
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding, PaddedSharedEncoding
from weft.layouts.cga import cga_bases

__all__ = ["padded_operand_encoding"]

_VECTOR = 8  # elements that a lane copies: 128 bits
_ELEMENT_BITS = 16
_MFMA_SIZES = (16, 32)
_WIDTHS_OF_K = (4, 8)
_MOST_WRAPPED = 128  # elements in a line of all banks
_BEST_WRAP = 16
_ROW_EXCHANGED_WITH_ITS_DOUBLE = 4


class _Tile(Struct, frozen=True):
    """The operand as rows along its contiguous dimension.

    Attributes:
        columns: The elements of a row.
        rows: The number of rows.
        is_k_contiguous: Whether rows lie along K.
        size: M or N of the instruction.
        k_width: The elements that a lane reads along K at once.
    """

    columns: int
    rows: int
    is_k_contiguous: bool
    size: int
    k_width: int

    @property
    def padding(self) -> int:
        """The elements of padding that avoid bank conflicts of reads."""
        if self.is_k_contiguous:
            return 2 * self.k_width if self.size == min(_MFMA_SIZES) else self.k_width
        return self.size


def padded_operand_encoding(
    operand: DotOperandEncoding, type_: Attribute, order: tuple[int, ...], lanes: int
) -> PaddedSharedEncoding | None:
    """Choose a padded encoding for the buffer of an operand.

    Args:
        operand: The encoding that the operand is read in.
        type_: The type of the loaded tensor.
        order: The buffer's dimensions, fastest first.
        lanes: The lanes of a warp.

    Returns:
        The encoding; None for other elements than those of 16 bits, other instructions than MFMA,
        and tiles with too few rows.
    """
    shape = types.shape(type_)
    parent = operand.parent
    if not isinstance(parent, AmdMfmaEncoding) or len(shape) != 2:
        return None
    if max(8, types.bit_width(type_)) != _ELEMENT_BITS:
        return None
    size = parent.instr_shape[operand.op_idx]
    if size not in _MFMA_SIZES or operand.k_width not in _WIDTHS_OF_K:
        return None
    inner, outer = order
    k = 1 if operand.op_idx == 0 else 0
    tile = _Tile(shape[inner], shape[outer], inner == k, size, operand.k_width)
    bases = _bases(tile, lanes)
    if bases is None:
        return None
    offset = tuple((column, row) if inner == 0 else (row, column) for column, row in bases)
    source = types.encoding(type_)
    assert source is not None
    return PaddedSharedEncoding((lanes * _VECTOR,), (tile.padding,), offset, cga_bases(source), 2)


def _bases(tile: _Tile, lanes: int) -> list[tuple[int, int]] | None:
    """Compute the column and row of each power of two of the offset; None if rows are too few."""
    lanes_per_row = tile.columns // _VECTOR
    if not lanes_per_row:
        return None
    rows_per_group = lanes // lanes_per_row
    wrap = min(tile.columns, _MOST_WRAPPED) // tile.padding
    if not wrap or tile.rows < rows_per_group * wrap:
        return None
    is_best = wrap < _BEST_WRAP and tile.rows >= rows_per_group * _BEST_WRAP
    if is_best:
        wrap = _BEST_WRAP
    columns = [(1 << bit, 0) for bit in range(_log2(tile.columns))]
    rows = [(0, 1 << bit) for bit in range(_log2(tile.rows))]
    first = _log2(wrap)
    split = first + max(0, _log2(rows_per_group))  # a row may be longer than a group
    bases = [*columns, *rows[first:split], *rows[:first], *rows[split:]]
    if not tile.is_k_contiguous and tile.size == min(_MFMA_SIZES):
        # Lanes that are served together wrap at row 8.
        low = bases.index((0, _ROW_EXCHANGED_WITH_ITS_DOUBLE))
        high = bases.index((0, 2 * _ROW_EXCHANGED_WITH_ITS_DOUBLE))
        bases[low], bases[high] = bases[high], bases[low]
    if (
        tile.is_k_contiguous
        and tile.size == max(_MFMA_SIZES)
        and is_best
        and tile.columns < _MOST_WRAPPED
    ):
        # Reads of 128 bits want every 16th row in the same bank, reads of 64 bits in the other
        # half of the banks.
        position = 8 if tile.k_width == max(_WIDTHS_OF_K) else 7
        row = len(columns)
        bases[position], bases[row] = bases[row], bases[position]
    return bases


def _log2(number: int) -> int:
    return number.bit_length() - 1
