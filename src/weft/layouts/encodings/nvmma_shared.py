"""`#ttg.nvmma_shared`: tiles as TMA writes them and NVIDIA's tensor cores read them.

The tile is made of core matrices of 8 rows. A row of a core matrix has as many bytes as the swizzle
is wide (32, 64 or 128), and its 16-byte chunks are permuted by XOR with the row number. For
f16 and 128 bytes, a row is 64 elements in 8 chunks of 8, and

    row 0   chunks 0 1 2 3 4 5 6 7        row 2   chunks 2 3 0 1 6 7 4 5
    row 1   chunks 1 0 3 2 5 4 7 6        row 3   chunks 3 2 1 0 7 6 5 4  …

A TMA box has at most 256 elements per dimension. Core matrices fill a box row by row, and boxes
fill the tensor. Source: PTX ISA, shared memory matrix layout and tensor swizzling modes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Shape,
    Vectors,
    encoding,
    flag,
    integer,
    vectors,
)
from weft.layouts.layout_transforms import at_least
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import TileBuilder, fit_tile

__all__ = ["NvmmaSharedEncoding"]

_BOX_SIZE = 256  # elements of a TMA box along one dimension, at most
_CORE_ROWS = 8
_CHUNK_BITS = 128


@encoding
class NvmmaSharedEncoding(Encoding):
    """A tile as TMA writes it for wgmma and tcgen05.mma.

    Attributes:
        swizzling_byte_width: 0 (no swizzle), 32, 64 or 128.
        element_bit_width: bits of an element.
        transposed: whether the first dimension is the fast one.
        fp4_padded: whether pairs of 4-bit elements are padded: 8 bytes of pairs in every 16 bytes.
        cga_layout: basis vectors over the CTAs of a cluster.
        dimensions: the number of dimensions of the tensor.
    """

    mnemonic: ClassVar[str] = "nvmma_shared"
    alias: ClassVar[str | None] = "shared"
    family: ClassVar[str] = "shared"
    key_order: ClassVar[tuple[str, ...]] = (
        "swizzlingByteWidth",
        "transposed",
        "elementBitWidth",
        "fp4Padded",
        "CGALayout",
        "rank",
    )

    swizzling_byte_width: int = integer("swizzlingByteWidth")
    element_bit_width: int = integer("elementBitWidth")
    transposed: bool = flag("transposed", default=False, always=True)
    fp4_padded: bool = flag("fp4Padded", default=False)
    cga_layout: Vectors = vectors("CGALayout", default=())
    dimensions: int = integer("rank", default=2)

    def _check(self) -> None:
        checks.one_of(self, "swizzlingByteWidth", self.swizzling_byte_width, (0, 32, 64, 128))
        checks.power_of_two(self, "elementBitWidth", self.element_bit_width)
        checks.positive(self, "rank", self.dimensions)
        checks.cga(self, self.cga_layout, self.dimensions)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.dimensions

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        widths = (self.swizzling_byte_width, self.element_bit_width)
        if self.fp4_padded and widths != (128, 8):
            raise self.error(
                "fp4Padded needs swizzlingByteWidth = 128 and elementBitWidth = 8",
                found=f"{widths[0]} and {widths[1]}",
            )
        tile = TileBuilder(shape, self.cga_layout)
        if self.swizzling_byte_width == 0:
            box = [min(_BOX_SIZE, size) for size in tile.shape_per_cta]
            tile.add_grid("offset", box, list(reversed(range(len(shape)))))
            return tile.build()
        return self._swizzled_layout(shape, tile.shape_per_cta)

    def _swizzled_layout(self, shape: Shape, shape_per_cta: Sequence[int]) -> LinearLayout:
        """Return core matrices tiled over a box, and boxes over the tensor."""
        dims = list(range(len(shape)))  # slowest first
        if self.transposed:
            dims = [*dims[1:], 0]
        columns = 8 * self.swizzling_byte_width // self.element_bit_width
        if self.fp4_padded:
            columns //= 2
        rows = [min(_BOX_SIZE, shape_per_cta[d]) for d in dims[:-1]]
        if shape_per_cta[dims[-1]] < columns or math.prod(rows) < _CORE_ROWS:
            raise self.error(
                f"a CTA must hold {_CORE_ROWS} rows of {columns} elements along dimension "
                f"{dims[-1]}",
                found="x".join(map(str, shape_per_cta)),
            )
        if self.transposed and rows[-1] < _CORE_ROWS:  # TMA counts rows along the last dimension
            raise self.error(
                f"a transposed tile must have {_CORE_ROWS} elements along its last dimension",
                found="x".join(map(str, shape_per_cta)),
            )
        core = self._core_matrix(columns)
        box = at_least(core, {"row": math.prod(rows), "column": columns})
        return fit_tile(self._split_rows(box, dims, [*rows, columns]), self.cga_layout, shape)

    def _core_matrix(self, columns: int) -> LinearLayout:
        """Return offset -> (row, column) of 8 rows whose chunks are permuted by row.

        With fp4Padded, 8 bytes of pairs fill half of a chunk, and offset bit 3 steps over the
        other half.
        """
        width = self.swizzling_byte_width
        vec, per_phase, phases = _CHUNK_BITS // self.element_bit_width, 128 // width, width // 16

        def column(offset: int) -> int:
            return offset % 8 + offset // 16 * 8 if self.fp4_padded else offset

        offsets = 2 * columns if self.fp4_padded else columns
        bases = [(0, column(1 << bit)) for bit in range(offsets.bit_length() - 1)]
        if self.fp4_padded:
            bases[3] = (0, 0)
        for bit in range(_CORE_ROWS.bit_length() - 1):
            phase = (1 << bit) // per_phase % phases
            bases.append((1 << bit, column(vec * phase)))
        return LinearLayout.from_bases({"offset": bases}, {"row": _CORE_ROWS, "column": columns})

    def _split_rows(self, box: LinearLayout, dims: list[int], sizes: list[int]) -> LinearLayout:
        """Return the box with its rows split over the dimensions dims[:-1].

        With three dimensions or more, a transposed box does not count its rows in the order of
        the dimensions: Triton splits the rows again after rotating the dimensions, and so does
        this.
        """
        by_dim = dict(zip(dims, sizes, strict=True))
        inner, rows = dims[-1], list(reversed(dims[:-1]))
        outs = {f"dim{d}": by_dim[d] for d in (inner, *rows)}
        split = box.transpose_outs(["column", "row"]).reshape_outs(outs)
        if self.transposed and len(rows) > 1:
            rotated = [f"dim{d}" for d in (inner, *rows[1:], rows[0])]
            split = split.transpose_outs(rotated).reshape_outs(outs)
        return split.transpose_outs([f"dim{d}" for d in range(len(dims))])
