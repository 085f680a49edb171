"""Sizes of buffers of shared memory, from their types.

!ttg.memdesc<2x64x32xf16, #shared>       8192 bytes: two tiles of 4096 bytes
… with 2 CTAs that share the rows        4096 bytes in each CTA
… with padding, or fp4 in bytes          more than the elements take
"""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute

from weft.ir import types
from weft.ir.ttg import MemDescType
from weft.layouts import (
    AmdRotatingSharedEncoding,
    Encoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SwizzledSharedEncoding,
)
from weft.layouts.cga import cta_tile_shape

__all__ = ["buffer_bytes", "buffer_stride_bytes", "shape_per_cta"]


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


def buffer_bytes(type_: MemDescType) -> int:
    """Count the bytes of an allocation, padding included."""
    encoding = type_.encoding
    if isinstance(encoding, PaddedSharedEncoding):
        copies = prod(type_.shape) >> len(encoding.offset)
        return copies * encoding.allocated * _element_bytes(type_.element_type)
    return _stored(type_, type_.allocated)


def buffer_stride_bytes(type_: MemDescType) -> int:
    """Compute the distance in bytes between the buffers of a multi-buffered allocation."""
    if isinstance(type_.encoding, PaddedSharedEncoding):
        return type_.encoding.allocated * _element_bytes(type_.element_type)
    return _stored(type_, type_.shape)


def _stored(type_: MemDescType, shape: tuple[int, ...]) -> int:
    """Count the bytes of a tile; padded fp4 takes twice as many."""
    encoding = type_.encoding
    spread = isinstance(encoding, NvmmaSharedEncoding) and encoding.fp4_padded
    return prod(_box(type_, shape)) * _element_bytes(type_.element_type) * (2 if spread else 1)


def _element_bytes(type_: Attribute) -> int:
    return max(1, types.bit_width(type_) // 8)  # an i1 takes a byte
