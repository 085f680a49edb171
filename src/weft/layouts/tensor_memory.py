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

from collections.abc import Sequence
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.encodings import (
    Encoding,
    LinearEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from weft.layouts.linear_layout import LinearLayout

__all__ = [
    "is_tensor_memory_compatible",
    "registers_of_cluster",
    "tensor_memory_16x256b_encoding",
    "tensor_memory_access_encoding",
    "tensor_memory_of_cta",
    "tensor_memory_register_encoding",
]

_Vector = tuple[int, ...]

_LANES = [[1, 0], [2, 0], [4, 0], [8, 0]]
_WARPS = [[32, 0], [64, 0]]
_LANE_BITS, _WARP_BITS = 5, 2  # of the row
_WORD_BITS = 32
_WARPS_OF_ROWS = 4  # each reaches 32 rows


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


@lru_cache(maxsize=4096)
def tensor_memory_16x256b_encoding(
    memory: LinearLayout, bits: int, warps: int
) -> LinearEncoding | None:
    """Compute the encoding in which a CTA accesses tensor memory with the shape 16x256b.

    Four lanes share a row, and each of them has two neighbouring words of it:

        lanes 1, 2, 4, 8, 16      columns 2, 4, rows 1, 2, 4
        warps 1, 2                rows 32, 64
        warp 4, or a register     row 16, if it is not empty
        registers, other warps    column 1, row 8, further columns

    Args:
        memory: a layout from row and column to the element of one CTA.
        bits: the bits of an element, at most 32.
        warps: a power of two, at least 4.

    Returns: the encoding; None if the memory is too narrow or does not use the first 16 rows.
    """
    rows = [memory.unpack(image) for image in memory.images("row")]
    words = _word_columns([memory.unpack(image) for image in memory.images("col")], bits)
    if words is None:
        return None
    packed, columns = words
    if len(columns) < 3 or not all(map(any, [*columns[:3], *rows[:4]])):
        return None
    registers = [*packed, columns[0], rows[3]]
    lanes = [*columns[1:3], *rows[:3]]
    warp_bases = rows[_LANE_BITS : _LANE_BITS + _WARP_BITS]
    columns = columns[3:]
    more_warps = warps.bit_length() - 1 - _WARP_BITS
    row_16 = rows[4]
    if any(row_16) and more_warps:
        warp_bases.append(row_16)
        more_warps -= 1
    first = max(0, len(columns) - more_warps)
    registers += columns[:first]
    if any(row_16) and warps == _WARPS_OF_ROWS:
        registers.append(row_16)
    warp_bases += columns[first:]
    warp_bases += [(0,) * len(memory.outs)] * (more_warps - len(columns[first:]))
    return LinearEncoding(tuple(registers), tuple(lanes), tuple(warp_bases), ())


def _word_columns(
    columns: Sequence[_Vector], bits: int
) -> tuple[list[_Vector], list[_Vector]] | None:
    """Separate the columns within a register from those that lead to other registers.

    Returns: the bases within a register, and the bases from one register to the next; None if
        elements are neither neighbours nor at the distance of a word.
    """
    packed = 0
    while bits << packed < _WORD_BITS and columns[packed : packed + 1] == [(0, 1 << packed)]:
        packed += 1
    within, rest, bits = list(columns[:packed]), list(columns[packed:]), bits << packed
    padding = (_WORD_BITS // bits).bit_length() - 1
    if not padding or not rest:
        return within, rest
    if any(map(any, rest[:padding])):
        return None
    # Two words of half of the bits each share a register (.pack::16b, .unpack::16b).
    if bits == _WORD_BITS // 2 and rest[1:2] == [(0, 1 << packed)]:
        return [*within, rest[1]], rest[2:]
    return within, rest[padding:]


def tensor_memory_of_cta(
    memory: TensorMemoryEncoding | TensorMemoryScalesEncoding, shape: tuple[int, ...]
) -> LinearLayout:
    """Return the layout of the part of a tensor that is in the tensor memory of one CTA.

    The layout of the tensor has the parts of all CTAs in its columns.

    Args:
        memory: the encoding of the tensor.
        shape: the shape of the tensor, (rows, columns).
    """
    layout = memory.linear(shape)
    rows, columns = shape[0] // memory.cta_split_m, shape[1] // memory.cta_split_n
    own = [basis for basis in layout.bases["col"] if basis[0] < rows and basis[1] < columns]
    return LinearLayout.from_bases(
        {"row": layout.bases["row"], "col": own}, {"dim0": rows, "dim1": columns}
    )


def registers_of_cluster(
    registers: LinearEncoding, tensor: Encoding, shape: tuple[int, ...]
) -> LinearEncoding:
    """Give the registers of one CTA the distribution over CTAs of another encoding.

    Args:
        registers: the encoding of the part of one CTA.
        tensor: an encoding of the whole tensor.
        shape: the shape of the whole tensor.
    """
    layout = tensor.linear(shape)
    blocks = tuple(layout.unpack(image) for image in layout.images("block"))
    return LinearEncoding(registers.register, registers.lane, registers.warp, blocks)


def tensor_memory_access_encoding(
    memory: TensorMemoryEncoding | TensorMemoryScalesEncoding,
    tensor: Encoding,
    shape: tuple[int, ...],
    warps: int,
) -> LinearEncoding:
    """Compute the encoding in which a cluster loads and stores a tensor in tensor memory.

    Args:
        memory: the encoding of the tensor in tensor memory.
        tensor: another encoding of the tensor in registers, whose distribution over CTAs stays.
        shape: the shape of the tensor, (rows, columns).
        warps: 4 or 8.
    """
    registers = tensor_memory_register_encoding(tensor_memory_of_cta(memory, shape), warps)
    return registers_of_cluster(registers, tensor, shape)
