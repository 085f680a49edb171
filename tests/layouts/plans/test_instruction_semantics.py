"""Instructions, against tables written out by hand, and against the maps that plans are made of."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from weft.errors import LayoutError
from weft.layouts.instruction_tiles import TILES, InstructionTile, vector
from weft.layouts.plans import instruction_semantics

NOWHERE = np.zeros((32, 1, 1), int)


def rows(count: int, elements: int, lanes: int) -> np.ndarray:
    """Return addresses of neighbouring rows, of the first lanes."""
    return (np.arange(count) * elements).reshape(-1, 1, 1)[:lanes]


def test_ldmatrix_gives_lane_l_two_elements_of_row_l_over_4() -> None:
    memory = np.arange(64).reshape(64, 1)
    got = instruction_semantics.load_matrices(
        memory, rows(8, 8, 8), NOWHERE[:8], 8, transposed=False
    )
    assert got.shape == (2, 32, 1, 1)
    assert got[:, 0].ravel().tolist() == [0, 1]
    assert got[:, 5].ravel().tolist() == [10, 11]  # row 1, columns 2 and 3
    assert got[:, 31].ravel().tolist() == [62, 63]
    turned = instruction_semantics.load_matrices(
        memory, rows(8, 8, 8), NOWHERE[:8], 8, transposed=True
    )
    assert turned[:, 0].ravel().tolist() == [0, 8]
    assert turned[:, 5].ravel().tolist() == [17, 25]  # rows 2 and 3 of column 1


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("matrices", [1, 2, 4])
def test_stmatrix_undoes_ldmatrix(transposed: bool, matrices: int) -> None:
    memory = np.arange(64 * matrices).reshape(-1, 1)
    count = 8 * matrices
    addresses, homes = rows(count, 8, count), np.zeros((count, 1, 1), int)
    registers = instruction_semantics.load_matrices(memory, addresses, homes, 8, transposed)
    copy = np.zeros_like(memory)
    busy = np.ones((32, 1, 1), bool)
    instruction_semantics.store_matrices(copy, addresses, homes, registers, busy, transposed)
    assert (copy == memory).all()


def test_ds_read_b64_tr_b16_transposes_among_16_lanes() -> None:
    memory = np.arange(256).reshape(-1, 1)
    homes = np.zeros((64, 1, 1), int)
    got = instruction_semantics.load_transposed(
        memory, rows(64, 4, 64), homes, 4, "ds_read_b64_tr_b16"
    )
    # Lanes 0, 4, 8, 12 loaded elements 0, 16, 32, 48; the second of each goes to lane 1.
    assert got[:, 0].ravel().tolist() == [0, 16, 32, 48]
    assert got[:, 1].ravel().tolist() == [1, 17, 33, 49]
    assert got[:, 4].ravel().tolist() == [4, 20, 36, 52]
    assert got[:, 16].ravel().tolist() == [64, 80, 96, 112]


def test_ds_load_tr16_b128_transposes_among_8_lanes() -> None:
    memory = np.arange(256).reshape(-1, 1)
    got = instruction_semantics.load_transposed(
        memory, rows(32, 8, 32), NOWHERE, 8, "ds_load_tr16_b128"
    )
    assert got[:, 0].ravel().tolist() == list(range(0, 64, 8))
    assert got[:, 9].ravel().tolist() == [65 + 8 * row for row in range(8)]


def test_permlane_swaps_halves() -> None:
    first, second = np.arange(64), np.arange(64) + 100
    one, two = instruction_semantics.lane_swap(first, second, 32)
    assert one.tolist() == [*range(32), *range(100, 132)]
    assert two.tolist() == [*range(32, 64), *range(132, 164)]
    one, two = instruction_semantics.lane_swap(first[:32], second[:32], 16)
    assert one.tolist() == [*range(16), *range(100, 116)]


TRANSPOSING = [tile for tiles in TILES.values() for tile in tiles if tile.name.startswith("ds_")]
MATRICES = [tile for tiles in TILES.values() for tile in tiles if tile.grows]


def by_map(tile: InstructionTile, lanes: int) -> np.ndarray:
    """Return [register, lane] -> element, where row a holds elements from a * its length."""
    row = 1 << len(tile.offset)
    out = np.zeros((1 << tile.registers, lanes), int)
    for register, lane in itertools.product(range(len(out)), range(lanes)):
        value = {"r": register, "l": lane}
        bits = [value[slot[0]] >> int(slot[1:]) & 1 for slot in (*tile.offset, *tile.address)]
        offset = sum(bit << place for place, bit in enumerate(bits[: len(tile.offset)]))
        address = sum(bit << place for place, bit in enumerate(bits[len(tile.offset) :]))
        out[register, lane] = address * row + offset
    return out


@pytest.mark.parametrize("tile", TRANSPOSING, ids=lambda tile: tile.name)
def test_maps_of_transposing_loads(tile: InstructionTile) -> None:
    row, lanes = 1 << len(tile.offset), 64 if tile.name.startswith("ds_read") else 32
    memory = np.arange(row * lanes).reshape(-1, 1)
    homes = np.zeros((lanes, 1, 1), int)
    got = instruction_semantics.load_transposed(
        memory, rows(lanes, row, lanes), homes, row, tile.name
    )
    assert (got[..., 0, 0] == by_map(tile, lanes)).all()
    assert row * tile.element_bits[0] == tile.bits


@pytest.mark.parametrize("tile", MATRICES, ids=lambda tile: f"{tile.name}-{tile.element_bits[0]}")
def test_maps_of_matrices(tile: InstructionTile) -> None:
    row = 1 << len(tile.offset)
    memory = np.arange(8 * row).reshape(-1, 1)
    trans = tile.name.endswith("trans")
    got = instruction_semantics.load_matrices(memory, rows(8, row, 8), NOWHERE[:8], row, trans)
    assert (got[..., 0, 0] == by_map(tile, 32)).all()
    assert row * tile.element_bits[0] == tile.bits == 128


def test_names_of_plain_ones() -> None:
    tile = vector("write", 16, 8, 64)
    assert (tile.name, tile.bits, tile.is_plain, tile.registers) == ("store b128", 128, True, 3)
    assert tile.address == ("l0", "l1", "l2", "l3", "l4", "l5")


def test_refuses_what_is_not_aligned() -> None:
    with pytest.raises(LayoutError) as caught:
        instruction_semantics.load(np.zeros((8, 1)), NOWHERE + 2, NOWHERE, 4)
    assert "an access of 4 elements must be aligned" in str(caught.value)
