"""The folds of math on constants."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.ir.folding import apply, fold

INF, MINUS_INF, NAN = "0x7F800000", "0xFF800000", "0x7FC00000"


@pytest.mark.parametrize(
    ("name", "operand", "expected"),
    [
        ("absf", -1.5, "1.500000e+00"), ("absf", MINUS_INF, INF), ("absf", -0.0, "0.000000e+00"),
        ("floor", 1.5, "1.000000e+00"), ("floor", -1.5, "-2.000000e+00"), ("floor", NAN, NAN),
        ("floor", -0.0, "-0.000000e+00"), ("floor", 0.5, "0.000000e+00"),
        ("floor", MINUS_INF, MINUS_INF),
        ("ceil", 1.5, "2.000000e+00"), ("ceil", -0.5, "-0.000000e+00"), ("ceil", INF, INF),
        ("exp", 0.0, "1.000000e+00"), ("exp", 1000.0, INF), ("exp", -1000.0, "0.000000e+00"),
        ("exp2", 3.0, "8.000000e+00"), ("exp2", 5000.0, INF),
        ("log", 1.0, "0.000000e+00"), ("log", 0.0, None), ("log", -1.0, None),
        ("log2", 8.0, "3.000000e+00"), ("log2", 0.0, None),
        ("sqrt", 4.0, "2.000000e+00"), ("sqrt", -4.0, None), ("sqrt", -0.0, None),
        ("sqrt", 0.0, "0.000000e+00"), ("sin", INF, None),
        ("tanh", 0.0, "0.000000e+00"), ("erf", 0.0, "0.000000e+00"),
        ("absf", "%arg0", None), ("rsqrt", None, None),
    ],
)  # fmt: skip
def test_special_values(name: str, operand: str | float | None, expected: str | None) -> None:
    if operand is None:
        with pytest.raises(KeyError):  # an operation without a fold
            fold(apply(f"math.{name}", 4.0, type_="f32"))
        return
    folded = fold(apply(f"math.{name}", operand, type_="f32"), "%arg0: f32")
    assert folded == (None if expected is None else f"{expected} : f32")


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("exp", math.exp), ("exp2", lambda x: 2.0**x), ("log", math.log), ("log2", math.log2),
        ("sqrt", math.sqrt), ("sin", math.sin), ("cos", math.cos), ("tanh", math.tanh),
        ("erf", math.erf),
    ],
)  # fmt: skip
def test_transcendental_functions_of_f32_and_f64(name: str, function) -> None:
    folded = fold(apply(f"math.{name}", 0.625, type_="f32"))
    assert folded is not None
    assert np.float32(folded.removesuffix(" : f32")) == np.float32(function(0.625))
    folded = fold(apply(f"math.{name}", 0.625, type_="f64"))
    assert folded is not None
    assert float(folded.removesuffix(" : f64")) == pytest.approx(function(0.625), rel=1e-15)
    assert fold(apply(f"math.{name}", 0.625, type_="f16")) is None


def test_exact_functions_fold_for_every_type() -> None:
    assert fold(apply("math.floor", 1.5, type_="f16")) == "1.000000e+00 : f16"
    assert fold(apply("math.absf", -1.5, type_="bf16")) == "1.500000e+00 : bf16"


def test_integer_magnitude() -> None:
    assert fold(apply("math.absi", -3)) == "3 : i32"
    assert fold(apply("math.absi", 3)) == "3 : i32"
    assert fold(apply("math.absi", -(2**31))) is None
    assert fold(apply("math.absi", 1 - 2**31)) == f"{2**31 - 1} : i32"
    assert fold(apply("math.absi", "%arg0")) is None
