"""Constraints on operand types, and the errors of operations that violate them."""

from __future__ import annotations

import pytest
from xdsl.irdl import AttrConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from weft.errors import VerifyError
from weft.ir import types
from weft.ir.builtin import Attribute
from weft.ir.text import parse_module
from weft.ir.type_constraints import (
    FP_INT_TENSOR,
    I1,
    I32_TENSOR,
    POINTER_TENSOR,
    TENSOR,
    TypeConstraint,
)
from weft.ir.verifier import verify

BUFFER = "!ttg.memdesc<1xi64, #shared, #smem, mutable>"


@pytest.mark.parametrize(
    ("constraint", "accepted", "rejected", "description"),
    [
        (I1, types.i1, types.i8, "1-bit signless integer"),
        (I32_TENSOR, types.tensor((4,), types.i32), types.i32, "ranked tensor of 32-bit signless"),
        (
            FP_INT_TENSOR,
            types.tensor((4,), types.f8E5M2),
            types.tensor((4,), types.pointer(types.f16)),
            "ranked tensor of floating-point or integer values",
        ),
        (
            POINTER_TENSOR,
            types.tensor((4,), types.pointer(types.f16)),
            types.pointer(types.f16),
            "ranked tensor of ptr values",
        ),
        (TENSOR, types.tensor((4,), types.i4), types.tensor((4,), types.index), "integer or ptr"),
    ],
)
def test_constraints(
    constraint: TypeConstraint, accepted: Attribute, rejected: Attribute, description: str
) -> None:
    constraint.verify(accepted, VerificationContext())
    with pytest.raises(VerifyException, match=f"must be .*{description}.*, but got"):
        constraint.verify(rejected, VerificationContext())
    mapped: AttrConstraint[Attribute] = constraint.mapping_type_vars({})
    assert mapped is constraint


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            f'"ttng.wait_barrier"(%b, %j) {{operandSegmentSizes = array<i32: 1, 1, 0, 0>}} : '
            f"({BUFFER}, i64) -> ()",
            "operand #1 must be 32-bit signless integer, but got 'i64'",
        ),
        (
            f'"ttng.wait_barrier"(%b, %i, %j) {{operandSegmentSizes = array<i32: 1, 1, 0, 1>}} : '
            f"({BUFFER}, i32, i64) -> ()",
            "operand #2 must be variadic of memory descriptor type",
        ),
        (
            f'"ttng.arrive_barrier"(%b, %j) {{count = 1 : i32}} : ({BUFFER}, i64) -> ()',
            "operand #1 must be 1-bit signless integer, but got 'i64'",
        ),
        (
            f'"ttng.wait_barrier"(%b, %i) {{operandSegmentSizes = array<i32: 1, 1, 0, 1>}} : '
            f"({BUFFER}, i32) -> ()",
            "operand count (2) does not match with the total size (3)",
        ),
        (f'"ttng.init_barrier"(%b) : ({BUFFER}) -> ()', "requires attribute 'count'"),
        (
            f'"ttng.init_barrier"(%b) {{count = 1 : i8}} : ({BUFFER}) -> ()',
            "attribute 'count' failed to satisfy constraint: 32-bit signless integer attribute",
        ),
    ],
)
def test_a_violated_declaration_has_mlirs_words(operation: str, message: str) -> None:
    text = (
        "#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
        "#smem = #ttg.shared_memory\n"
        'module attributes {"ttg.num-warps" = 4 : i32} {\n'
        f"tt.func @f(%b: {BUFFER}, %i: i32, %j: i64) {{\n{operation}\ntt.return\n}}\n}}"
    )
    with pytest.raises(VerifyError) as error:
        verify(parse_module(text, "f.mlir"))
    assert message in error.value.message
    assert error.value.location is not None
    assert error.value.location.line == 5
