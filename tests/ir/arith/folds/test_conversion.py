"""The folds of conversions: constants, and conversions that undo each other."""

from __future__ import annotations

import pytest

from tests.ir.folding import FLOATS, fold

X = "%arg0"
ARGUMENTS = "%arg0: i16, %arg1: i32, %arg2: f16"


@pytest.mark.parametrize(
    ("value", "conversion", "expected"),
    [
        ("-1 : i8", "extui {} : i8 to i32", "255 : i32"),
        ("-1 : i8", "extsi {} : i8 to i32", "-1 : i32"),
        ("true", "extui {} : i1 to i32", "1 : i32"),
        ("true", "extsi {} : i1 to i32", "-1 : i32"),
        ("511 : i32", "trunci {} : i32 to i8", "-1 : i8"),
        ("1.5 : f16", "extf {} : f16 to f32", "1.500000e+00 : f32"),
        ("1.5 : f32", "truncf {} : f32 to f16", "1.500000e+00 : f16"),
        ("0.1 : f32", "truncf {} : f32 to f16", None),
        ("0x7FC00000 : f32", "truncf {} : f32 to f16", "0x7E00 : f16"),
        ("-2 : i32", "sitofp {} : i32 to f32", "-2.000000e+00 : f32"),
        ("-1 : i8", "uitofp {} : i8 to f32", "2.550000e+02 : f32"),
        ("-2.7 : f32", "fptosi {} : f32 to i32", "-2 : i32"),
        ("2.7 : f32", "fptoui {} : f32 to i32", "2 : i32"),
        ("127.5 : f32", "fptosi {} : f32 to i8", "127 : i8"),
        ("128.0 : f32", "fptosi {} : f32 to i8", None),
        ("-128.0 : f32", "fptosi {} : f32 to i8", "-128 : i8"),
        ("-129.0 : f32", "fptosi {} : f32 to i8", None),
        ("255.0 : f32", "fptoui {} : f32 to i8", "-1 : i8"),
        ("256.0 : f32", "fptoui {} : f32 to i8", None),
        ("-1.0 : f32", "fptoui {} : f32 to i8", None),
        ("0x7FC00000 : f32", "fptosi {} : f32 to i32", None),
        ("0x7F800000 : f32", "fptosi {} : f32 to i32", None),
        ("1.0 : f32", "bitcast {} : f32 to i32", "1065353216 : i32"),
        ("1065353216 : i32", "bitcast {} : i32 to f32", "1.000000e+00 : f32"),
        ("15360 : i16", "bitcast {} : i16 to f16", "1.000000e+00 : f16"),
        ("16256 : i16", "bitcast {} : i16 to bf16", None),
        ("5 : i32", "index_cast {} : i32 to index", "5 : index"),
        (
            "dense<1.0> : tensor<4xf32>",
            "bitcast {} : tensor<4xf32> to tensor<4xi32>",
            "dense<1065353216> : tensor<4xi32>",
        ),
    ],
)
def test_constants(value: str, conversion: str, expected: str | None) -> None:
    body = f"%k = arith.constant {value}\n%r = arith.{conversion.format('%k')}"
    assert fold(body) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("extsi %arg0 : i16 to i64", "trunci %a : i64 to i16", X),
        ("extui %arg0 : i16 to i64", "trunci %a : i64 to i16", X),
        ("extsi %arg1 : i32 to i64", "trunci %a : i64 to i16", "arith.trunci %arg1 : i32 to i16"),
        ("extsi %arg0 : i16 to i64", "trunci %a : i64 to i32", None),
        ("trunci %arg1 : i32 to i16", "trunci %a : i16 to i8", "arith.trunci %arg1 : i32 to i8"),
        ("extui %arg0 : i16 to i32", "extui %a : i32 to i64", "arith.extui %arg0 : i16 to i64"),
        ("extsi %arg0 : i16 to i32", "extsi %a : i32 to i64", "arith.extsi %arg0 : i16 to i64"),
        ("extsi %arg0 : i16 to i32", "extui %a : i32 to i64", None),
        ("extui %arg0 : i16 to i32", "extsi %a : i32 to i64", None),
        ("extf %arg2 : f16 to f32", "truncf %a : f32 to f16", "%arg2"),
        ("extf %arg2 : f16 to f32", "truncf %a : f32 to bf16", None),
        ("index_cast %arg1 : i32 to index", "index_cast %a : index to i32", "%arg1"),
        ("index_cast %arg1 : i32 to index", "index_cast %a : index to i64", None),
    ],
)
def test_conversions_of_conversions(first: str, second: str, expected: str | None) -> None:
    assert fold(f"%a = arith.{first}\n%r = arith.{second}", ARGUMENTS) == expected


def test_a_bitcast_to_the_same_type() -> None:
    assert fold("%r = arith.bitcast %arg0 : f32 to f32", FLOATS) == X
    assert fold("%r = arith.bitcast %arg0 : f32 to i32", FLOATS) is None
