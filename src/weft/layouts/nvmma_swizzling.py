"""Choose the swizzle of a tile that TMA writes and NVIDIA's tensor cores read.

The widest swizzle that the rows of the tile fill is best. 128x64xf16 with rows in memory has rows
of 128 bytes, so swizzlingByteWidth = 128; 128x32xf16 has rows of 64 bytes, so it is 64.

    bytes of a row    a multiple of 128    of 64    of 32    otherwise, or with fewer than 8 rows
    swizzle           128                  64       32       none

Source: PTX ISA, "Shared Memory Matrix Layout"; measured with Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from weft.layouts.encodings import NvmmaSharedEncoding

__all__ = ["nvmma_shared_encoding", "swizzle_bytes"]

_WIDTHS = (128, 64, 32)
_CORE_ROWS = 8


def swizzle_bytes(shape: Sequence[int], order: Sequence[int], bits: int, padded: bool) -> int:
    """Return the width of the swizzle in bytes, 0 for none.

    Args:
        shape: the part of the tile that one CTA holds.
        order: the dimensions, fastest first.
        bits: the bits of an element.
        padded: whether pairs of fp4 values are padded to two bytes each.
    """
    rows = prod(shape[dim] for dim in order[1:])
    if len(shape) < 2 or rows < _CORE_ROWS:
        return 0
    row_bytes = shape[order[0]] * (2 if padded else 1) * bits // 8
    return next((w for w in _WIDTHS if row_bytes >= w and row_bytes % w == 0), 0)


def nvmma_shared_encoding(
    shape: Sequence[int],
    order: Sequence[int],
    bits: int,
    cga: Sequence[Sequence[int]] = (),
    *,
    share: Sequence[int] | None = None,
    padded: bool = False,
) -> NvmmaSharedEncoding:
    """Compute the encoding of a tile in shared memory.

    Args:
        shape: the shape of the tile.
        order: the dimensions, fastest first.
        bits: the bits of an element.
        cga: basis vectors over the CTAs of a cluster.
        share: the part of the tile that one CTA holds; all of it by default.
        padded: whether pairs of fp4 values are padded to two bytes each.
    """
    return NvmmaSharedEncoding(
        swizzle_bytes(shape if share is None else share, order, bits, padded),
        bits,
        len(shape) > 1 and order[0] == 0,
        padded,
        tuple(tuple(vector) for vector in cga),
        len(shape),
    )
