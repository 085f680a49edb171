"""Encodings of shared memory: how an element's place in a tile becomes an address.

`#ttg.swizzled_shared` and `#ttg.amd_rotating_shared` exchange the vectors of a row by an XOR that
changes from row to row, `#ttg.nvmma_shared` does so in the fixed pattern of NVIDIA's copy engine,
`#ttg.padded_shared` leaves gaps, and `#ttg.shared_linear` is given by its basis vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from weft.errors import did_you_mean
from weft.layouts.encodings import checks
from weft.layouts.encodings.base import (
    Encoding,
    Names,
    encoding,
    flag,
    integer,
    integers,
    value_text,
    vectors,
)

__all__ = [
    "AmdRotatingSharedEncoding",
    "NvmmaSharedEncoding",
    "PaddedSharedEncoding",
    "SharedLinearEncoding",
    "SwizzledSharedEncoding",
]

Vectors = tuple[tuple[int, ...], ...]


class _Phased(Encoding):
    """Hold what the two swizzles by phase have in common."""

    __slots__ = ()
    alias: ClassVar[str | None] = "shared"
    family: ClassVar[str] = "shared"
    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, ...]
    cga_layout: Vectors

    def _check(self) -> None:
        for key, value in (
            ("vec", self.vec),
            ("perPhase", self.per_phase),
            ("maxPhase", self.max_phase),
        ):
            checks.power_of_two(self, key, value)
        checks.same_length(self, {"order": self.order})
        checks.permutation(self, "order", self.order)
        checks.cga(self, self.cga_layout, self.rank)

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return len(self.order)


@encoding
class SwizzledSharedEncoding(_Phased):
    """Exchange vectors of `vec` elements by row: column ^= vec * (row / perPhase % maxPhase).

    Fields: vec: elements that stay together.  per_phase: rows that share an exchange.
    max_phase: number of exchanges.  order: the dimensions, fastest first.  cga_layout: basis
    vectors over the blocks of a cluster.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "swizzled_shared"

    vec: int = integer("vec")
    per_phase: int = integer("perPhase")
    max_phase: int = integer("maxPhase")
    order: tuple[int, ...] = integers("order")
    cga_layout: Vectors = vectors("CGALayout", default=())


@encoding
class AmdRotatingSharedEncoding(_Phased):
    """Swizzle as SwizzledSharedEncoding does, with a phase that also turns from block to block.

    Fields: as of SwizzledSharedEncoding.
    Raises: LayoutError.
    """

    mnemonic: ClassVar[str] = "amd_rotating_shared"

    vec: int = integer("vec")
    per_phase: int = integer("perPhase")
    max_phase: int = integer("maxPhase")
    order: tuple[int, ...] = integers("order")
    cga_layout: Vectors = vectors("CGALayout", default=())


@encoding
class NvmmaSharedEncoding(Encoding):
    """Lay a tile out as NVIDIA's tensor memory accelerator writes it for wgmma.

    Fields: swizzling_byte_width: 0, 32, 64 or 128.  element_bit_width.
    transposed: whether the first dimension is the fast one.
    fp4_padded: whether 4-bit pairs are spread over 16 bytes.
    cga_layout: basis vectors over the blocks of a cluster.  dimensions: of the tensor.
    Raises: LayoutError.
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
        """Return the number of dimensions."""
        return self.dimensions


@encoding
class SharedLinearEncoding(Encoding):
    """Say outright where each bit of the offset goes.

    Fields: offset, block: one basis vector per bit, lowest first.
    alignment: of the allocation, in bytes.
    Raises: LayoutError.
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
        """Return the number of dimensions."""
        return len((*self.offset, *self.block)[0])

    def _body(self, names: Names | None) -> str:
        pairs = [f"{k} = {value_text(v)}" for k, v in self.fields() if k != "alignment"]
        return f"<{{{', '.join(pairs)}}}, alignment = {self.alignment}>"


