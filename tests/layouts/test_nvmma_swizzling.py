"""Exchanges of rows in shared memory, and the registers that reach tensor memory."""

from __future__ import annotations

import pytest

from weft.layouts import TensorMemoryEncoding, TensorMemoryScalesEncoding
from weft.layouts.nvmma_swizzling import nvmma_shared_encoding, swizzle_bytes
from weft.layouts.tensor_memory import tensor_memory_register_encoding


@pytest.mark.parametrize(
    ("shape", "order", "bits", "padded", "width"),
    [
        ((128, 64), (1, 0), 16, False, 128),
        ((128, 32), (1, 0), 16, False, 64),
        ((128, 16), (1, 0), 16, False, 32),
        ((128, 8), (1, 0), 16, False, 0),
        ((64, 128), (0, 1), 16, False, 128),
        ((4, 64), (1, 0), 16, False, 0),
        ((1, 8, 64), (2, 1, 0), 16, False, 128),
        ((128, 32), (1, 0), 8, True, 64),
        ((256,), (0,), 16, False, 0),
    ],
)
def test_the_width_of_the_exchange(shape, order, bits, padded, width):
    assert swizzle_bytes(shape, order, bits, padded) == width


def test_a_tile_in_shared_memory():
    tile = nvmma_shared_encoding((64, 128), (0, 1), 16)
    assert (tile.swizzling_byte_width, tile.transposed, tile.rank) == (128, True, 2)


def rows_and_columns(shape, block_m, block_n, warps):
    memory = TensorMemoryEncoding(block_m, block_n, 1).linear(shape)
    return tensor_memory_register_encoding(memory, warps)


def test_a_lane_has_a_row():
    result = rows_and_columns((128, 64), 128, 64, 4)
    assert result.lane == ((1, 0), (2, 0), (4, 0), (8, 0), (16, 0))
    assert result.warp == ((32, 0), (64, 0))
    assert result.register == tuple((0, 1 << bit) for bit in range(6))


def test_eight_warps_halve_the_columns_or_take_the_second_rows():
    assert rows_and_columns((128, 64), 128, 64, 8).warp[-1] == (0, 32)
    assert rows_and_columns((256, 64), 128, 64, 8).warp[-1] == (128, 0)


def test_half_of_the_lanes_take_columns_where_rows_are_empty():
    assert rows_and_columns((64, 64), 64, 64, 4).lane[-1] == (0, 32)
    assert rows_and_columns((64, 64), 64, 64, 8).lane[-1] == (0, 16)


def test_scales_are_held_by_every_warp():
    memory = TensorMemoryScalesEncoding().linear((128, 4))
    assert tensor_memory_register_encoding(memory, 4).warp == ((0, 0), (0, 0))
