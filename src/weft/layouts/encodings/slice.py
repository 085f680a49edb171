"""`#ttg.slice`: the parent's layout without one dimension, as a reduction leaves it."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings.base import Encoding, Shape, encoding, integer, nested
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = ["SliceEncoding"]


@encoding
class SliceEncoding(Encoding):
    """The parent's layout with one dimension squeezed out.

    Attributes:
        dim: the dimension of the parent that the tensor lacks.
        parent: a distributed encoding of one dimension more.
    """

    mnemonic: ClassVar[str] = "slice"
    ignores_unknown_keys: ClassVar[bool] = True

    dim: int = integer("dim")
    parent: Encoding = nested("parent")

    def _check(self) -> None:
        if self.parent.family != "distributed":
            raise self.error(
                "parent must be a distributed encoding", found=f"#ttg.{self.parent.mnemonic}"
            )
        if self.parent.rank < 2:
            raise self.error("parent layout must have at least rank >= 2", found=str(self.parent))
        if not 0 <= self.dim < self.parent.rank:
            raise self.error(
                f"slice dim={self.dim} must be less than the parent rank={self.parent.rank}",
                found=self.dim,
            )

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.parent.rank - 1

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        """Take the parent with size 1 in the missing dimension, without broadcasting registers.

        Lanes and warps that differ only in the missing dimension broadcast, and keep their zero
        bases; a thread needs no two registers for one element.
        """
        parent = self.parent.linear((*shape[: self.dim], 1, *shape[self.dim :]))
        # A dimension of size 1 has no bits, so dropping it does not change a packed basis.
        ins = tuple(
            [
                (name, tuple([v for v in images if v]) if name == "register" else images)
                for name, images in parent.ins
            ]
        )
        return LinearLayout(ins, tuple(zip(dimension_names(len(shape)), shape, strict=True)))
