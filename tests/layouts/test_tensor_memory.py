"""Registers that access tensor memory without a conversion, and the part of one CTA."""

from __future__ import annotations

import pytest

from weft.layouts import BlockedEncoding, LinearEncoding, TensorMemoryEncoding
from weft.layouts.plans.tensor_memory import plan_tensor_memory_access
from weft.layouts.tensor_memory import (
    is_tensor_memory_compatible,
    tensor_memory_16x256b_encoding,
    tensor_memory_of_cta,
    tensor_memory_register_encoding,
)

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


def registers_of(memory, shape, bits, warps=4):
    return tensor_memory_16x256b_encoding(tensor_memory_of_cta(memory, shape), bits, warps)


@pytest.mark.parametrize("warps", [4, 8, 16])
@pytest.mark.parametrize(
    ("memory", "shape", "bits"),
    [
        (TensorMemoryEncoding(128, 64, 1), (128, 64), 32),
        (TensorMemoryEncoding(128, 64, 1), (128, 64), 16),
        (TensorMemoryEncoding(128, 64, 1), (128, 64), 8),
        (TensorMemoryEncoding(128, 64, 2), (128, 64), 16),
        (TensorMemoryEncoding(64, 64, 1), (64, 64), 32),
        (TensorMemoryEncoding(64, 32, 1), (128, 64), 32),
        (TensorMemoryEncoding(128, 32, 1), (256, 32), 32),
    ],
    ids=str,
)
def test_the_instruction_moves_the_layout(memory, shape, bits, warps):
    registers = registers_of(memory, shape, bits, warps)
    assert plan_tensor_memory_access(registers, memory, shape, bits).shape == "16x256b"


def test_halves_of_a_register_are_narrower_by_half():
    # Two columns of 32 bits with 8 bits each share a register, so four lanes reach four columns.
    memory, shape = TensorMemoryEncoding(128, 64, 4), (128, 64)
    plan = plan_tensor_memory_access(registers_of(memory, shape, 8), memory, shape, 8)
    assert plan.packs_columns
    assert plan.shape == "16x128b"


def test_a_narrow_memory_has_no_such_layout():
    assert registers_of(TensorMemoryEncoding(128, 4, 1), (128, 4), 32) is None
    assert registers_of(TensorMemoryEncoding(128, 8, 1), (128, 8), 16) is None
    assert registers_of(TensorMemoryEncoding(128, 8, 1), (128, 8), 32) is not None


def test_warps_without_a_column_repeat_others():
    registers = registers_of(TensorMemoryEncoding(128, 8, 1), (128, 8), 32, warps=16)
    assert registers is not None
    assert registers.warp == ((32, 0), (64, 0), (16, 0), (0, 0))


def test_the_part_of_a_cta_has_no_columns_of_others():
    whole = TensorMemoryEncoding(128, 32, 1, 2, 2)
    part = tensor_memory_of_cta(whole, (256, 64))
    assert part == TensorMemoryEncoding(128, 32, 1).linear((128, 32))


def test_a_pair_of_ctas_shares_a_block():
    # The upper 64 rows of a CTA's memory hold the upper half of the columns.
    part = tensor_memory_of_cta(TensorMemoryEncoding(64, 32, 1, 2, 1, True), (128, 32))
    assert part.bases["row"][-1] == [0, 16]
    assert tensor_memory_register_encoding(part, 4).warp == ((32, 0), (0, 16))
