"""What the instructions of a conversion do, for all lanes, warps and blocks at once.

Each is written from its own description, not from the maps of `weft.layouts.instruction_tiles`
that plans are made with, so that running a plan proves the maps.

Memory is an array [offset, block] of elements. Addresses are arrays [lane, warp, block] of offsets,
`homes` the blocks whose memory they mean; values are arrays [register, lane, warp, block].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import LayoutError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "lane_swap",
    "load",
    "load_matrices",
    "load_transposed",
    "shuffle",
    "store",
    "store_matrices",
]


def _aligned(addresses: np.ndarray, elements: int) -> None:
    wrong = addresses[addresses % elements != 0]
    if wrong.size:
        raise LayoutError(
            f"an access of {elements} elements must be aligned", found=f"offset {wrong[0]}"
        )


def load(memory: np.ndarray, addresses: np.ndarray, homes: np.ndarray, elements: int) -> np.ndarray:
    """Return neighbouring elements for each lane: ld.shared, ds_read."""
    import numpy as np

    _aligned(addresses, elements)
    return np.stack([memory[addresses + number, homes] for number in range(elements)])


def store(
    memory: np.ndarray,
    addresses: np.ndarray,
    homes: np.ndarray,
    values: np.ndarray,
    active: np.ndarray,
) -> None:
    """Write neighbouring elements of each lane for which `active` says so: st.shared, ds_write."""
    import numpy as np

    _aligned(addresses, len(values))
    chosen = np.broadcast_to(active, addresses.shape)
    for number, value in enumerate(values):
        memory[(addresses + number)[chosen], homes[chosen]] = value[chosen]


def _matrix_places(
    addresses: np.ndarray, row: int, transposed: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each register and lane the address lane and the element of its row.

    Matrix j has the rows of address lanes 8j to 8j + 7. Lane l holds 32 bits: of row l / 4 its
    part l % 4, or, transposed, the elements l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1.
    """
    import numpy as np

    _aligned(addresses, row)
    lane = np.arange(32)[None, None, :]
    matrix = np.arange(len(addresses) // 8)[:, None, None]
    part = np.arange(row // 4)[None, :, None]
    if transposed:
        rows, column = 2 * (lane % 4) + part, lane // 4 + 0 * part
    else:
        rows, column = lane // 4 + 0 * part, lane % 4 * (row // 4) + part
    supplier = 8 * matrix + rows
    return supplier.reshape(-1, 32), np.broadcast_to(column, supplier.shape).reshape(-1, 32)


def load_matrices(
    memory: np.ndarray, addresses: np.ndarray, homes: np.ndarray, row: int, transposed: bool
) -> np.ndarray:
    """Return what ldmatrix does, of as many matrices as there are rows of eight addresses.

    Args: row: elements of a row of 16 bytes.
    """
    supplier, column = _matrix_places(addresses, row, transposed)
    return memory[addresses[supplier] + column[..., None, None], homes[supplier]]


def store_matrices(
    memory: np.ndarray,
    addresses: np.ndarray,
    homes: np.ndarray,
    values: np.ndarray,
    active: np.ndarray,
    transposed: bool,
) -> None:
    """Write as stmatrix does; whole warps are active or not."""
    import numpy as np

    row = 4 * len(values) // (len(addresses) // 8)
    supplier, column = _matrix_places(addresses, row, transposed)
    places = addresses[supplier] + column[..., None, None]
    chosen = np.broadcast_to(active[:1], places.shape)
    memory[places[chosen], homes[supplier][chosen]] = values[chosen]


def load_transposed(
    memory: np.ndarray, addresses: np.ndarray, homes: np.ndarray, row: int, name: str
) -> np.ndarray:
    """Return what AMD's transposing loads do.

    Lanes load rows of `row` elements, and lane l keeps element l % row of as many rows. On gfx950
    (ds_read) 16 lanes share their rows: it keeps those of lanes l / row, one of every 16 / row. On
    gfx1250 it keeps those of 8 lanes (16 bits) or 16 (4 bits) in a row; of 8 bits, of lanes 0-3
    and 8-11 of its half warp, or 4-7 and 12-15.
    """
    import numpy as np

    _aligned(addresses, row)
    lane = np.arange(len(addresses))[None, :]
    number = np.arange(row)[:, None]
    if name.startswith("ds_read"):
        supplier = lane // 16 * 16 + lane % 16 // row + number * (16 // row)
    elif row == 8 and "tr8" in name:
        supplier = lane // 16 * 16 + lane // 8 % 2 * 4 + number % 4 + number // 4 * 8
    else:
        supplier = lane // row * row + number
    return memory[addresses[supplier] + (lane % row)[..., None, None], homes[supplier]]


def shuffle(values: np.ndarray, takes: np.ndarray) -> np.ndarray:
    """Return for each lane the value of the lane it takes from; values are [lane, …]."""
    return values[takes]


def lane_swap(
    first: np.ndarray, second: np.ndarray, distance: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return two registers after v_permlane16_swap (distance 16) or v_permlane32_swap (32).

    The first one's odd rows of `distance` lanes change places with the second one's even rows.
    """
    import numpy as np

    lanes = np.arange(len(first))
    odd = (lanes & distance).astype(bool)
    first_out, second_out = first.copy(), second.copy()
    first_out[odd] = second[lanes[odd] ^ distance]
    second_out[~odd] = first[lanes[~odd] ^ distance]
    return first_out, second_out
