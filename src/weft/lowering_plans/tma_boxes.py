"""The boxes in which TMA copies a tile: their coordinates and their offsets in shared memory.

A box has at most 256 elements along a dimension, and its rows are as wide as the swizzle. By hand,
a tile of 128x128 f16 whose rows are swizzled by 128 bytes is two boxes of 128x64:

    box 0    from (0, 0)     bytes 0 to 16383
    box 1    from (0, 64)    bytes 16384 to 32767

Within a box TMA stores elements row by row, and swizzles groups of 16 bytes by the row's index. The
layout of the buffer must place elements the same way, otherwise the copy is an error. Boxes are
numbered in the order of their offsets, so that the offset is linear in the bits of the number.
Source: PTX ISA 9.0, tensor swizzling modes; CUDA driver API, cuTensorMapEncodeTiled.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod

from msgspec import Struct

from weft.analysis.buffer_size import shape_per_cta
from weft.errors import CodegenError
from weft.ir.ttg import MemDescType
from weft.ir.types import storage_bytes
from weft.layouts import LinearLayout, NvmmaSharedEncoding
from weft.lowering_plans.memdesc import memory_layout

__all__ = ["Box", "box_shape", "tma_boxes", "row_offset"]

_LONGEST = 256
_GROUP_BYTES = 16


class Box(Struct, frozen=True):
    """One box of a tile.

    Attributes:
        start: Coordinates of its first element.
        offset: Offset of that element in shared memory, in elements.
    """

    start: tuple[int, ...]
    offset: int


def swizzle_bytes(type_: MemDescType) -> int:
    """Get the swizzle width of a tile in bytes, 0 for no swizzle.

    Raises:
        CodegenError: TMA does not support the layout.
    """
    encoding = type_.encoding
    if not isinstance(encoding, NvmmaSharedEncoding) or encoding.transposed:
        raise CodegenError(
            "TMA does not support this buffer layout",
            found=type_,
            accepted=["#ttg.nvmma_shared with transposed = false"],
        )
    if encoding.fp4_padded:
        raise CodegenError(
            "TMA copies that pad fp4 cannot be lowered",
            found=type_,
            accepted=["fp4Padded = false"],
            hint="load with pointers, and store to the buffer; the CPU device runs such copies",
        )
    return encoding.swizzling_byte_width


def box_shape(type_: MemDescType) -> tuple[int, ...]:
    """Compute the shape of a tile's boxes."""
    width = swizzle_bytes(type_) // storage_bytes(type_.element_type) or _LONGEST
    *others, last = shape_per_cta(type_)
    return (*(min(size, _LONGEST) for size in others), min(last, width))


@lru_cache(maxsize=1024)
def tma_boxes(type_: MemDescType) -> tuple[Box, ...]:
    """List the boxes of a CTA's part of a tile, in the order of their offsets in shared memory.

    Raises:
        CodegenError: The buffer's layout is not the one in which TMA writes a box.
    """
    box, inverse = box_shape(type_), memory_layout(type_).pseudoinvert()
    _check(type_, box, inverse)
    own = shape_per_cta(type_)
    steps = [range(0, size, step) for size, step in zip(own, box, strict=True)]
    boxes = [Box(start, _offset(inverse, start)) for start in product(*steps)]
    return tuple(sorted(boxes, key=lambda box: box.offset))


def _offset(inverse: LinearLayout, coordinates: tuple[int, ...]) -> int:
    """Compute the offset of an element by the inverse of the memory's layout, in elements."""
    by_dim = {f"dim{n}": coordinate for n, coordinate in enumerate(coordinates)}
    return int(inverse.apply(by_dim)["offset"])


def row_offset(type_: MemDescType, coordinates: tuple[int, int]) -> int:
    """Compute the unswizzled offset of a row in elements; TMA applies the swizzle.

    Args:
        type_: The type.
        coordinates: The row, and the first column of a box.
    """
    size = storage_bytes(type_.element_type)
    byte_offset = _offset(memory_layout(type_).pseudoinvert(), coordinates) * size
    return swizzled(byte_offset, swizzle_bytes(type_)) // size


def _check(type_: MemDescType, box: tuple[int, ...], inverse: LinearLayout) -> None:
    """Check that the layout places the elements of a box as TMA does.

    Raises:
        CodegenError: It does not.
    """
    size, width = storage_bytes(type_.element_type), swizzle_bytes(type_)
    for dim, length in enumerate(box):
        # Both are linear, so it suffices to compare the elements at powers of two.
        index = 1
        while index < length:
            element = tuple(index if n == dim else 0 for n in range(len(box)))
            row_major = index * prod(box[dim + 1 :]) * size
            if _offset(inverse, element) * size != swizzled(row_major, width):
                raise CodegenError(
                    "TMA does not support this buffer layout",
                    found=f"{type_}, element {element} at byte {_offset(inverse, element) * size}",
                    accepted=[f"byte {swizzled(row_major, width)}"],
                )
            index *= 2


def swizzled(offset: int, width: int) -> int:
    """Swizzle a byte offset within a box, as TMA does.

    Args:
        offset: Byte offset in row-major order.
        width: Bytes of a swizzled row, 0 for no swizzle.
    """
    groups = width // _GROUP_BYTES
    return offset ^ (offset >> 7 & (groups - 1)) * _GROUP_BYTES if groups > 1 else offset
