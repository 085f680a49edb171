"""Scales of tcgen05.mma in tensor memory."""

from __future__ import annotations

import numpy as np
import pytest

from weft.errors import CodegenError
from weft.simulator.matrix.tcgen05_mma_scaled import _read_scales


class Memory:
    """Tensor memory of 128 rows and four columns."""

    def __init__(self, words: np.ndarray) -> None:
        self.words = words

    def read(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return self.words[rows, columns]


def test_scales_of_four_equal_replicas():
    words = np.tile(np.full((32, 4), 0x7F7F7F7F, np.uint32), (4, 1))
    assert (_read_scales(Memory(words), 0, 32, 0, 2, is_e8m0=True) == np.ones((32, 2))).all()  # pyright: ignore[reportArgumentType]


def test_replicas_that_differ_are_an_error():
    words = np.tile(np.full((32, 4), 0x7F7F7F7F, np.uint32), (4, 1))
    words[32, 0] = 0
    with pytest.raises(CodegenError, match="the four replicas of the scales in tensor memory"):
        _read_scales(Memory(words), 0, 32, 0, 2, is_e8m0=True)  # pyright: ignore[reportArgumentType]
