"""The folds of tt: splats, reshapes, transpositions and offsets of zero."""

from __future__ import annotations

import pytest

from tests.ir.folding import fold

ARGUMENTS = (
    "%arg0: tensor<4x8xi32>, %arg1: !tt.ptr<f32>, %arg2: i32, %arg3: tensor<2x3x4xi32>, "
    "%arg4: f32, %arg5: !tt.ptr<tensor<4x8xi32>>"
)
FIVE = "%k = arith.constant dense<5> : tensor<4x8xi32>\n"
LIST = "%k = arith.constant dense<[[1, 2]]> : tensor<1x2xi32>\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "%k = arith.constant 5 : i32\n%r = tt.splat %k : i32 -> tensor<64xi32>",
            "dense<5> : tensor<64xi32>",
        ),
        ("%r = tt.splat %arg2 : i32 -> tensor<64xi32>", None),
        ("%r = tt.broadcast %arg0 : tensor<4x8xi32> -> tensor<4x8xi32>", "%arg0"),
        (
            "%k = arith.constant dense<5> : tensor<4x1xi32>\n"
            "%r = tt.broadcast %k : tensor<4x1xi32> -> tensor<4x8xi32>",
            "dense<5> : tensor<4x8xi32>",
        ),
        (
            f"{FIVE}%r = tt.expand_dims %k {{axis = 1 : i32}} : "
            "tensor<4x8xi32> -> tensor<4x1x8xi32>",
            "dense<5> : tensor<4x1x8xi32>",
        ),
        (
            f"{LIST}%r = tt.expand_dims %k {{axis = 0 : i32}} : "
            "tensor<1x2xi32> -> tensor<1x1x2xi32>",
            None,
        ),
        ("%r = tt.reshape %arg0 : tensor<4x8xi32> -> tensor<4x8xi32>", "%arg0"),
        ("%r = tt.reshape %arg0 allow_reorder : tensor<4x8xi32> -> tensor<4x8xi32>", None),
        ("%r = tt.reshape %arg0 : tensor<4x8xi32> -> tensor<32xi32>", None),
        (
            f"{FIVE}%r = tt.reshape %k : tensor<4x8xi32> -> tensor<32xi32>",
            "dense<5> : tensor<32xi32>",
        ),
        (
            "%r = tt.trans %arg0 {order = array<i32: 0, 1>} : tensor<4x8xi32> -> tensor<4x8xi32>",
            "%arg0",
        ),
        (
            "%r = tt.trans %arg0 {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>",
            None,
        ),
        (
            f"{FIVE}%r = tt.trans %k {{order = array<i32: 1, 0>}} : "
            "tensor<4x8xi32> -> tensor<8x4xi32>",
            "dense<5> : tensor<8x4xi32>",
        ),
        # Axis i of the result is axis order[i] of the operand.
        (
            "%t = tt.trans %arg3 {order = array<i32: 2, 0, 1>} : "
            "tensor<2x3x4xi32> -> tensor<4x2x3xi32>\n"
            "%r = tt.trans %t {order = array<i32: 0, 2, 1>} : "
            "tensor<4x2x3xi32> -> tensor<4x3x2xi32>",
            "tt.trans %arg3 {order = array<i32: 2, 1, 0>} : tensor<2x3x4xi32> -> tensor<4x3x2xi32>",
        ),
        ("%z = arith.constant 0 : i32\n%r = tt.addptr %arg1, %z : !tt.ptr<f32>, i32", "%arg1"),
        ("%z = arith.constant 1 : i32\n%r = tt.addptr %arg1, %z : !tt.ptr<f32>, i32", None),
        ("%r = tt.addptr %arg1, %arg2 : !tt.ptr<f32>, i32", None),
        (
            "%r = tt.make_range {end = 6 : i32, start = 5 : i32} : tensor<1xi32>",
            "dense<5> : tensor<1xi32>",
        ),
        ("%r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>", None),
        (
            "%z = arith.constant 0 : i32\n"
            "%r = tt.advance %arg5, [%z, %z] : !tt.ptr<tensor<4x8xi32>>",
            "%arg5",
        ),
        (
            "%z = arith.constant 0 : i32\n"
            "%r = tt.advance %arg5, [%z, %arg2] : !tt.ptr<tensor<4x8xi32>>",
            None,
        ),
    ],
)
def test_folds(body: str, expected: str | None) -> None:
    assert fold(body, ARGUMENTS) == expected


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        ("0.0", "f8E5M2", "0.000000e+00 : f8E5M2"),
        ("-0.0", "f8E5M2", "-0.000000e+00 : f8E5M2"),
        ("-0.0", "f8E4M3FNUZ", "0.000000e+00 : f8E4M3FNUZ"),
        ("-0.0", "f8E5M2FNUZ", "0.000000e+00 : f8E5M2FNUZ"),
        ("1.0", "f8E5M2", None),
    ],
)
def test_only_zeros_are_converted(value: str, type_: str, expected: str | None) -> None:
    body = (
        f"%k = arith.constant {value} : f32\n%r = tt.fp_to_fp %k, rounding = rtne : f32 -> {type_}"
    )
    assert fold(body) == expected


def test_a_conversion_to_the_same_type() -> None:
    body = "%r = tt.fp_to_fp %arg4, rounding = rtne : f32 -> f32"
    assert fold(body, ARGUMENTS) == "%arg4"
    assert fold("%r = tt.fp_to_fp %arg4, rounding = rtne : f32 -> f16", ARGUMENTS) is None
