"""Encodings before and after two numbers per byte are unpacked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import LayoutError
from weft.layouts import (
    AmdMfmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
)
from weft.layouts.fp4_packing import infer_pack, infer_unpack

ROWS = BlockedEncoding((1, 4), (4, 8), (4, 1), (1, 0))
MMA = NvidiaMmaEncoding(2, 0, (2, 2), (16, 8))
MFMA = AmdMfmaEncoding(3, (2, 2), (16, 16, 16), True)


def test_along_the_fastest_dimension_a_blocked_encoding_stays_blocked():
    assert infer_unpack(ROWS, (64, 32), 1) is BlockedEncoding((1, 8), (4, 8), (4, 1), (1, 0))
    assert infer_pack(ROWS, (64, 64), 1) is BlockedEncoding((1, 2), (4, 8), (4, 1), (1, 0))


def test_along_k_an_operand_stays_an_operand():
    narrow, wide = DotOperandEncoding(0, MMA, 4), DotOperandEncoding(0, MMA, 8)
    assert infer_unpack(narrow, (64, 32), 1) is wide
    assert infer_pack(wide, (64, 64), 1) is narrow


def test_along_another_dimension_the_answer_is_linear():
    unpacked = infer_unpack(ROWS, (64, 32), 0)
    assert isinstance(unpacked, LinearEncoding)
    assert unpacked.register[0] == (1, 0)
    assert unpacked.lane[-1] == (4, 0)


@given(
    st.sampled_from(
        [ROWS, MMA, SliceEncoding(0, BlockedEncoding((1, 1, 2), (2, 4, 4), (1, 2, 2), (2, 1, 0)))]
    ),
    st.sampled_from([0, 1]),
)
def test_packing_undoes_unpacking(encoding, axis):
    shape = (64, 64)
    doubled = tuple(size * (1 + (dim == axis)) for dim, size in enumerate(shape))
    unpacked = infer_unpack(encoding, shape, axis)
    assert infer_pack(unpacked, doubled, axis).linear(shape) is encoding.linear(shape)


@pytest.mark.parametrize(
    ("encoding", "axis"),
    [
        (BlockedEncoding((1, 1), (4, 8), (4, 1), (1, 0)), 1),
        (DotOperandEncoding(0, MMA, 1), 1),
        (DotOperandEncoding(0, MFMA, 1), 1),
        (ROWS, 0),
        (
            LinearEncoding(
                ((0, 1),), ((0, 3), (0, 4), (0, 8), (0, 16), (0, 32)), ((1, 0), (2, 0)), ()
            ),
            1,
        ),
    ],
)
def test_numbers_of_a_byte_in_two_threads_are_refused(encoding, axis):
    with pytest.raises(LayoutError, match="needs both values of a byte in one thread"):
        infer_pack(encoding, (64, 64) if encoding is not None else (), axis)
