"""Which registers reach tensor memory as they lie."""

from __future__ import annotations

import pytest

from weft.layouts import BlockedEncoding, LinearEncoding, TensorMemoryEncoding
from weft.layouts.tensor_memory import is_tensor_memory_compatible

WHOLE = TensorMemoryEncoding.from_fields({"blockM": 128, "blockN": 64, "colStride": 1})
HALF = TensorMemoryEncoding.from_fields({"blockM": 64, "blockN": 64, "colStride": 1})
COLUMNS = ((0, 1), (0, 2), (0, 4), (0, 8), (0, 16))
ROWS = ((1, 0), (2, 0), (4, 0), (8, 0))
BY_ROW = LinearEncoding((*COLUMNS, (0, 32)), (*ROWS, (16, 0)), ((32, 0), (64, 0)), ())
EIGHT_WARPS = LinearEncoding(COLUMNS, (*ROWS, (0, 32)), ((32, 0), (64, 0), (16, 0)), ())
SIXTEEN_ROWS = LinearEncoding(COLUMNS, (*ROWS, (0, 32)), ((16, 0), (32, 0)), ())


@pytest.mark.parametrize(
    ("registers", "memory", "shape", "bits"),
    [
        (BY_ROW, WHOLE, (128, 64), 32),
        (BY_ROW, WHOLE, (128, 64), 16),
        (EIGHT_WARPS, WHOLE, (128, 64), 32),
        (SIXTEEN_ROWS, HALF, (64, 64), 32),
    ],
)
def test_a_lane_for_each_row_or_two(registers, memory, shape, bits):
    assert is_tensor_memory_compatible(registers, memory, shape, bits)


@pytest.mark.parametrize(
    ("registers", "bits"),
    [
        (BlockedEncoding((1, 8), (4, 8), (4, 1), (1, 0)), 32),
        # a lane's row is moved along with a column
        (LinearEncoding((*COLUMNS, (0, 32)), (*ROWS, (16, 1)), ((32, 0), (64, 0)), ()), 32),
        # warps at rows that are not theirs
        (LinearEncoding((*COLUMNS, (0, 32)), (*ROWS, (16, 0)), ((64, 0), (32, 0)), ()), 32),
        # halves of a word in registers that are not neighbours
        (LinearEncoding(((0, 2), (0, 1), *COLUMNS[2:], (0, 32)), (*ROWS, (16, 0)),
                        ((32, 0), (64, 0)), ()), 16),
    ],
)  # fmt: skip
def test_incompatible_layouts(registers, bits):
    assert not is_tensor_memory_compatible(registers, WHOLE, (128, 64), bits)


def test_a_buffer_of_another_shape_does_not_fit():
    assert not is_tensor_memory_compatible(BY_ROW, HALF, (128, 32), 32)
