"""Layouts of registers that load from and store to tensor memory.

Tensor memory has 128 rows, of which each of four warps reaches 32. With the shape 32x32b a lane has
a row; with 16x32bx2 two lanes share one of 16 rows, each with different columns:

    lanes 1, 2, 4, 8            rows 1, 2, 4, 8
    lane 16                     row 16, or a column
    warps 1, 2                  rows 32, 64
    registers, other warps      columns, and row 16 if no lane has it

Elements narrower than 32 bits are packed: neighbours of a row are in neighbouring registers.
Source: PTX ISA, tcgen05.ld and tcgen05.st; measured with Triton 3.7.1.
"""

from __future__ import annotations

from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.encodings import Encoding, LinearEncoding
from weft.layouts.linear_layout import LinearLayout

__all__ = ["is_tensor_memory_compatible", "tensor_memory_register_encoding"]

_LANES = [[1, 0], [2, 0], [4, 0], [8, 0]]
_WARPS = [[32, 0], [64, 0]]
_LANE_BITS, _WARP_BITS = 5, 2  # of the row
_WORD_BITS = 32


@lru_cache(maxsize=4096)
def is_tensor_memory_compatible(
    registers: Encoding, memory: Encoding, shape: tuple[int, ...], bits: int
) -> bool:
    """Check whether a tensor is loaded to, or stored from, registers without a conversion.

    Triton's name is isDistributedLayoutTMemCompatible.

    Args:
        registers: the encoding of the registers.
        memory: the encoding of tensor memory.
        shape: the shape of the tensor.
        bits: the bits of an element.
    """
    try:
        bases = registers.linear(shape).invert_and_compose(memory.linear(shape)).bases
    except LayoutError:
        return False
    lanes, warps, register_bits = bases["lane"], bases["warp"], bases["register"]
    if lanes[:4] != _LANES or warps[:2] != _WARPS or any(map(any, bases["block"])):
        return False
    packed = (_WORD_BITS // bits).bit_length() - 1 if bits < _WORD_BITS else 0
    if register_bits[:packed] != [[0, 1 << bit] for bit in range(packed)]:
        return False
    # Row 16 at most, and columns, each by one bit.
    rest = [lanes[4], *warps[2:], *register_bits]
    rows = [row for row, _ in rest if row]
    columns = [column for _, column in rest if column]
    return (
        rows in ([16], [])
        and all(bool(row) != bool(column) for row, column in rest)
        and all(column & (column - 1) == 0 for column in columns)
    )


@lru_cache(maxsize=16384)
def tensor_memory_register_encoding(memory: LinearLayout, warps: int) -> LinearEncoding:
    """Compute the encoding in which a CTA loads and stores a tensor in tensor memory.

    Each lane holds the columns of its row. Eight warps split the columns in halves. If rows of the
    memory are empty (64 rows of an accumulator use every other 16), half of the lanes take columns
    in place of them.

    Args:
        memory: a layout from row and column to the element.
        warps: 4 or 8.

    Raises:
        LayoutError: the vectors do not make a layout.
    """
    rows = [memory.unpack(image) for image in memory.images("row")]
    columns = [basis for image in memory.images("col") if any(basis := memory.unpack(image))]
    zero = (0,) * len(memory.outs)
    lane_bases, warp_bases = rows[:_LANE_BITS], rows[_LANE_BITS : _LANE_BITS + _WARP_BITS]
    for _ in range(warps.bit_length() - 1 - _WARP_BITS):
        warp_bases.append(columns.pop() if columns else zero)
    if not any(lane_bases[-1]) and columns:
        lane_bases[-1] = columns.pop()
    return LinearEncoding(tuple(columns), tuple(lane_bases), tuple(warp_bases), ())
