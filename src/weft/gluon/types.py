"""The types of Gluon's values: tensors with a layout, buffers, descriptors and accumulators.

    distributed_type(float32, [128], BlockedLayout(…))     tensor<128xf32, #blocked>

A type with a layout is a `block_type`, so that the functions of `tl` handle it; what changes the
shape of a block infers the layout of the result with `derive`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

from weft.errors import LayoutError, TypeMismatchError
from weft.gluon.layouts import (
    AutoLayout,
    CoalescedLayout,
    DistributedLayout,
    Layout,
    SharedLayout,
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
)
from weft.gluon.layouts.base import plain
from weft.gluon.layouts.from_encoding import distributed_layout
from weft.language.compound_types import block_type
from weft.language.constexpr import unwrap
from weft.language.dtypes import dtype
from weft.language.tuples import tuple_type
from weft.layouts import Encoding

__all__ = [
    "buffer_type",
    "distributed_type",
    "shared_memory_descriptor_type",
    "tensor_descriptor_type",
    "tensor_memory_descriptor_type",
    "warpgroup_mma_accumulator_type",
]


class distributed_type(block_type):
    """The type of a tensor in registers.

    Args:
        element_ty: The type of an element.
        shape: The extents, each a power of two.
        layout: The layout.

    Raises:
        TypeMismatchError: The layout is not one of registers, or has another rank.
    """

    __slots__ = ("_layout",)

    def __init__(self, element_ty: dtype, shape: Sequence[object], layout: object) -> None:
        super().__init__(element_ty, cast("Sequence[object]", unwrap(shape)))
        value = unwrap(layout)
        if not isinstance(value, DistributedLayout):
            raise TypeMismatchError("tensor layout must be a DistributedLayout", found=value)
        self._layout = value
        self.name = f"<{list(self.shape)}, {self.element_ty}, {value}>"
        if not isinstance(value, AutoLayout | CoalescedLayout) and value.rank != len(self.shape):
            raise TypeMismatchError(
                f"tensor shape and layout rank mismatch: shape={list(self.shape)}, "
                f"layout={value}, shape rank={len(self.shape)}, layout rank={value.rank}",
                found=f"{value.rank} dimensions",
            )

    @property
    def layout(self) -> DistributedLayout:
        """The layout."""
        return self._layout

    @property
    def encoding(self) -> Encoding:
        """The encoding of the IR type."""
        return self._layout.encoding

    def with_element_ty(self, scalar_ty: dtype) -> distributed_type:
        """Return the type of a tensor of the same shape and layout with other elements."""
        return distributed_type(scalar_ty, self.shape, self._layout)

    def derive(
        self, shape: Sequence[int], infer: Callable[[Encoding], Encoding]
    ) -> distributed_type:
        """Return the type of a tensor of another shape.

        Args:
            shape: The shape.
            infer: Compute the encoding of the result from that of this type.

        Raises:
            LayoutError: There is no such encoding.
        """
        encoding = self.encoding
        if encoding.family == "unresolved":
            return distributed_type(self.element_ty, shape, self._layout)
        return distributed_type(self.element_ty, shape, distributed_layout(infer(encoding)))

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        extents = "_".join(map(str, self.shape))
        return f"{self.element_ty.mangle()}S{extents}SL{self._layout.mangle()}L"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, distributed_type)
            and self.element_ty == other.element_ty
            and self.shape == other.shape
            and self.encoding is other.encoding
        )

    def __hash__(self) -> int:
        return hash((self.element_ty, self.shape, self.encoding))


class buffer_type:
    """The type of a buffer in shared or tensor memory, or of a view of one.

    Attributes:
        element_ty: The type of an element.
        shape: The extents.
        layout: The layout in memory.
        alloc_shape: The shape of the allocation that this is a view of.
    """

    kind = "buffer"
    layouts: tuple[type[Layout], ...] = (Layout,)

    def __init__(
        self, element_ty: dtype, shape: object, layout: object, alloc_shape: object
    ) -> None:
        self.element_ty = cast("dtype", unwrap(element_ty))
        self.shape = cast("list[int]", plain(shape))
        self.layout = cast("Layout", unwrap(layout))
        self.alloc_shape = cast("list[int]", plain(alloc_shape))
        if not isinstance(self.layout, self.layouts):
            names = ", ".join(each.__name__ for each in self.layouts)
            raise TypeMismatchError(
                f"expected 'layout' to be a {names} but got {self.layout}", found=self.layout
            )

    @property
    def encoding(self) -> Encoding:
        """The encoding of the IR type."""
        return self.layout.encoding

    @property
    def nbytes(self) -> int:
        """The size in bytes, without padding."""
        return math.prod(self.shape) * self.element_ty.primitive_bitwidth // 8

    def __str__(self) -> str:
        return f"{self.kind}<{self.element_ty}, {self.shape}, {self.layout}, {self.alloc_shape}>"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, buffer_type)
            and type(self) is type(other)
            and self.element_ty == other.element_ty
            and self.shape == other.shape
            and self.encoding is other.encoding
            and self.alloc_shape == other.alloc_shape
        )

    def __hash__(self) -> int:
        return hash((self.element_ty, tuple(self.shape), self.encoding))


class shared_memory_descriptor_type(buffer_type):
    """The type of a buffer in shared memory."""

    kind = "shared_memory_descriptor"
    layouts = (SharedLayout,)

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        shape, whole = ("_".join(map(str, each)) for each in (self.shape, self.alloc_shape))
        return f"MD{self.element_ty.mangle()}S{shape}SL{self.layout.mangle()}LAS{whole}ASMD"


class tensor_memory_descriptor_type(buffer_type):
    """The type of a buffer in tensor memory."""

    kind = "tensor_memory_descriptor"
    layouts = (TensorMemoryLayout, TensorMemoryScalesLayout)

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        shape = "_".join(map(str, self.shape))
        element, layout = self.element_ty.mangle(), self.layout.mangle()
        return f"MD{element}S{shape}SL{layout}LAS{self.alloc_shape}ASMD"


class warpgroup_mma_accumulator_type:
    """The type of the accumulator of an asynchronous warpgroup MMA.

    Attributes:
        tensor_type: The type of the tensor once the MMA is complete.
    """

    def __init__(self, tensor_type: dtype) -> None:
        self.tensor_type = tensor_type

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        return f"FT{self.tensor_type.mangle()}FT"

    def __str__(self) -> str:
        return f"warpgroup_mma_accumulator<{self.tensor_type}>"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, warpgroup_mma_accumulator_type)
            and self.tensor_type == other.tensor_type
        )

    def __hash__(self) -> int:
        return hash(("accumulator", self.tensor_type))


class tensor_descriptor_type:
    """The type of a tensor descriptor whose blocks have a layout in shared memory.

    Attributes:
        block_type: The type of a block.
        shape_type: The types of the extents of the tensor.
        strides_type: The types of its strides.
        layout: The layout of a block.
        mangles_shape: Whether the types of extents and strides are part of a mangled name, as for
            descriptors of AMD's TDM.
    """

    def __init__(
        self,
        block_type: block_type,
        shape_type: tuple_type,
        strides_type: tuple_type,
        layout: SharedLayout,
        *,
        mangles_shape: bool = False,
    ) -> None:
        self.block_type = block_type
        self.shape_type = shape_type
        self.strides_type = strides_type
        self.layout = layout
        self.mangles_shape = mangles_shape

    @property
    def nbytes_per_cta(self) -> int:
        """The bytes of a block that one CTA receives.

        Raises:
            LayoutError: The layout has no basis vectors over CTAs.
        """
        bases: list[list[int]] | None = getattr(self.layout, "cga_layout", None)
        if bases is None:
            raise LayoutError("the layout has no cga_layout", found=self.layout)
        return self.block_type.nbytes >> sum(any(basis) for basis in bases)

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        parts = [self.block_type.mangle()]
        if self.mangles_shape:
            parts += [self.shape_type.mangle(), self.strides_type.mangle()]
        return f"TD{'_'.join([*parts, self.layout.mangle()])}TD"

    def __str__(self) -> str:
        return f"tensor_descriptor<{self.block_type}, {self.layout}>"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, tensor_descriptor_type)
            and self.block_type == other.block_type
            and self.shape_type == other.shape_type
            and self.strides_type == other.strides_type
            and self.layout.encoding is other.layout.encoding
        )

    def __hash__(self) -> int:
        return hash((self.block_type, self.layout))
