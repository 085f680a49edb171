"""The common type of two operands: the rules, and every pair against Triton."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from weft.errors import TypeMismatchError
from weft.frontend.semantics.type_promotion import arithmetic_type, integer_type
from weft.language.compound_types import str_to_ty

NAMES = (
    "i1 i8 u8 i16 u16 i32 u32 i64 u64 fp8e4nv fp8e5 fp8e4b8 fp8e5b16 fp8e4b15 fp16 bf16 fp32 fp64"
).split()


def promoted(a: str, b: str, *, number_a=False, number_b=False, division=False) -> str:
    try:
        actual = arithmetic_type(
            str_to_ty(a), number_a, str_to_ty(b), number_b, is_division=division
        )
    except TypeMismatchError:
        return "error"
    return actual.name


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("i32", "fp16", "fp16"),
        ("bf16", "i32", "fp32"),
        ("bf16", "bf16", "bf16"),
        ("bf16", "fp16", "fp16"),
        ("i32", "u32", "uint32"),
        ("u8", "i16", "int16"),
        ("fp8e5", "fp8e4nv", "fp16"),
        ("fp64", "fp8e5", "fp64"),
    ],
)
def test_two_values(a, b, expected):
    assert promoted(a, b) == expected


def test_fp16_division_is_fp32():
    assert promoted("fp16", "fp16", division=True) == "fp32"
    assert promoted("bf16", "i32", number_b=True, division=True) == "fp32"


def test_number_takes_the_type_of_the_value():
    assert promoted("i8", "i32", number_b=True) == "int8"
    assert promoted("fp32", "i8", number_a=True) == "fp32"
    assert promoted("i32", "i1", number_a=True) == "int32"


def test_division_of_different_signs():
    with pytest.raises(TypeMismatchError) as caught:
        arithmetic_type(str_to_ty("i32"), False, str_to_ty("u32"), False, is_division=True)
    text = str(caught.value)
    assert "Cannot use /, //, or % with int32 and uint32 because" in text
    assert "found: int32 and uint32" in text
    assert "Cannot use /, //, or % with int32 and uint32 because" in text


def test_fp8_and_integer():
    with pytest.raises(TypeMismatchError, match="an 8-bit float and an integer have no common"):
        arithmetic_type(str_to_ty("fp8e5"), False, str_to_ty("i32"), False, is_division=False)


def test_integer_type_of_a_float():
    with pytest.raises(TypeMismatchError, match="expected integer types"):
        integer_type(str_to_ty("i32"), str_to_ty("fp32"))


@pytest.mark.parametrize(("a", "b"), list(itertools.product(NAMES, NAMES)))
def test_order_matters_only_for_the_sign_rule(a, b):
    assert promoted(a, b) == promoted(b, a)


@pytest.mark.oracle
@pytest.mark.parametrize("division", [False, True])
@pytest.mark.parametrize("numbers", [(False, False), (True, False), (False, True), (True, True)])
def test_every_pair_against_triton(numbers, division):
    pytest.importorskip("triton")
    import triton.language as tl
    from triton.language.semantic import TritonSemantic

    semantic = TritonSemantic(None)
    for a, b in itertools.product(NAMES, NAMES):
        types: Any = (tl.str_to_ty(a, None), tl.str_to_ty(b, None))
        try:
            theirs = semantic.computation_type_impl(
                types[0], numbers[0], types[1], numbers[1], division
            ).name
        except TypeError:
            theirs = "error"
        ours = promoted(a, b, number_a=numbers[0], number_b=numbers[1], division=division)
        assert ours == theirs, (a, b, numbers, division)
