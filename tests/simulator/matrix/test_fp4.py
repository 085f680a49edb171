"""Unpacking of fp4."""

from __future__ import annotations

import numpy as np

from weft.simulator.matrix.fp4 import unpack_fp4


def test_the_first_element_is_in_the_low_bits():
    raw = np.array([[0x21, 0x7F]], np.uint8)
    assert unpack_fp4(raw).tolist() == [[0.5, 1.0, -6.0, 6.0]]
