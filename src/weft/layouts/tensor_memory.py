"""Which registers a warp can store to tensor memory, and load from it, without a detour.

Tensor memory has 128 rows; four warps reach 32 of them each. A lane stands for a row, 32 columns of
32 bits at a time (32x32b); or two lanes share a row of 16, each with columns of its own (16x32bx2):

    lanes 1, 2, 4, 8   →  rows 1, 2, 4, 8
    lane 16            →  row 16, or a column
    warps 1, 2         →  rows 32, 64
    registers, other warps   →  columns, and the row that is left

Elements of less than 32 bits are packed: neighbours in a row lie in neighbouring registers.
Source: PTX ISA, tcgen05.ld and tcgen05.st; measured on Triton 3.7.1.
"""

from __future__ import annotations

from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.encodings import Encoding, LinearEncoding
from weft.layouts.linear import LinearLayout

__all__ = ["is_tensor_memory_compatible", "tensor_memory_register_encoding"]

_LANES = [[1, 0], [2, 0], [4, 0], [8, 0]]
_WARPS = [[32, 0], [64, 0]]
_WORD = 32
_LANE_BITS, _WARP_BITS = 5, 2


@lru_cache(maxsize=4096)
def is_tensor_memory_compatible(
    registers: Encoding, memory: Encoding, shape: tuple[int, ...], bits: int
) -> bool:
    """Tell whether a tensor in registers is stored to, or loaded from, a buffer as it lies.

    Args: bits: of an element.
    """
    try:
        places = registers.linear(shape).invert_and_compose(memory.linear(shape)).bases
    except LayoutError:
        return False
    lanes, warps, held = places["lane"], places["warp"], places["register"]
    if lanes[:4] != _LANES or warps[:2] != _WARPS or any(map(any, places["block"])):
        return False
    packed = (_WORD // bits).bit_length() - 1 if bits < _WORD else 0
    if held[:packed] != [[0, 1 << bit] for bit in range(packed)]:
        return False
    rest = [lanes[4], *warps[2:], *held]
    rows = [row for row, column in rest if row]
    columns = [column for row, column in rest if column]
    return (
        rows in ([16], [])
        and all(bool(row) != bool(column) for row, column in rest)
        and all(column & (column - 1) == 0 for column in columns)
    )


@lru_cache(maxsize=16384)
def tensor_memory_register_encoding(memory: LinearLayout, warps: int) -> LinearEncoding:
    """Return the layout in which a block reads and writes tensor memory.

    A warp reaches 32 rows of memory, four warps all of them; a lane has a row and holds its
    columns. Eight warps halve the columns. Where rows are left empty (64 rows of an accumulator
    leave each second 16), half of the lanes take columns in their place.

    Args: memory: from row and column to the element.  warps: 4 or 8.
    Raises: LayoutError: the vectors do not make a layout.
    """
    rows = [memory.unpack(image) for image in memory.images("row")]
    columns = [vector for image in memory.images("col") if any(vector := memory.unpack(image))]
    nothing = (0,) * len(memory.outs)
    lanes, groups = rows[:_LANE_BITS], rows[_LANE_BITS : _LANE_BITS + _WARP_BITS]
    for _ in range(warps.bit_length() - 1 - _WARP_BITS):
        groups.append(columns.pop() if columns else nothing)
    if not any(lanes[-1]) and columns:
        lanes[-1] = columns.pop()
    return LinearEncoding(columns, lanes, groups, ())
