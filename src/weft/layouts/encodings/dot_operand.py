"""`#ttg.dot_op`: an operand of a dot, as the instruction that computes the result reads it."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.amd_mfma import AmdMfmaEncoding
from weft.layouts.encodings.amd_wmma import AmdWmmaEncoding
from weft.layouts.encodings.base import Encoding, Shape, encoding, integer, nested
from weft.layouts.encodings.blocked import BlockedEncoding
from weft.layouts.encodings.nvidia_mma import NvidiaMmaEncoding
from weft.layouts.linear_layout import LinearLayout

__all__ = ["DotOperandEncoding"]

_WMMA_K_WIDTHS = {1: (8, 16), 2: (4, 8, 16)}


@encoding
class DotOperandEncoding(Encoding):
    """The layout of a dot's operand; the parent, the result's encoding, defines it.

    Attributes:
        op_idx: 0 for the left operand, 1 for the right one.
        parent: the encoding of the result.
        k_width: elements that a lane holds side by side along K; 0 if the parent is blocked.
    """

    mnemonic: ClassVar[str] = "dot_op"

    op_idx: int = integer("opIdx")
    parent: Encoding = nested("parent")
    k_width: int = integer("kWidth", default=0)

    def _check(self) -> None:
        checks.one_of(self, "opIdx", self.op_idx, (0, 1))
        parent = self.parent
        if isinstance(parent, BlockedEncoding):
            if parent.rank < 2:
                raise self.error("parent must have at least 2 dimensions", found=str(parent))
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
                "only the left operand of a warp-group mma may be in registers",
                found=self.op_idx,
            )

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.parent.rank

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        return self.parent.operand_layout(self.op_idx, self.k_width, shape)
