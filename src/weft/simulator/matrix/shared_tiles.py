"""Tiles in shared memory that tensor cores read through a matrix descriptor.

A descriptor holds the start of a tile, two strides and a swizzle mode. In a K-major tile, whose
elements are contiguous along k, element (row, k) is at

    start + row / 8 · stride + row % 8 · width + bytes of k

and in an MN-major tile, whose elements are contiguous along `row`, at

    start + row / columns · leading + k / 8 · stride + k % 8 · width + bytes of row % columns

The swizzle then XORs bits 4 to 6 of the address with bits 7 to 9, or fewer bits for narrower
swizzles. Without a swizzle the width is 16 bytes; the leading stride then steps over 16 bytes of k,
and in an MN-major tile the two strides exchange their roles.
Source: PTX ISA 9.0, matrix descriptor formats and canonical layouts of wgmma and of tcgen05.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.memory.memory import Memory

__all__ = ["read_tile", "tile_places"]

_WIDTHS = {0: 16, 2: 128, 4: 64, 6: 32}
"""Swizzle mode → bytes of a row."""


def read_tile(
    shared: Memory, descriptor: int, rows: int, depth: int, dtype: np.dtype, *, mn_major: bool
) -> np.ndarray:
    """Read the operand [row, k] of a descriptor.

    Args:
        shared: Shared memory.
        descriptor: The descriptor.
        rows: Rows of A, or columns of B.
        depth: Elements along k.
        dtype: Type of the elements.
        mn_major: Whether elements are contiguous along `row`.

    Raises:
        CodegenError: The swizzle mode is not supported, or the tile exceeds shared memory.
    """
    places = tile_places(descriptor, rows, depth, dtype.itemsize, mn_major=mn_major)
    if places.max() >= shared.bytes.size:
        raise CodegenError(
            "a matrix instruction reads outside of shared memory",
            found=f"{int(places.max()) + 1} bytes of {shared.bytes.size}",
        )
    return np.ascontiguousarray(shared.bytes[places]).view(dtype)[..., 0]


def tile_places(descriptor: int, rows: int, depth: int, size: int, *, mn_major: bool) -> np.ndarray:
    """Compute the addresses [row, k, byte] of the operand of a descriptor.

    Args:
        descriptor: The descriptor.
        rows: Rows of A, or columns of B.
        depth: Elements along k.
        size: Bytes of an element.
        mn_major: Whether elements are contiguous along `row`.

    Raises:
        CodegenError: The swizzle mode is not supported.
    """

    def field(bit: int) -> int:  # 14 bits, in units of 16 bytes
        return (descriptor >> bit & 0x3FFF) << 4

    start, leading, stride = field(0), field(16), field(32)
    swizzle = descriptor >> 61 & 7
    if swizzle not in _WIDTHS:
        raise CodegenError("the simulator does not support this swizzle mode", found=swizzle)
    width = _WIDTHS[swizzle]
    row, k = np.meshgrid(np.arange(rows), np.arange(depth), indexing="ij")
    if not swizzle and mn_major:
        leading, stride = stride, leading
    columns = width // size
    contiguous, other = (row, k) if mn_major else (k, row)
    offset = other // 8 * stride + other % 8 * width + contiguous % columns * size
    if swizzle and not mn_major:
        offset += contiguous // columns * columns * size
    else:
        offset += contiguous // columns * leading
    address = start + offset
    if swizzle:
        address ^= (address >> 7 & (width // 16 - 1)) << 4
    return address[..., None] + np.arange(size)