@encoding
class PaddedSharedEncoding(Encoding):
    """Lay a tile out by basis vectors, with `paddings[i]` spare elements every `intervals[i]`.

    Fields: intervals, paddings: in elements, one padding per interval.
    offset, block: one basis vector per bit, lowest first.  dimensions: of the tensor.
    Raises: LayoutError.
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
    def from_fields(cls, fields: Mapping[str, Any]) -> PaddedSharedEncoding:
        """Build the encoding from intervals, paddings and either order and shape or vectors.

        Args: fields: intervals, paddings, and order and shape (lists), or offset and block
        (lists of basis vectors).
        """
        keys = ("intervals", "paddings", "order", "shape", "offset", "block")
        for key in fields:
            if key not in keys:
                raise cls.error(
                    f"unknown key {key}", found=key, accepted=keys, hint=did_you_mean(key, keys)
                )
        by_shape = "shape" in fields or "order" in fields
        wanted = ("order", "shape") if by_shape else ("offset", "block")
        for key in ("intervals", "paddings", *wanted):
            if key not in fields:
                raise cls.error(f"{key} is missing", accepted=keys)
        if by_shape and ("offset" in fields or "block" in fields):
            raise cls.error("takes order and shape, or offset and block, not both")
        if by_shape:
            return cls.with_identity(
                fields["intervals"], fields["paddings"], fields["shape"], fields["order"]
            )
        every = (*fields["offset"], *fields["block"])
        if not every:
            raise cls.error("needs at least one basis vector", found="no vectors")
        return cls(
            fields["intervals"],
            fields["paddings"],
            fields["offset"],
            fields["block"],
            len(every[0]),
        )

    @classmethod
    def with_identity(
        cls,
        intervals: Sequence[int],
        paddings: Sequence[int],
        shape: Sequence[int],
        order: Sequence[int],
    ) -> PaddedSharedEncoding:
        """Build the encoding of a tile that lies in memory in the given order.

        Args: shape: a power of two per dimension.  order: the dimensions, fastest first.
        """
        if len(shape) != len(order) or sorted(order) != list(range(len(shape))):
            raise cls.error(
                f"order must be a permutation of 0..{len(shape) - 1}, as shape has entries",
                found=list(order),
            )
        for size in shape:
            if not checks.is_power_of_two(size):
                raise cls.error("shape must hold powers of two", found=list(shape))
        return cls(intervals, paddings, _identity(shape, order), (), len(shape))

    def _check(self) -> None:
        if len(self.intervals) != len(self.paddings) or not self.intervals:
            raise self.error(
                "needs one padding for each interval, and at least one",
                found=f"{len(self.intervals)} intervals, {len(self.paddings)} paddings",
            )
        checks.powers_of_two(self, "interval", self.intervals)
        checks.powers_of_two(self, "padding", self.paddings)
        if len(set(self.intervals)) != len(self.intervals):
            raise self.error("intervals must differ", found=list(self.intervals))
        for vector in self.offset:
            set_entries = [entry for entry in vector if entry]
            if not set_entries:
                raise self.error("offset must not broadcast", found=list(vector))
            if len(set_entries) > 1 or not checks.is_power_of_two(set_entries[0]):
                raise self.error(
                    "offset must hold vectors with one power of two each", found=list(vector)
                )
        if len(set(self.offset)) != len(self.offset):
            raise self.error(
                "offset must not name a vector twice", found=[list(v) for v in self.offset]
            )
        checks.covers(self, {"offset": self.offset, "block": self.block}, self.rank)

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return self.dimensions

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the tile that the vectors reach."""
        every = (*self.offset, *self.block)
        return tuple(
            1 << max((v[d].bit_length() for v in every), default=0) for d in range(self.rank)
        )

    def padded(self, offset: Any) -> Any:
        """Return where an element at this offset lies once the gaps are in.

        Args: offset: in elements, of the linear part; an int or a numpy array.
        """
        gaps = zip(self.intervals, self.paddings, strict=True)
        return offset + sum(offset // interval * amount for interval, amount in gaps)

    @property
    def longest_run(self) -> int:
        """Return how many neighbouring elements stay together and aligned, gaps included."""
        return min(*self.intervals, *self.paddings)

    @property
    def allocated(self) -> int:
        """Return how many elements the tile of one block takes, gaps included."""
        return self.padded((1 << len(self.offset)) - 1) + 1

    def fields(self) -> tuple[tuple[str, Any], ...]:
        """Return (key, value) pairs: order and shape where they say it all, else the vectors."""
        pairs: list[tuple[str, Any]] = [
            ("intervals", self.intervals),
            ("paddings", self.paddings),
        ]
        order = self._order()
        if not self.block and self.offset == _identity(self.shape, order):
            return (*pairs, ("order", order), ("shape", self.shape))
        return (*pairs, ("offset", self.offset), ("block", self.block))

    def _order(self) -> tuple[int, ...]:
        """Return the dimensions by first use in `offset`, then the others from the last one."""
        used = [next(d for d, entry in enumerate(v) if entry) for v in self.offset]
        return tuple(dict.fromkeys([*used, *reversed(range(self.rank))]))

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
