"""`#ttg.padded_shared`: rows of shared memory with gaps between them.

A gap of 8 elements after every 64 moves row r of a 64-column tile to offset 72 r, so that a column
no longer lies in one bank:

    #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>
    row 0 at 0, row 1 at 72, row 2 at 144 …

No linear map has gaps. The linear layout is that of the elements without them, and `padded` adds
the gaps to an offset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, cast, overload

from weft.layouts.basis_vectors import order_of_use
from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Names,
    Shape,
    Value,
    Vectors,
    encoding,
    integer,
    integers,
    value_text,
    vectors,
)
from weft.layouts.encodings.shared_linear import explicit_layout, explicit_shape
from weft.layouts.linear_layout import LinearLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PaddedSharedEncoding"]

_KEYS = ("intervals", "paddings", "order", "shape", "offset", "block")


@encoding
class PaddedSharedEncoding(Encoding):
    """Basis vectors of shared memory, and `paddings[i]` spare elements every `intervals[i]`.

    Attributes:
        intervals: the elements between gaps, powers of two.
        paddings: the elements of each gap, powers of two, one per interval.
        offset: the bases of the offset without gaps.
        block: the bases of the CTA in its cluster.
        dimensions: the number of dimensions of the tensor.
    """

    mnemonic: ClassVar[str] = "padded_shared"
    alias: ClassVar[str | None] = "shared"
    family: ClassVar[str] = "shared"

    intervals: tuple[int, ...] = integers("intervals")
    paddings: tuple[int, ...] = integers("paddings")
    offset: Vectors = vectors("offset")
    block: Vectors = vectors("block")
    dimensions: int = integer("rank")

    @classmethod
    def from_fields(cls, fields: Mapping[str, Value]) -> Self:
        """Build the encoding from Triton's keys.

        Args:
            fields: intervals and paddings, and either order and shape, or offset and block.

        Raises:
            LayoutError: a key is unknown, missing or redundant, or a value is illegal.
        """
        by_shape = "shape" in fields or ("order" in fields and "offset" not in fields)
        required = ("order", "shape") if by_shape else ("offset", "block")
        accepted = ("intervals", "paddings", *required)
        for key in fields:
            if key not in accepted:
                raise cls.error(f'Unexpected attribute "{key}" found', found=key, accepted=accepted)
        for key in required if not by_shape else ():
            if key not in fields:
                raise cls.error(f"Expected basis of '{key}' not found", accepted=accepted)
        cls._check_keys(fields, _KEYS, accepted)
        if by_shape:
            intervals, paddings, shape, order = (
                cast("Shape", cls._checked_value(key, fields[key], "integers"))
                for key in ("intervals", "paddings", "shape", "order")
            )
            return cls.with_identity(intervals, paddings, shape, order)
        offset, block = (
            cast("Vectors", cls._checked_value(key, fields[key], "vectors"))
            for key in ("offset", "block")
        )
        if not (offset or block):
            raise cls.error("needs at least one basis vector", found="no vectors")
        return cls._build({**fields, "dimensions": len((*offset, *block)[0])})

    @classmethod
    def with_identity(
        cls,
        intervals: Sequence[int],
        paddings: Sequence[int],
        shape: Sequence[int],
        order: Sequence[int],
    ) -> Self:
        """Build the encoding of a tile whose rows follow each other.

        Args:
            intervals: the intervals in elements.
            paddings: the paddings in elements, one per interval.
            shape: a power of two per dimension.
            order: the dimensions, fastest first.
        """
        if len(shape) != len(order) or sorted(order) != list(range(len(shape))):
            raise cls.error(
                "Mismatch of shape and order ranks in padded layout"
                if len(shape) != len(order)
                else f"order must be a permutation of 0..{len(shape) - 1}, as shape has entries",
                found=list(order),
            )
        for size in shape:
            if not checks.is_power_of_two(size):
                raise cls.error("shape must hold powers of two", found=list(shape))
        return cls(tuple(intervals), tuple(paddings), _identity(shape, order), (), len(shape))

    def _check(self) -> None:
        if len(self.intervals) != len(self.paddings) or not self.intervals:
            raise self.error(
                "needs one padding for each interval, and at least one",
                found=f"{len(self.intervals)} intervals, {len(self.paddings)} paddings",
            )
        for name, values in (("interval", self.intervals), ("padding", self.paddings)):
            if not all(map(checks.is_power_of_two, values)):
                raise self.error(f"{name} values must all be power of two", found=list(values))
        if len(set(self.intervals)) != len(self.intervals):
            raise self.error("interval values cannot have duplicates", found=list(self.intervals))
        for vector in self.offset:
            entries = [entry for entry in vector if entry]
            if not entries:
                raise self.error(
                    "Broadcasting in offset dimension is not supported.", found=list(vector)
                )
            if len(entries) > 1 or not checks.is_power_of_two(entries[0]):
                raise self.error(
                    "Each offset basis must be 0 or a power of two, along one dimension",
                    found=list(vector),
                )
        if len(set(self.offset)) != len(self.offset):
            raise self.error(
                "Broadcasting in offset dimension is not supported.",
                found=[list(v) for v in self.offset],
            )
        checks.covers(self, {"offset": self.offset, "block": self.block}, self.rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.dimensions

    @property
    def shape(self) -> Shape:
        """The shape of the tensor, which the basis vectors determine."""
        return explicit_shape((*self.offset, *self.block), self.rank)

    def _linear_layout(self, shape: Shape) -> LinearLayout:
        """Compute the layout of the elements without gaps."""
        return explicit_layout(self, self.offset, self.block, shape)

    @overload
    def padded(self, offset: int) -> int: ...
    @overload
    def padded(self, offset: NDArray[np.int64]) -> NDArray[np.int64]: ...
    def padded(self, offset: int | NDArray[np.int64]) -> int | NDArray[np.int64]:
        """Add the gaps to an offset, in elements, of the linear layout."""
        gaps = zip(self.intervals, self.paddings, strict=True)
        return offset + sum(offset // interval * padding for interval, padding in gaps)

    @property
    def longest_run(self) -> int:
        """How many neighbouring elements stay together and aligned in spite of the gaps."""
        return min(*self.intervals, *self.paddings)

    @property
    def allocated(self) -> int:
        """How many elements one CTA's tile takes, gaps included."""
        return self.padded((1 << len(self.offset)) - 1) + 1

    def fields(self) -> tuple[tuple[str, Value], ...]:
        """Return (key, value) pairs: order and shape if they determine the vectors, else these."""
        pairs: list[tuple[str, Value]] = [
            ("intervals", self.intervals),
            ("paddings", self.paddings),
        ]
        order = order_of_use(self.offset, self.rank)
        if not self.block and self.offset == _identity(self.shape, order):
            return (*pairs, ("order", order), ("shape", self.shape))
        return (*pairs, ("offset", self.offset), ("block", self.block))

    def _body(self, names: Names | None) -> str:
        gaps = zip(self.intervals, self.paddings, strict=True)
        padding = ", ".join(f"{interval}:+{amount}" for interval, amount in gaps)
        pairs = ", ".join(f"{key} = {value_text(value)}" for key, value in self.fields()[2:])
        return f"<[{padding}] {{{pairs}}}>"


def _identity(shape: Sequence[int], order: Sequence[int]) -> Vectors:
    """Return the basis vectors of a tile that is contiguous in `order`."""
    return tuple(
        tuple(1 << bit if d == dim else 0 for d in range(len(shape)))
        for dim in order
        for bit in range(shape[dim].bit_length() - 1)
    )
