"""Tiles of matrix descriptors: addresses, swizzle modes and bounds."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.matrix.shared_tiles import read_tile, tile_places
from weft.simulator.memory.memory import Memory

F16 = np.dtype(np.float16)


def test_a_k_major_tile_without_swizzle():
    # Strides of 128 bytes: core matrices of 8 rows of 16 bytes follow each other.
    descriptor = 8 << 16 | 16 << 32
    places = tile_places(descriptor, 16, 16, 2, mn_major=False)
    assert places[1, 0, 0] == 16
    assert places[0, 8, 0] == 128
    assert places[8, 0, 0] == 256


def test_an_unsupported_swizzle_mode():
    with pytest.raises(CodegenError, match="does not support this swizzle mode"):
        tile_places(1 << 61, 8, 8, 2, mn_major=False)


def test_a_tile_outside_of_shared_memory():
    with pytest.raises(CodegenError, match="reads outside of shared memory"):
        read_tile(Memory.shared(64), 8 << 32, 16, 8, F16, mn_major=False)
