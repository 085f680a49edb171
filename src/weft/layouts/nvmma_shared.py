"""How a tile lies in shared memory where NVIDIA's copy engine and tensor cores read it.

128x64xf16, rows in memory: a row has 128 bytes, so the 16-byte pieces of each 8 rows are exchanged
within 128 bytes, the widest exchange there is: swizzlingByteWidth = 128. 128x32xf16: 64.

    bytes of a row   a multiple of 128   of 64   of 32   else, or fewer than 8 rows
    exchanged in     128                 64      32      not at all

Scales of tensor memory lie plainly. Source: PTX ISA, "Shared memory matrix layout"; measured on
Triton 3.7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from weft.layouts.encodings import NvmmaSharedEncoding

__all__ = ["nvmma_shared_encoding", "swizzle_bytes"]

_WIDTHS = (128, 64, 32)


def swizzle_bytes(shape: Sequence[int], order: Sequence[int], bits: int, padded: bool) -> int:
    """Return within how many bytes the pieces of a row are exchanged.

    Args: shape: what one block holds.  order: the dimensions, fastest first.  bits: of an element.
    padded: whether 4-bit pairs take two bytes each.
    """
    rows = prod(shape[dim] for dim in order[1:])
    if len(shape) < 2 or rows < 8:
        return 0
    row = shape[order[0]] * (2 if padded else 1) * bits // 8
    return next((width for width in _WIDTHS if row >= width and row % width == 0), 0)


def nvmma_shared_encoding(
    shape: Sequence[int],
    order: Sequence[int],
    bits: int,
    cga: Sequence[Sequence[int]] = (),
    *,
    share: Sequence[int] | None = None,
    padded: bool = False,
) -> NvmmaSharedEncoding:
    """Return the layout of a tile in shared memory.

    Args: shape: of the tile.  order: the dimensions, fastest first.  bits: of an element.
    cga: basis vectors over the blocks of a cluster.  share: what one block holds of the tile, all
    of it by default.  padded: whether 4-bit pairs take two bytes each.
    """
    held = tuple(shape if share is None else share)
    return NvmmaSharedEncoding(
        swizzle_bytes(held, order, bits, padded),
        bits,
        len(shape) > 1 and order[0] == 0,
        padded,
        tuple(tuple(vector) for vector in cga),
        len(shape),
    )
