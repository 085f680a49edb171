"""Layouts of buffers in shared memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from weft.gluon.layouts.base import (
    Bases,
    Layout,
    LayoutViewError,
    layout_class,
    mangle_bases,
    mangle_integers,
    plain,
    require,
    vectors,
)
from weft.language.constexpr import constexpr_function

if TYPE_CHECKING:
    from weft.language.dtypes import dtype
from weft.layouts import (
    Encoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)

__all__ = [
    "NVMMASharedLayout",
    "PaddedSharedLayout",
    "SharedLayout",
    "SharedLinearLayout",
    "SwizzledSharedLayout",
]

_SWIZZLE_BYTES = (128, 64, 32)
_LEAST_ROWS = 8  # of a swizzle pattern


class SharedLayout(Layout):
    """The base class of layouts of buffers in shared memory."""


def shape_per_cta(shape: Sequence[int], cga_layout: Bases | None) -> list[int]:
    """Compute the shape of one CTA's part of a buffer.

    Raises:
        LayoutError: The CTAs do not divide the shape.
    """
    sizes = list(shape)
    for dim in range(len(sizes)):
        strides = [basis[dim] for basis in cga_layout or []]
        ctas = 2 * max(strides) if any(strides) else 1
        require(
            sizes[dim] % ctas == 0, f"Shape {shape} is not divisible by CGA layout {cga_layout}"
        )
        sizes[dim] //= ctas
    return sizes


@layout_class
class NVMMASharedLayout(SharedLayout):
    """The layout that TMA and the MMA instructions of NVIDIA GPUs read.

    Attributes:
        swizzle_byte_width: The bytes of a row of the swizzle pattern: 0, 32, 64 or 128.
        element_bitwidth: The bits of an element.
        rank: The number of dimensions.
        transposed: Whether the first of the last two dimensions is contiguous.
        fp4_padded: Whether 8 bytes of fp4 pairs are padded to 16 bytes.
        cga_layout: Basis vectors over the CTAs of a cluster.
    """

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: Bases = dataclasses.field(default_factory=list)

    def _complete(self) -> None:
        self.set_field("cga_layout", self.cga_layout or [])

    def _check(self) -> None:
        for basis in self.cga_layout[:1]:
            require(len(basis) == self.rank, "cga_layout basis rank mismatch", basis)
        bits, width = self.element_bitwidth, self.swizzle_byte_width
        require(bits in (8, 16, 32, 64), "element_bitwidth must be 8, 16, 32 or 64", bits)
        require(width in (0, *_SWIZZLE_BYTES), "swizzle_byte_width must be 0, 32, 64 or 128", width)
        if self.fp4_padded:
            require(width == 128, "fp4_padded only supports 128 byte swizzling", width)
            require(bits == 8, "fp4_padded is only supported for element_bitwidth=8", bits)

    def _encoding(self) -> Encoding:
        return NvmmaSharedEncoding(
            self.swizzle_byte_width,
            self.element_bitwidth,
            self.transposed,
            self.fp4_padded,
            vectors(self.cga_layout),
            self.rank,
        )

    @staticmethod
    @constexpr_function
    def get_default_for(
        block_shape: Sequence[int],
        dtype: dtype,
        transposed: bool = False,
        fp4_padded: bool = False,
        cga_layout: Bases | None = None,
    ) -> NVMMASharedLayout:
        """Return the layout with the widest swizzle pattern that divides a row of the block.

        Wide patterns need the fewest TMA and MMA instructions.

        Args:
            block_shape: The shape of the block.
            dtype: The type of an element.
            transposed: Whether the first dimension is contiguous.
            fp4_padded: Whether 8 bytes of fp4 pairs are padded to 16 bytes.
            cga_layout: Basis vectors over the CTAs of a cluster.
        """
        block = cast("list[int]", plain(block_shape))
        cga = cast("Bases | None", plain(cga_layout))
        sizes = shape_per_cta(block, cga)
        if transposed:
            sizes = [*sizes[1:], sizes[0]]
        row_bytes = sizes[-1] * (2 if fp4_padded else 1) * dtype.primitive_bitwidth // 8
        swizzle = next(
            (each for each in _SWIZZLE_BYTES if row_bytes >= each and row_bytes % each == 0), 0
        )
        if len(block) < 2 or math.prod(sizes[:-1]) < _LEAST_ROWS:
            swizzle = 0
        return NVMMASharedLayout(
            swizzle,
            dtype.primitive_bitwidth,
            len(block),
            transposed,
            fp4_padded,
            cga or [],
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        cga = mangle_bases(self.cga_layout)
        return (
            f"NVMMA_{self.swizzle_byte_width}_{self.element_bitwidth}_{self.transposed}_"
            f"{self.fp4_padded}_{cga}_NVMMA"
        )


@layout_class
class SwizzledSharedLayout(SharedLayout):
    """Rows whose vectors are exchanged by an exclusive or with the row's number.

    Attributes:
        vec: Elements of a vector.
        per_phase: Rows that are exchanged alike.
        max_phase: The number of different exchanges.
        order: The dimensions, fastest first.
        cga_layout: Basis vectors over the CTAs of a cluster.
    """

    vec: int
    per_phase: int
    max_phase: int
    order: list[int]
    cga_layout: Bases = dataclasses.field(default_factory=list)

    def _encoding(self) -> Encoding:
        return SwizzledSharedEncoding(
            self.vec, self.per_phase, self.max_phase, tuple(self.order), vectors(self.cga_layout)
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        order, cga = mangle_integers(self.order), mangle_bases(self.cga_layout)
        return f"SSS_{self.vec}_{self.per_phase}_{self.max_phase}_{order}_{cga}_SSS"


@layout_class
class PaddedSharedLayout(SharedLayout):
    """A linear layout with padding after every interval of elements.

    Attributes:
        interval_padding_pairs: The intervals and their paddings, in elements.
        offset_bases: Basis vectors of the offset without padding.
        cga_layout: Basis vectors over the CTAs of a cluster.
        shape: The shape of the buffer.
    """

    interval_padding_pairs: list[list[int]]
    offset_bases: Bases
    cga_layout: Bases
    shape: list[int]

    def _check(self) -> None:
        rank = len(self.shape)
        for basis in (*self.offset_bases, *self.cga_layout):
            require(len(basis) == rank, f"each basis vector must have {rank} entries", basis)
        pairs = self.interval_padding_pairs
        require(
            len(pairs) > 0,
            "PaddedSharedLayout interval_padding_pairs must have at least one "
            "interval-padding pair",
        )
        require(all(len(pair) == 2 for pair in pairs), "expected [interval, padding]", pairs)
        intervals = [interval for interval, _ in pairs]
        require(len(set(intervals)) == len(pairs), "intervals must be different", intervals)
        for kind, values in (("interval", intervals), ("padding", [each for _, each in pairs])):
            require(
                all(n > 0 and n & (n - 1) == 0 for n in values),
                f"PaddedSharedLayout {kind} values must all be power of two",
                values,
            )
        require(rank > 0, "PaddedSharedLayout order must not be empty")

    def _encoding(self) -> Encoding:
        intervals, paddings = zip(*self.interval_padding_pairs, strict=True)
        return PaddedSharedEncoding(
            intervals,
            paddings,
            vectors(self.offset_bases),
            vectors(self.cga_layout),
            len(self.shape),
        )

    def _view(self, shape: Sequence[int], *, hardware: bool) -> str:
        # Triton does not draw it either.
        raise LayoutViewError(
            "PaddedSharedLayout cannot be visualized: it is not a linear layout",
            hint="the command weft layout draws the elements and the padding",
        )

    @staticmethod
    @constexpr_function
    def with_identity_for(
        interval_padding_pairs: list[list[int]],
        shape: Sequence[int],
        order: Sequence[int],
        cga_layout: Bases | tuple[()] = (),
    ) -> PaddedSharedLayout:
        """Return the layout of rows that follow each other.

        Args:
            interval_padding_pairs: The intervals and their paddings, in elements.
            shape: The shape of the buffer, a power of two per dimension.
            order: The dimensions, fastest first.
            cga_layout: Basis vectors over the CTAs of a cluster.
        """
        shape, order = (cast("list[int]", plain(each)) for each in (shape, order))
        cga = cast("Bases", plain(cga_layout))
        require(len(shape) == len(order), "shape and order must have the same length", order)
        require(all(n & (n - 1) == 0 for n in shape), "shape must hold powers of two", shape)
        sizes = shape_per_cta(shape, cga)
        bases = [
            [1 << bit if other == dim else 0 for other in range(len(shape))]
            for dim in order
            for bit in range(sizes[dim].bit_length() - 1)
        ]
        return PaddedSharedLayout(interval_padding_pairs, bases, cga, shape)

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        fields = (self.interval_padding_pairs, self.offset_bases, self.cga_layout, self.shape)
        return f"PaddedShared_{'_'.join(map(str, fields))}_PaddedShared"


@layout_class
class SharedLinearLayout(SharedLayout):
    """A linear map from offset and CTA to the element.

    Attributes:
        offset_bases: Basis vectors of the offset.
        block_bases: Basis vectors of the CTA in its cluster.
        alignment: The alignment of the buffer in bytes.
    """

    offset_bases: Bases
    block_bases: Bases = dataclasses.field(default_factory=list)
    alignment: int = 16

    def _check(self) -> None:
        require(
            len(self.offset_bases) != 0 and len(self.offset_bases[0]) != 0,
            "SharedLinearLayout offset_bases must not be empty",
        )
        rank = len(self.offset_bases[0])
        for basis in (*self.offset_bases, *self.block_bases):
            require(len(basis) == rank, f"each basis vector must have {rank} entries", basis)
        require(
            self.alignment > 0 and self.alignment & (self.alignment - 1) == 0,
            "SharedLinearLayout alignment must be a positive power of two",
            self.alignment,
        )

    def _encoding(self) -> Encoding:
        return SharedLinearEncoding(
            vectors(self.offset_bases), self.alignment, vectors(self.block_bases)
        )

    def mangle(self) -> str:
        """Return the layout's part of a mangled function name."""
        fields = (self.offset_bases, self.block_bases, self.alignment)
        return f"SharedLinear_{'_'.join(map(str, fields))}_SharedLinear"

    @property
    def shape(self) -> list[int]:
        """The shape of the buffer, which the basis vectors determine."""
        bases = (*self.offset_bases, *self.block_bases)
        return [2 * max(1, *column) for column in zip(*bases, strict=True)]
