"""What the instructions of a conversion do, for all lanes, warps and blocks at once.

Each is written from its own description, not from the permutations of bits in
`weft.layouts.instruction_tiles` that plans are made with, so that executing a plan checks those.

Memory is an array [offset, block] of elements. Addresses are arrays [lane, warp, block] of offsets,
`ctas` the CTAs whose memory they mean; values are arrays [register, lane, warp, block].
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from weft.errors import LayoutError

__all__ = [
    "Values",
    "lane_swap",
    "load",
    "load_matrices",
    "load_transposed",
    "shuffle",
    "store",
    "store_matrices",
    "transpose_pair",
]

# Memory, or values of a tensor, of any element type.
Values: TypeAlias = NDArray[Any]
_Numbers = NDArray[np.integer]
_Mask = NDArray[np.bool_]


def _check_alignment(addresses: _Numbers, elements: int) -> None:
    misaligned = addresses[addresses % elements != 0]
    if misaligned.size:
        raise LayoutError(
            f"an access of {elements} elements must be aligned", found=f"offset {misaligned[0]}"
        )


def load(memory: Values, addresses: _Numbers, ctas: _Numbers, elements: int) -> Values:
    """Return neighbouring elements for each lane: ld.shared, ds_read."""
    _check_alignment(addresses, elements)
    return np.stack([memory[addresses + number, ctas] for number in range(elements)])


def store(
    memory: Values, addresses: _Numbers, ctas: _Numbers, values: Values, active: _Mask
) -> None:
    """Write neighbouring elements of each active lane: st.shared, ds_write."""
    _check_alignment(addresses, len(values))
    chosen = np.broadcast_to(active, addresses.shape)
    for number, value in enumerate(values):
        memory[(addresses + number)[chosen], ctas[chosen]] = value[chosen]


def _matrix_elements(
    addresses: _Numbers, row: int, transposed: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each register and lane the address lane and the element of its row.

    The rows of matrix j start at the addresses of lanes 8j to 8j + 7. Lane l holds 32 bits: part
    l % 4 of row l / 4; or, transposed, elements l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1.
    """
    _check_alignment(addresses, row)
    lane = np.arange(32)[None, None, :]
    matrix = np.arange(len(addresses) // 8)[:, None, None]
    part = np.arange(row // 4)[None, :, None]
    if transposed:
        rows, column = 2 * (lane % 4) + part, lane // 4 + 0 * part
    else:
        rows, column = lane // 4 + 0 * part, lane % 4 * (row // 4) + part
    address_lane = 8 * matrix + rows
    columns = np.broadcast_to(column, address_lane.shape)
    return address_lane.reshape(-1, 32), columns.reshape(-1, 32)


def load_matrices(
    memory: Values, addresses: _Numbers, ctas: _Numbers, row: int, transposed: bool
) -> Values:
    """Load as ldmatrix does, as many matrices as there are groups of eight addresses.

    Args:
        memory: [offset, block].
        addresses: the addresses of the rows.
        ctas: whose memory is meant.
        row: elements of a row of 16 bytes.
        transposed: whether it is ldmatrix.trans.
    """
    address_lane, column = _matrix_elements(addresses, row, transposed)
    return memory[addresses[address_lane] + column[..., None, None], ctas[address_lane]]


def store_matrices(
    memory: Values,
    addresses: _Numbers,
    ctas: _Numbers,
    values: Values,
    active: _Mask,
    transposed: bool,
) -> None:
    """Write as stmatrix does; whole warps are active or not."""
    row = 4 * len(values) // (len(addresses) // 8)
    address_lane, column = _matrix_elements(addresses, row, transposed)
    offsets = addresses[address_lane] + column[..., None, None]
    chosen = np.broadcast_to(active[:1], offsets.shape)
    memory[offsets[chosen], ctas[address_lane][chosen]] = values[chosen]


def load_transposed(
    memory: Values, addresses: _Numbers, ctas: _Numbers, row: int, name: str
) -> Values:
    """Load as AMD's transposing loads do.

    Lane l receives element l % row of as many rows. On gfx950 (ds_read), 16 lanes exchange their
    rows: those of lanes l / row, one of every 16 / row. On gfx1250 (ds_load), the rows are those
    of 8 lanes (16-bit elements) or 16 lanes (4-bit) in a row; with 8-bit elements, of lanes 0-3
    and 8-11 of each 16, or 4-7 and 12-15.
    """
    _check_alignment(addresses, row)
    lane = np.arange(len(addresses))[None, :]
    number = np.arange(row)[:, None]
    if name.startswith("ds_read"):
        address_lane = lane // 16 * 16 + lane % 16 // row + number * (16 // row)
    elif row == 8 and "tr8" in name:
        address_lane = lane // 16 * 16 + lane // 8 % 2 * 4 + number % 4 + number // 4 * 8
    else:
        address_lane = lane // row * row + number
    return memory[addresses[address_lane] + (lane % row)[..., None, None], ctas[address_lane]]


def shuffle(values: Values, source_lanes: _Numbers) -> Values:
    """Return for each lane the value of its source lane; values are [lane, …]."""
    return values[source_lanes]


def lane_swap(first: Values, second: Values, distance: int) -> tuple[Values, Values]:
    """Return two registers after v_permlane16_swap (distance 16) or v_permlane32_swap (32).

    The odd rows of `distance` lanes of the first register are exchanged with the even rows of the
    second.
    """
    lanes = np.arange(len(first))
    odd = (lanes & distance).astype(bool)
    new_first, new_second = first.copy(), second.copy()
    new_first[odd] = second[lanes[odd] ^ distance]
    new_second[~odd] = first[lanes[~odd] ^ distance]
    return new_first, new_second


def transpose_pair(
    low: Values, high: Values, lane_bit: int, *, by_swap: bool
) -> tuple[Values, Values]:
    """Exchange a register bit of two registers with a bit of the lane.

    Args:
        low: The register whose bit is 0, [lane, warp, block].
        high: The register whose bit is 1, likewise.
        lane_bit: The number of the lane's bit.
        by_swap: Whether one instruction swaps the lanes; otherwise a shuffle between selects does.

    Returns:
        Both registers afterwards.
    """
    distance = 1 << lane_bit
    if by_swap:
        return lane_swap(low, high, distance)
    lanes = np.arange(len(low))
    is_odd = (lanes & distance).astype(bool).reshape(-1, *(1,) * (low.ndim - 1))
    received = shuffle(np.where(is_odd, low, high), lanes ^ distance)
    return np.where(is_odd, received, low), np.where(is_odd, high, received)
