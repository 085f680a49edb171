"""`#ttg.linear`: a layout that is given by its basis vectors."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.basis_vectors import order_of_use
from weft.layouts.encodings import checks
from weft.layouts.encodings.base import Encoding, Shape, Vectors, encoding, vectors
from weft.layouts.layout_transforms import at_least, at_most
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = ["LinearEncoding"]


@encoding
class LinearEncoding(Encoding):
    """The bases of registers, lanes, warps and CTAs, one vector per bit, lowest bit first.

    Attributes:
        register: the bases of the register number.
        lane: the bases of the lane.
        warp: the bases of the warp.
        block: the bases of the CTA in its cluster.
    """

    mnemonic: ClassVar[str] = "linear"
    alias: ClassVar[str | None] = "linear"
    ignores_unknown_keys: ClassVar[bool] = True

    register: Vectors = vectors("register")
    lane: Vectors = vectors("lane")
    warp: Vectors = vectors("warp")
    block: Vectors = vectors("block")

    def _bases(self) -> dict[str, Vectors]:
        return {
            "register": self.register,
            "lane": self.lane,
            "warp": self.warp,
            "block": self.block,
        }

    def _check(self) -> None:
        if not any(self._bases().values()):
            raise self.error("needs at least one basis vector", found="no vectors")
        checks.covers(self, self._bases(), self.rank)

    def require_distributed(self) -> None:
        """Require that each basis vector steps along one dimension, and no two are equal.

        So are the layouts of registers in Triton's text; others describe transfers.

        Raises:
            LayoutError: they do not.
        """
        steps = [vector for vectors in self._bases().values() for vector in vectors if any(vector)]
        for vector in steps:
            if sum(map(bool, vector)) > 1:
                raise self.error(
                    "In a distributed layout, each base must move in at most one dimension.",
                    found=list(vector),
                )
        # They reach every element, so one more than there are bits is a second way to one.
        bits = sum(max((v[d].bit_length() for v in steps), default=0) for d in range(self.rank))
        if len(steps) != bits:
            raise self.error("After removing the zero bases the layout must be bijective")

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(next(v for vectors in self._bases().values() for v in vectors))

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        """Fit the layout to a shape other than its own.

        As in Triton, it repeats in registers along the dimensions in the order of its registers,
        and registers beyond the shape are dropped.
        """
        names = dimension_names(self.rank)
        sizes = dict(zip(names, shape, strict=True))
        order = [names[d] for d in order_of_use(self.register, self.rank)]
        layout = LinearLayout.from_bases(self._bases(), names).transpose_outs(order)
        layout = at_most(at_least(layout, sizes), sizes, drop=("register",))
        return layout.transpose_outs(names)
