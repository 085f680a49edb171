"""Tiles in shared memory that tensor cores read, named by descriptors.

A descriptor says where a tile starts, two strides and a swizzle. Element (row, k) of a tile whose
rows are contiguous along k lies at

    start + row / 8 · stride + row % 8 · width + bytes of k

and one whose rows are contiguous along `row` at

    start + row / columns · leading + k / 8 · stride + k % 8 · width + bytes of row % columns

with bits 4 to 6 of the address then joined by xor with bits 7 to 9, fewer for narrower swizzles.
Without a swizzle the width is 16 bytes; then the leading stride steps over 16 bytes of k, and in
the second form the two strides change their parts.
Source: PTX ISA 9.0, matrix descriptor formats and canonical layouts of wgmma and of tcgen05.
"""

from __future__ import annotations

import numpy as np

from weft.errors import CodegenError
from weft.simulator.memory.memory import Memory

__all__ = ["tile", "tile_bytes"]

_WIDTHS = {0: 16, 2: 128, 4: 64, 6: 32}


def tile(
    shared: Memory, descriptor: int, rows: int, depth: int, kind: np.dtype, *, turned: bool
) -> np.ndarray:
    """Return [row, k] of the operand that a descriptor names.

    Args: turned: whether rows are contiguous along `row`.
    Raises: CodegenError: a swizzle that is not modelled, or a tile outside of shared memory.
    """
    address = tile_bytes(descriptor, rows, depth, kind.itemsize, turned=turned)
    if address.max() >= shared.bytes.size:
        raise CodegenError(
            "a matrix instruction reads outside of shared memory",
            found=f"{int(address.max()) + 1} bytes of {shared.bytes.size}",
        )
    return np.ascontiguousarray(shared.bytes[address]).view(kind)[..., 0]


def tile_bytes(descriptor: int, rows: int, depth: int, size: int, *, turned: bool) -> np.ndarray:
    """Return the addresses [row, k, byte] of the operand that a descriptor names.

    Args: size: bytes of an element.  turned: as of `tile`.
    Raises: CodegenError: a swizzle that is not modelled.
    """
    field = lambda low: (descriptor >> low & 0x3FFF) << 4  # noqa: E731
    start, leading, stride = field(0), field(16), field(32)
    swizzle = descriptor >> 61 & 7
    if swizzle not in _WIDTHS:
        raise CodegenError("the simulator does not know this swizzle", found=swizzle)
    width = _WIDTHS[swizzle]
    row, k = np.meshgrid(np.arange(rows), np.arange(depth), indexing="ij")
    if not swizzle and turned:
        leading, stride = stride, leading
    columns = width // size
    along, across = (row, k) if turned else (k, row)
    place = across // 8 * stride + across % 8 * width + along % columns * size
    if swizzle and not turned:
        place += along // columns * columns * size
    else:
        place += along // columns * leading
    address = start + place
    if swizzle:
        address ^= (address >> 7 & (width // 16 - 1)) << 4
    return address[..., None] + np.arange(size)
