"""The folds of floating-point arithmetic: only what is exact for NaN, infinities and both zeros."""

from __future__ import annotations

import pytest

from tests.ir.folding import FLOATS, apply, fold

X, Y = "%arg0", "%arg1"
NAN, INF, MINUS_INF = "0x7FC00000", "0x7F800000", "0xFF800000"
MINUS_NAN = "0xFFC00000"


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "expected"),
    [
        ("addf", X, -0.0, X), ("addf", X, 0.0, None),
        ("addf", -0.0, X, "arith.addf %arg0, %cst : f32"), ("addf", X, Y, None),
        ("subf", X, 0.0, X), ("subf", X, -0.0, None), ("subf", 0.0, X, None),
        ("mulf", X, 1.0, X), ("mulf", X, 0.0, None), ("mulf", X, -1.0, None),
        ("divf", X, 1.0, X), ("divf", 1.0, X, None), ("remf", X, 1.0, None),
        ("maximumf", X, X, X), ("maximumf", X, MINUS_INF, X), ("maximumf", X, INF, None),
        ("minimumf", X, X, X), ("minimumf", X, INF, X), ("minimumf", X, MINUS_INF, None),
        ("maxnumf", X, X, X), ("maxnumf", X, NAN, X), ("maxnumf", X, MINUS_INF, None),
        ("minnumf", X, X, X), ("minnumf", X, NAN, X), ("minnumf", X, Y, None),
    ],
)  # fmt: skip
def test_identities(name: str, lhs: str | float, rhs: str | float, expected: str | None) -> None:
    assert fold(apply(f"arith.{name}", lhs, rhs, type_="f32"), FLOATS) == expected


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "expected"),
    [
        ("addf", 1.5, 2.0, "3.500000e+00"), ("subf", 1.5, 2.0, "-5.000000e-01"),
        ("mulf", 1.5, 2.0, "3.000000e+00"), ("divf", 3.0, 2.0, "1.500000e+00"),
        ("divf", 3.0, 0.0, INF), ("divf", -3.0, 0.0, MINUS_INF), ("divf", 3.0, -0.0, MINUS_INF),
        ("divf", 0.0, 0.0, NAN), ("divf", NAN, 0.0, NAN),
        ("remf", 5.5, 2.0, "1.500000e+00"), ("remf", -5.5, 2.0, "-1.500000e+00"),
        ("remf", 1.0, 0.0, NAN), ("remf", INF, 2.0, NAN), ("remf", 2.0, INF, "2.000000e+00"),
        ("maximumf", 1.0, 2.0, "2.000000e+00"), ("maximumf", 1.0, NAN, NAN),
        ("maximumf", NAN, 1.0, NAN), ("maximumf", -0.0, 0.0, "0.000000e+00"),
        ("maximumf", 0.0, -0.0, "0.000000e+00"), ("minimumf", 0.0, -0.0, "-0.000000e+00"),
        ("minimumf", 1.0, 2.0, "1.000000e+00"),
        ("maxnumf", 1.0, 2.0, "2.000000e+00"), ("maxnumf", NAN, 1.0, "1.000000e+00"),
        ("minnumf", 1.0, 2.0, "1.000000e+00"), ("minnumf", NAN, 1.0, "1.000000e+00"),
        # The NaN is that of the first operand that is one, with its sign, as in LLVM's APFloat.
        ("minimumf", 1.0, NAN, NAN), ("minimumf", NAN, 1.0, NAN), ("minimumf", NAN, MINUS_NAN, NAN),
        ("minimumf", 1.0, MINUS_NAN, MINUS_NAN), ("minimumf", MINUS_NAN, NAN, MINUS_NAN),
        ("maximumf", 1.0, MINUS_NAN, MINUS_NAN), ("maximumf", MINUS_NAN, NAN, MINUS_NAN),
        ("addf", MINUS_NAN, 1.0, MINUS_NAN), ("subf", 1.0, MINUS_NAN, MINUS_NAN),
        ("mulf", -1.0, NAN, NAN), ("divf", MINUS_NAN, 0.0, MINUS_NAN),
        ("remf", 1.0, MINUS_NAN, MINUS_NAN),
        # An invalid operation gives the positive NaN on every processor.
        ("subf", INF, INF, NAN), ("addf", INF, MINUS_INF, NAN), ("mulf", 0.0, MINUS_INF, NAN),
        ("divf", INF, INF, NAN),
    ],
)  # fmt: skip
def test_constants(name: str, lhs: float | str, rhs: float | str, expected: str) -> None:
    assert fold(apply(f"arith.{name}", lhs, rhs, type_="f32"), FLOATS) == f"{expected} : f32"


def test_results_are_rounded_to_the_type() -> None:
    assert fold(apply("arith.addf", 2048.0, 1.0, type_="f16")) == "2.048000e+03 : f16"
    assert fold(apply("arith.mulf", 60000.0, 2.0, type_="f16")) == "0x7C00 : f16"
    assert fold(apply("arith.addf", 256.0, 1.0, type_="bf16")) == "2.560000e+02 : bf16"


def test_8_bit_types_do_not_fold() -> None:
    assert fold(apply("arith.addf", 1.0, 2.0, type_="f8E5M2")) is None


def test_negation() -> None:
    assert fold(apply("arith.negf", 1.0, type_="f32")) == "-1.000000e+00 : f32"
    assert fold("%n = arith.negf %arg0 : f32\n%r = arith.negf %n : f32", FLOATS) == X
    assert fold(apply("arith.negf", X, type_="f32"), FLOATS) is None
