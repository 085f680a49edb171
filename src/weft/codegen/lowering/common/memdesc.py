"""Memory descriptors of shared memory: layout, size and alignment of a buffer."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from xdsl.ir import SSAValue

from weft.codegen.llvm.types import storage_bytes
from weft.errors import CodegenError
from weft.ir.ttg import LocalAllocOp, MemDescType
from weft.layouts import (
    AmdRotatingSharedEncoding,
    Encoding,
    LinearLayout,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.cga import cta_tile_shape
from weft.layouts.layout_transforms import transpose

__all__ = [
    "shape_per_cta",
    "buffer_alignment",
    "buffer_bytes",
    "memdesc_of",
    "memory_layout",
    "buffer_stride_bytes",
]

_ALIGNMENT = 16
_SWIZZLED_ALIGNMENT = 1024  # eight rows of 128 bytes, the period of the swizzle


def memdesc_of(value: SSAValue) -> MemDescType:
    """Get the type of a memory descriptor.

    Raises:
        CodegenError: The value is not a memory descriptor.
    """
    if not isinstance(value.type, MemDescType):
        raise CodegenError("not a buffer of shared memory", found=value.type)
    return value.type


@lru_cache(maxsize=4096)
def memory_layout(type_: MemDescType) -> LinearLayout:
    """Get the layout offset → coordinates of the buffer that a view is part of.

    Its rank is the encoding's; leading dimensions count buffers. A transposed tile without swizzle
    is stored column by column, so that its transpose is the same bytes. The encoding's linear
    layout does not distinguish the two.
    """
    encoding = type_.encoding
    if encoding is None:
        raise CodegenError("the buffer has no layout", found=type_)
    shape = type_.allocated[-len(type_.shape) :]
    if (
        isinstance(encoding, NvmmaSharedEncoding)
        and not encoding.swizzling_byte_width
        and encoding.transposed
        and len(shape) == 2
    ):
        return transpose(encoding.linear(shape[::-1]), (1, 0))
    return encoding.linear(shape)


def shape_per_cta(type_: MemDescType) -> tuple[int, ...]:
    """Compute the shape of the part of a view that one CTA of a cluster holds.

    Raises:
        LayoutError: The parts are not boxes.
    """
    return _box(type_, type_.shape)


def _box(type_: MemDescType, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Compute the shape of one CTA's part of a buffer."""
    encoding = type_.encoding
    if encoding is None or not _in_clusters(encoding):
        return shape
    whole = type_.allocated[-encoding.rank :]
    box = cta_tile_shape(encoding.linear(whole))
    parts = [all_ // own for all_, own in zip(whole, box, strict=True)]
    parts = [1] * (len(shape) - len(parts)) + parts[-len(shape) :]
    return tuple(max(1, size // part) for size, part in zip(shape, parts, strict=True))


def _in_clusters(encoding: Encoding) -> bool:
    """Check whether a layout distributes elements over the CTAs of a cluster."""
    if isinstance(encoding, SharedLinearEncoding | PaddedSharedEncoding):
        return bool(encoding.block)
    if isinstance(
        encoding, AmdRotatingSharedEncoding | NvmmaSharedEncoding | SwizzledSharedEncoding
    ):
        return bool(encoding.cga_layout)
    return False


def buffer_bytes(value: SSAValue) -> int:
    """Count the bytes of an allocation, padding included."""
    type_ = memdesc_of(value)
    encoding = type_.encoding
    if isinstance(encoding, PaddedSharedEncoding):
        copies = prod(type_.shape) >> len(encoding.offset)
        return copies * encoding.allocated * storage_bytes(type_.element_type)
    return _stored(type_, type_.allocated)


def buffer_stride_bytes(type_: MemDescType) -> int:
    """Compute the distance in bytes between the buffers of a multi-buffered allocation."""
    if isinstance(type_.encoding, PaddedSharedEncoding):
        return type_.encoding.allocated * storage_bytes(type_.element_type)
    return _stored(type_, type_.shape)


def _stored(type_: MemDescType, shape: tuple[int, ...]) -> int:
    """Count the bytes of a tile; padded fp4 takes twice as many."""
    encoding = type_.encoding
    spread = isinstance(encoding, NvmmaSharedEncoding) and encoding.fp4_padded
    return prod(_box(type_, shape)) * storage_bytes(type_.element_type) * (2 if spread else 1)


def buffer_alignment(value: SSAValue) -> int:
    """Compute the alignment of a buffer in bytes, from its layout and its attribute."""
    swizzled = isinstance(memdesc_of(value).encoding, NvmmaSharedEncoding)
    attribute = value.owner.alignment if isinstance(value.owner, LocalAllocOp) else None
    least = 1 if attribute is None else attribute.value.data
    return max(least, _SWIZZLED_ALIGNMENT if swizzled else _ALIGNMENT)
