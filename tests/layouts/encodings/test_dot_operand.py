"""Operands of dots: laws for every parent, and Triton's layouts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.layouts.encodings.matrix_cases import (
    Case,
    check_covers,
    check_like_triton,
    operand_cases,
)
from tests.layouts.strategies import blocked, shapes
from weft.errors import LayoutError
from weft.layouts import BlockedEncoding, DotOperandEncoding, LinearEncoding


@given(operand_cases())
def test_operands_hold_every_element(case: Case) -> None:
    check_covers(case)


@given(operand_cases())
def test_warps_share_k(case: Case) -> None:
    encoding, shape = case
    assert isinstance(encoding, DotOperandEncoding)
    k = len(shape) - 1 - encoding.op_idx
    assert all(vector[k] == 0 for vector in encoding.linear(shape).bases["warp"])


@given(st.data())
def test_threads_of_an_fma_dot_hold_all_of_k(data: st.DataObject) -> None:
    parent, shape, op_idx = (
        data.draw(blocked(2)),
        data.draw(shapes(2)),
        data.draw(st.integers(0, 1)),
    )
    k = 1 - op_idx
    layout = DotOperandEncoding(op_idx, parent).linear(shape)
    in_registers = {vector[k] for vector in layout.bases["register"]}
    assert {1 << bit for bit in range(shape[k].bit_length() - 1)} <= in_registers
    for name in ("lane", "warp", "block"):
        assert all(vector[k] == 0 for vector in layout.bases[name])


def test_other_encodings_have_no_operands() -> None:
    linear = LinearEncoding(((1, 0),), (), (), ())
    with pytest.raises(LayoutError, match="is not the encoding of a dot's result"):
        linear.operand_layout(0, 4, (2, 1))
    parent = BlockedEncoding((1, 1), (4, 8), (1, 1), (1, 0))
    assert DotOperandEncoding(0, parent).linear((4, 8)) is parent.operand_layout(0, 0, (4, 8))


@pytest.mark.oracle
@given(operand_cases())
def test_as_triton(case: Case) -> None:
    check_like_triton(case)
