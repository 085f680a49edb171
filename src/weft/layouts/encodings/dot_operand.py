"""`#ttg.dot_op`: an operand of a dot, as the instruction that computes the result reads it."""

from __future__ import annotations

from typing import ClassVar

from weft.errors import LayoutError
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
        parent, k_width = self.parent, self.k_width
        if self.op_idx not in (0, 1):
            raise _wrong(f"opIdx parameter can be 0 or 1, got: {self.op_idx}", self.op_idx)
        if isinstance(parent, BlockedEncoding):
            if parent.rank < 2:
                raise self.error("parent must have at least 2 dimensions", found=str(parent))
            if k_width:
                raise _wrong(
                    "kWidth parameter is not supported when the parent is a blocked layout", k_width
                )
            return
        if isinstance(parent, NvidiaMmaEncoding):
            self._check_nvidia(parent)
        elif isinstance(parent, AmdWmmaEncoding):
            widths = _WMMA_K_WIDTHS.get(parent.version)
            if widths is not None and k_width not in widths:
                raise _wrong(
                    f"kWidth parameter must be {'/'.join(map(str, widths))} for WMMA "
                    f"v{parent.version} (including packed cases for `scaled_dot`)",
                    k_width,
                )
            if k_width == 0:
                raise _wrong(f"kWidth parameter is mandatory for WMMA v{parent.version}", k_width)
        elif isinstance(parent, AmdMfmaEncoding):
            if k_width == 0:
                raise _wrong("kWidth parameter is mandatory for MFMA parent", k_width)
        else:
            raise self.error(
                "parent must be the encoding of a dot's result",
                found=f"#ttg.{parent.mnemonic}",
                accepted=("blocked", "nvidia_mma", "amd_mfma", "amd_wmma"),
            )
        if k_width and not checks.is_power_of_two(k_width):
            raise self.error(
                f"kWidth must be a power of two for a parent of #ttg.{parent.mnemonic}",
                found=k_width,
            )

    def _check_nvidia(self, parent: NvidiaMmaEncoding) -> None:
        has_width = parent.version_major in (2, 3)
        if self.k_width and not has_width:
            raise _wrong(
                "kWidth parameter can only be non-zero for Ampere or Hopper MMA parent",
                self.k_width,
            )
        if has_width and not self.k_width:
            raise _wrong(
                "kWidth parameter is mandatory for Ampere or Hopper MMA parent", self.k_width
            )
        if parent.version_major == 3 and self.op_idx:
            raise _wrong(
                "opIdx parameter must be 0 for Hopper MMA parent, since Hopper WGMMA only allows "
                "first operand to be in registers",
                self.op_idx,
            )

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.parent.rank

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        return self.parent.operand_layout(self.op_idx, self.k_width, shape)


def _wrong(message: str, found: int) -> LayoutError:
    """Build an error about a parameter, in Triton's words."""
    return LayoutError(f"ttg.dot_op {message}", found=found)
