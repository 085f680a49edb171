"""Encodings of the tensor memory of NVIDIA's Blackwell: 128 rows by 512 columns of 32 bits.

Blocks of 128 rows lie row by row: row r of the tensor in row r of the memory. A block of 64 rows
leaves 64 rows of the memory free, every other group of 16, and the next block (below, or else to
the right) fills them. 128 rows in blocks of 64:

    rows of memory    0-15    16-31    32-47   48-63    64-79 …
    rows of tensor    0-15    64-79    16-31   80-95    32-47 …

Further blocks follow in the columns, those below first. A zero basis means that nothing else lies
there. Source: PTX ISA, tcgen05, tensor memory and data path layouts.
"""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Names,
    Shape,
    encoding,
    flag,
    integer,
    value_text,
)
from weft.layouts.layout_transforms import at_most
from weft.layouts.linear_layout import LinearLayout

__all__ = ["TensorMemoryEncoding", "TensorMemoryScalesEncoding"]

_SCALE_ROWS, _SCALE_COLUMNS = 32, 4


class _TensorMemory(Encoding):
    """What both encodings of tensor memory share."""

    __slots__ = ()
    dialect: ClassVar[str] = "ttng"
    family: ClassVar[str] = "tensor_memory"
    cta_split_m: int
    cta_split_n: int

    def _check(self) -> None:
        checks.power_of_two(self, "CTASplitM", self.cta_split_m)
        checks.power_of_two(self, "CTASplitN", self.cta_split_n)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return 2

    def _body(self, names: Names | None) -> str:
        return f"<{', '.join(f'{key} = {value_text(value)}' for key, value in self.fields())}>"

    def _shape_per_cta(self, shape: Shape) -> tuple[int, int]:
        split = (self.cta_split_m, self.cta_split_n)
        for dim, parts in enumerate(split):
            if shape[dim] < parts:
                raise self.error(
                    f"dimension {dim} cannot be split into {parts} parts", found=shape[dim]
                )
        return shape[0] // split[0], shape[1] // split[1]


@encoding
class TensorMemoryEncoding(_TensorMemory):
    """An accumulator, or an operand, in tensor memory.

    Attributes:
        block_m: rows of a block, 64 or 128.
        block_n: columns of a block, a power of two.
        col_stride: columns of 32 bits per element, 1, 2 or 4.
        cta_split_m: CTAs of a cluster that share the rows of the tensor.
        cta_split_n: CTAs that share its columns.
        two_ctas: whether a pair of CTAs computes the dot together.
    """

    mnemonic: ClassVar[str] = "tensor_memory_encoding"
    alias: ClassVar[str | None] = "tmem"

    block_m: int = integer("blockM")
    block_n: int = integer("blockN")
    col_stride: int = integer("colStride")
    cta_split_m: int = integer("CTASplitM", default=1)
    cta_split_n: int = integer("CTASplitN", default=1)
    two_ctas: bool = flag("twoCTAs", default=False)

    def _check(self) -> None:
        checks.one_of(self, "blockM", self.block_m, (64, 128))
        checks.power_of_two(self, "blockN", self.block_n)
        checks.one_of(self, "colStride", self.col_stride, (1, 2, 4))
        _TensorMemory._check(self)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        rows, columns = self._shape_per_cta(shape)
        split_m = self.cta_split_m
        if self.block_m == 64 and self.two_ctas and split_m > 1:
            # A pair of CTAs with 64 rows each computes one block of 128 rows.
            split_m //= 2
            layout = self._exchange_halves(self._blocks(128, 2 * rows, columns))
        else:
            layout = self._blocks(self.block_m, rows, columns)
        return layout * _columns(split_m, 0) * _columns(self.cta_split_n, 1)

    def _blocks(self, block_m: int, rows: int, columns: int) -> LinearLayout:
        """Return blocks of `block_m` rows over the part of one CTA."""
        if rows < block_m:
            raise self.error(f"a CTA must hold at least {block_m} rows, as blockM says", found=rows)
        block_n = min(self.block_n, columns)
        if block_m == 64:
            # The next block fills the free rows of memory, from row 16 on.
            filler = (64, 0) if rows > 64 else (0, block_n) if columns > block_n else (0, 0)
            row = [(1, 0), (2, 0), (4, 0), (8, 0), filler, (16, 0), (32, 0)]
            col = [(0, 0)] * (self.col_stride.bit_length() - 1)
            col += [(0, 1 << bit) for bit in range(block_n.bit_length() - 1)]
            tile = LinearLayout.from_bases({"row": row, "col": col}, ["dim0", "dim1"])
        else:
            tile = LinearLayout.zeros_1d(self.col_stride, "col", "dim1") * _columns(block_n, 1)
            tile = LinearLayout.identity_1d(block_m, "row", "dim0") * tile
        more_rows, more_columns = rows // tile.out_size("dim0"), columns // tile.out_size("dim1")
        return tile * _columns(more_rows, 0) * _columns(more_columns, 1)

    def _exchange_halves(self, tile: LinearLayout) -> LinearLayout:
        """Exchange the upper half of the rows with the upper half of a block's columns."""
        bit = (self.col_stride * self.block_n).bit_length() - 2
        row, col = list(tile.images("row")), list(tile.images("col"))
        if not 0 <= bit < len(col):
            raise self.error(
                f"a pair of CTAs must hold {self.block_n} columns, as blockN says, at least 2",
                found=1 << len(col),
            )
        row[-1], col[bit] = col[bit], row[-1]
        return LinearLayout((("row", tuple(row)), ("col", tuple(col))), tile.outs)


@encoding
class TensorMemoryScalesEncoding(_TensorMemory):
    """The scales of a block-scaled dot in tensor memory.

    Attributes:
        cta_split_m: CTAs of a cluster that share the rows of the tensor.
        cta_split_n: CTAs that share its columns.
    """

    mnemonic: ClassVar[str] = "tensor_memory_scales_encoding"
    alias: ClassVar[str | None] = "tmem_scales"

    cta_split_m: int = integer("CTASplitM", default=1)
    cta_split_n: int = integer("CTASplitN", default=1)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        """Place 32 rows, held four times, by 4 columns; then further rows, then columns."""
        rows, columns = self._shape_per_cta(shape)
        tile = LinearLayout.from_bases(
            {
                "row": [(1 << bit, 0) for bit in range(5)] + [(0, 0), (0, 0)],
                "col": [(0, 1), (0, 2), (_SCALE_ROWS, 0)],
            },
            {"dim0": 2 * _SCALE_ROWS, "dim1": _SCALE_COLUMNS},
        )
        layout = tile * _columns(max(1, rows // tile.out_size("dim0")), 0)
        layout = layout * _columns(max(1, columns // tile.out_size("dim1")), 1)
        layout = at_most(layout, {"dim0": rows, "dim1": columns})
        return layout * _columns(self.cta_split_m, 0) * _columns(self.cta_split_n, 1)


def _columns(size: int, dim: int) -> LinearLayout:
    return LinearLayout.identity_1d(size, "col", f"dim{dim}")
