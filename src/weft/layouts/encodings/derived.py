"""Encodings that are made from a parent: `#ttg.slice` and `#ttg.dot_op`."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, encoding, integer, nested
from weft.layouts.encodings.blocked import BlockedEncoding
from weft.layouts.encodings.mma import AmdMfmaEncoding, AmdWmmaEncoding, NvidiaMmaEncoding

__all__ = ["DotOperandEncoding", "SliceEncoding"]

_WMMA_K_WIDTHS = {1: (8, 16), 2: (4, 8, 16)}


@encoding
class SliceEncoding(Encoding):
    """Take the parent's layout with one dimension squeezed out.

    Fields: dim: the dimension that the parent has and the tensor has not.
    parent: a distributed encoding of one dimension more.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "slice"

    dim: int = integer("dim")
    parent: Encoding = nested("parent")

    def _check(self) -> None:
        if self.parent.family != "distributed":
            raise self.error(
                "parent must be a distributed encoding", found=f"#ttg.{self.parent.mnemonic}"
            )
        if self.parent.rank < 2:
            raise self.error("parent must have at least 2 dimensions", found=str(self.parent))
        if not 0 <= self.dim < self.parent.rank:
            raise self.error(
                f"dim must be less than the parent's rank of {self.parent.rank}", found=self.dim
            )

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return self.parent.rank - 1


@encoding
class DotOperandEncoding(Encoding):
    """Lay an operand of a dot out so that it meets the result's layout.

    Fields: op_idx: 0 for the left operand, 1 for the right.  parent: the result's encoding.
    k_width: elements that a lane holds side by side along K; 0 where the parent is blocked.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "dot_op"

    op_idx: int = integer("opIdx")
    parent: Encoding = nested("parent")
    k_width: int = integer("kWidth", default=0)

    def _check(self) -> None:
        checks.one_of(self, "opIdx", self.op_idx, (0, 1))
        parent = self.parent
        if isinstance(parent, BlockedEncoding):
            if self.k_width:
                raise self.error("kWidth must be left out for a blocked parent", found=self.k_width)
            return
        if not isinstance(parent, NvidiaMmaEncoding | AmdMfmaEncoding | AmdWmmaEncoding):
            raise self.error(
                "parent must be the encoding of a dot's result",
                found=f"#ttg.{parent.mnemonic}",
                accepted=("blocked", "nvidia_mma", "amd_mfma", "amd_wmma"),
            )
        if isinstance(parent, NvidiaMmaEncoding) and parent.version_major not in (2, 3):
            if self.k_width:
                raise self.error(
                    f"kWidth must be left out for nvidia_mma version {parent.version_major}",
                    found=self.k_width,
                )
            return
        if not checks.is_power_of_two(self.k_width):
            raise self.error(
                f"kWidth must be a power of two for a parent of #ttg.{parent.mnemonic}",
                found=self.k_width,
            )
        if isinstance(parent, AmdWmmaEncoding) and parent.version in _WMMA_K_WIDTHS:
            checks.one_of(self, "kWidth", self.k_width, _WMMA_K_WIDTHS[parent.version])
        if isinstance(parent, NvidiaMmaEncoding) and parent.version_major == 3 and self.op_idx:
            raise self.error(
                "opIdx must be 0 for nvidia_mma version 3: "
                "only the left operand of a warp-group mma may live in registers",
                found=self.op_idx,
            )

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return self.parent.rank
