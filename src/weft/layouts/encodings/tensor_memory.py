"""Encodings of the tensor memory of NVIDIA's Blackwell: 128 rows by 512 columns of 32 bits."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, Names, encoding, flag, integer, value_text

__all__ = ["TensorMemoryEncoding", "TensorMemoryScalesEncoding"]


class _TensorMemory(Encoding):
    """Hold what the encodings of tensor memory have in common."""

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
        """Return the number of dimensions."""
        return 2

    def _body(self, names: Names | None) -> str:
        return f"<{', '.join(f'{key} = {value_text(value)}' for key, value in self.fields())}>"


@encoding
class TensorMemoryEncoding(_TensorMemory):
    """Place the blocks of an accumulator in tensor memory.

    Fields: block_m: 64 or 128.  block_n: a power of two.  col_stride: columns of 32 bits per
    element, 1, 2 or 4.  cta_split_m, cta_split_n: blocks of a cluster that share the tensor.
    two_ctas: whether a pair of blocks works as one.
    Raises: LayoutError.
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


@encoding
class TensorMemoryScalesEncoding(_TensorMemory):
    """Place the scales of a block-scaled dot in tensor memory.

    Fields: cta_split_m, cta_split_n: blocks of a cluster that share the tensor.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "tensor_memory_scales_encoding"
    alias: ClassVar[str | None] = "tmem_scales"

    cta_split_m: int = integer("CTASplitM", default=1)
    cta_split_n: int = integer("CTASplitN", default=1)
