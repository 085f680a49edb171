"""Traits on the types of operands and results, on operations that have them."""

from __future__ import annotations

import pytest

from weft.errors import VerifyError
from weft.ir.text import parse_module
from weft.ir.verifier import verify


def refusal(arguments: str, body: str) -> str:
    """Verify an invalid function and return the message."""
    module = parse_module(f"module {{\ntt.func @f({arguments}) {{\n{body}\ntt.return\n}}\n}}")
    with pytest.raises(VerifyError) as caught:
        verify(module)
    return caught.value.message


@pytest.mark.parametrize(
    ("arguments", "body", "message"),
    [
        (
            "%a: tensor<4xf32>, %b: tensor<4xf16>",
            '%r = "tt.precise_divf"(%a, %b) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>',
            "requires the same type for all operands and results",
        ),
        (
            "%a: tensor<4xf32>, %b: tensor<8xf32>",
            '%r = "tt.cat"(%a, %b) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32>',
            "requires all operands to have the same type",
        ),
        (
            "%a: f32",
            '%r = "tt.splat"(%a) : (f32) -> tensor<4xf16>',
            "requires the same element type for all operands and results",
        ),
        (
            "%a: tensor<4xi32>",
            '%r = "tt.bitcast"(%a) : (tensor<4xi32>) -> f32',
            "if an operand is non-scalar, then there must be at least one non-scalar result",
        ),
        (
            "%a: i32",
            '%r = "tt.bitcast"(%a) : (i32) -> tensor<4xf32>',
            "if a result is non-scalar, then at least one operand must be non-scalar",
        ),
        (
            "%p: tensor<4x!tt.ptr<f32>>",
            '%r = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : '
            "(tensor<4x!tt.ptr<f32>>) -> tensor<8xf32>",
            "failed to verify that result matches ptr type",
        ),
        (
            "%p: tensor<4x!tt.ptr<f32>>, %v: tensor<4xf32>, %m: tensor<8xi1>",
            '"tt.store"(%p, %v, %m) : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<8xi1>) -> ()',
            "failed to verify that mask type matches ptr type",
        ),
    ],
)
def test_a_trait_is_violated(arguments: str, body: str, message: str) -> None:
    assert message in refusal(arguments, body)


def test_a_tensor_without_an_encoding_agrees_with_every_encoding() -> None:
    encoding = (
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
    )
    verify(
        parse_module(
            'module attributes {"ttg.num-warps" = 4 : i32} {\n'
            f"tt.func @f(%a: tensor<128xi32, {encoding}>) {{\n"
            f"%r = tt.bitcast %a : tensor<128xi32, {encoding}> -> tensor<128xf32>\n"
            "tt.return\n}\n}"
        )
    )


def test_a_terminator_has_a_parent_of_its_own() -> None:
    text = "module {\ntt.func @f() {\nscf.yield\n}\n}"
    with pytest.raises(VerifyError, match="expects parent op to be one of"):
        verify(parse_module(text))
