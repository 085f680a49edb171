"""Layouts of buffers in the tensor memory of NVIDIA's Blackwell GPUs."""

from __future__ import annotations

from typing import cast

from weft.errors import LayoutError
from weft.gluon.layouts.base import Bases, Layout, layout_class, require
from weft.layouts import (
    Encoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)

__all__ = ["TensorMemoryLayout", "TensorMemoryLinearLayout", "TensorMemoryScalesLayout"]


class _TensorMemory(Layout):
    cta_split_num: tuple[int, int] | None

    def _complete(self) -> None:
        if self.cta_split_num is not None:
            self.set_field("cta_split_num", tuple(self.cta_split_num))

    @property
    def _cta_split(self) -> tuple[int, int]:
        return self.cta_split_num or (1, 1)

    @property
    def _mangled_split(self) -> str:
        split = self.cta_split_num
        return f"CS{split[0]}x{split[1]}" if split else ""


@layout_class
class TensorMemoryLayout(_TensorMemory):
    """Blocks of rows and columns.

    Attributes:
        block: The rows and columns of a block.
        col_stride: 32-bit columns from one element to the next; 1 packs narrow elements.
        cta_split_num: The CTAs of a cluster, per dimension.
        two_ctas: Whether pairs of CTAs share an MMA.
    """

    block: tuple[int, int]
    col_stride: int
    cta_split_num: tuple[int, int] | None = None
    two_ctas: bool = False

    def _complete(self) -> None:
        super()._complete()
        self.set_field("block", tuple(self.block))

    def _check(self) -> None:
        require(len(self.block) == 2, "expected a 2D block", self.block)
        split = self.cta_split_num
        require(split is None or len(split) == 2, "expected 2D CTA dimensions", split)
        stride = self.col_stride
        require(
            stride >= 1 and stride & (stride - 1) == 0,
            "tensor memory col_stride must be a power of two",
            stride,
        )

    def _encoding(self) -> Encoding:
        return TensorMemoryEncoding(
            *self.block, self.col_stride, *self._cta_split, two_ctas=self.two_ctas
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        rows, columns = self.block
        pair = "2CT" if self.two_ctas else ""
        return f"TL{rows}x{columns}C{self.col_stride}{self._mangled_split}{pair}TL"


@layout_class
class TensorMemoryScalesLayout(_TensorMemory):
    """The scales of a block-scaled MMA.

    Attributes:
        cta_split_num: The CTAs of a cluster, per dimension.
    """

    cta_split_num: tuple[int, int] | None = None

    def _check(self) -> None:
        split = self.cta_split_num
        require(split is None or len(split) == 2, "expected 2D CTA dimensions", split)

    def _encoding(self) -> Encoding:
        return TensorMemoryScalesEncoding(*self._cta_split)

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return f"TLS{self._mangled_split}TLS"


@layout_class
class TensorMemoryLinearLayout(Layout):
    """A layout of tensor memory as a linear map, which can only be printed.

    Attributes:
        rows: Basis vectors of the row.
        cols: Basis vectors of the column.
        shape: The shape of the buffer.
    """

    rows: Bases
    cols: Bases
    shape: list[int]

    def _encoding(self) -> Encoding:
        raise LayoutError(
            "TensorMemoryLinearLayout is print-only; IR materialization is unsupported"
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        return f"TMLL_{cast('object', self.shape)}_TMLL"
