"""`#ttg.shared_linear`: a layout of shared memory that is given by its basis vectors."""

from __future__ import annotations

from typing import ClassVar

from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Names,
    Shape,
    Vectors,
    encoding,
    integer,
    value_text,
    vectors,
)
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.tile_builder import dimension_names

__all__ = ["SharedLinearEncoding", "explicit_layout", "explicit_shape"]


def explicit_layout(owner: Encoding, offset: Vectors, block: Vectors, shape: Shape) -> LinearLayout:
    """Compute the layout of given basis vectors.

    Raises:
        LayoutError: the vectors describe another shape.
    """
    bases = {"offset": offset, "block": block}
    layout = LinearLayout.from_bases(bases, dimension_names(owner.rank))
    own_shape = tuple(layout.out_dims.values())
    if own_shape != shape:
        raise owner.error(
            "the shape must be the one that the basis vectors describe",
            found="x".join(map(str, shape)),
            accepted=["x".join(map(str, own_shape))],
        )
    return layout


def explicit_shape(vectors: Vectors, rank: int) -> Shape:
    """Compute the shape that basis vectors cover."""
    return tuple(1 << max((v[d].bit_length() for v in vectors), default=0) for d in range(rank))


@encoding
class SharedLinearEncoding(Encoding):
    """The bases of offsets and CTAs, one vector per bit, lowest bit first.

    Attributes:
        offset: the bases of the offset, in elements.
        alignment: the alignment of the allocation, in bytes.
        block: the bases of the CTA in its cluster.
    """

    mnemonic: ClassVar[str] = "shared_linear"
    alias: ClassVar[str | None] = "shared"
    family: ClassVar[str] = "shared"

    offset: Vectors = vectors("offset")
    alignment: int = integer("alignment")
    block: Vectors = vectors("block", default=())

    def _check(self) -> None:
        if not (self.offset or self.block):
            raise self.error("needs at least one basis vector", found="no vectors")
        checks.power_of_two(self, "alignment", self.alignment)
        checks.covers(self, {"offset": self.offset, "block": self.block}, self.rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len((*self.offset, *self.block)[0])

    @property
    def shape(self) -> Shape:
        """The shape of the tensor, which the basis vectors determine."""
        return explicit_shape((*self.offset, *self.block), self.rank)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        return explicit_layout(self, self.offset, self.block, shape)

    def _body(self, names: Names | None) -> str:
        pairs = [f"{k} = {value_text(v)}" for k, v in self.fields() if k != "alignment"]
        return f"<{{{', '.join(pairs)}}}, alignment = {self.alignment}>"
