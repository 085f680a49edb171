"""Operations that contradict their definition: counts, properties, types and regions."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from weft.errors import VerifyError
from weft.ir import tt, types
from weft.ir.builtin import ModuleOp
from weft.ir.definition_verifier import (
    NestedVerifyException,
    has_properties,
    operand_groups,
    verify_definition,
)
from weft.ir.enums import ProgramDim
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.ir.verifier import verify

LOAD = (
    "tt.func @f(%p: tensor<4x!tt.ptr<f32>>, %m: tensor<4xi1>) {\n"
    "%v = tt.load %p, %m : tensor<4x!tt.ptr<f32>>\ntt.return\n}"
)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ('"tt.return"(%x) ({}) : (i32) -> ()', "requires zero regions"),
        ('%r = "tt.get_program_id"(%x) <{axis = 0 : i32}> : (i32) -> i32', "zero operands"),
        ('%r = "arith.addi"(%x) : (i32) -> i32', "expected 2 operands, but found 1"),
        ('"arith.addi"(%x, %x) : (i32, i32) -> ()', "requires one result, but found 0"),
        ('%r = "tt.expand_dims"(%x) : (i32) -> i32', "requires attribute 'axis'"),
        ('%r = "tt.addptr"(%x, %x) : (i32, i32) -> i32', "operand #0 must be ptr or ranked"),
        (
            '"ttng.tmem_load"(%x) <{resultSegmentSizes = array<i64: 0, 0, 0>}> : (i32) -> ()',
            "attribute 'resultSegmentSizes' must be an i32 dense array attribute",
        ),
        (
            '%r = "tt.trans"(%x) <{order = array<i64: 0>}> : (i32) -> i32',
            "attribute 'order' failed to satisfy constraint: i32 dense array attribute",
        ),
        ('"scf.while"() ({}, {}) : () -> ()', "region #0 ('before') failed to verify constraint"),
    ],
)
def test_a_definition_is_violated(operation: str, message: str) -> None:
    module = parse_module(f"module {{\ntt.func @f(%x: i32) {{\n{operation}\ntt.return\n}}\n}}")
    with pytest.raises(VerifyError) as caught:
        verify(module)
    assert message in caught.value.message


def test_operands_belong_to_the_names_of_the_definition() -> None:
    module = parse_module(LOAD)
    (load,) = (op for op in walk(module) if isinstance(op, tt.LoadOp))
    groups = operand_groups(load)
    assert {name: len(values) for name, values in groups.items()} == {
        "ptr": 1,
        "mask": 1,
        "other": 0,
    }


def test_a_property_that_is_not_declared() -> None:
    op = tt.GetProgramIdOp.create(
        properties={"axis": ProgramDim.X.attr(), "no": ProgramDim.X.attr()},
        result_types=[types.i32],
    )
    with pytest.raises(VerifyException, match="has no property 'no'"):
        verify_definition(op)


def test_operations_with_properties() -> None:
    # tt.store has optional operands, whose groups have sizes.
    assert [has_properties(cls) for cls in (tt.GetProgramIdOp, tt.StoreOp, tt.AddPtrOp)] == [
        True,
        True,
        False,
    ]


def test_an_exception_names_the_operation_that_is_wrong() -> None:
    module = ModuleOp([])
    assert NestedVerifyException(module, "wrong").op is module
