"""The folds of comparisons and selections."""

from __future__ import annotations

import pytest

from tests.ir.folding import FLOATS, apply, fold

X, Y, CONDITION = "%arg0", "%arg1", "%arg2"
NAN = "0x7FC00000"
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip


def predicates_that_hold(operands: tuple[str | int, str | int]) -> set[str]:
    folded = {name: fold(apply(f"arith.cmpi {name},", *operands)) for name in INTEGER_PREDICATES}
    assert set(folded.values()) == {"true", "false"}
    return {name for name, value in folded.items() if value == "true"}


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((X, X), {"eq", "sle", "sge", "ule", "uge"}),
        ((3, 3), {"eq", "sle", "sge", "ule", "uge"}),
        ((3, 4), {"ne", "slt", "sle", "ult", "ule"}),
        ((-1, 4), {"ne", "slt", "sle", "ugt", "uge"}),
    ],
)
def test_integer_predicates(operands: tuple[str | int, str | int], expected: set[str]) -> None:
    assert predicates_that_hold(operands) == expected


@pytest.mark.parametrize(
    ("predicate", "swapped"),
    [
        ("eq", "eq"), ("ne", "ne"), ("slt", "sgt"), ("sle", "sge"), ("sgt", "slt"), ("sge", "sle"),
        ("ult", "ugt"), ("ule", "uge"), ("ugt", "ult"), ("uge", "ule"),
    ],
)  # fmt: skip
def test_a_constant_moves_to_the_right(predicate: str, swapped: str) -> None:
    folded = fold(apply(f"arith.cmpi {predicate},", 5, X))
    assert folded == f"arith.cmpi {swapped}, %arg0, %c5_i32 : i32"
    assert fold(apply(f"arith.cmpi {predicate},", X, 5)) is None


@pytest.mark.parametrize("extension", ["extui", "extsi"])
def test_an_extended_condition_compared_with_zero(extension: str) -> None:
    extended = f"%e = arith.{extension} %arg2 : i1 to i32\n"
    zero = f"{extended}%z = arith.constant 0 : i32\n"
    assert fold(f"{zero}%r = arith.cmpi ne, %e, %z : i32") == CONDITION
    assert fold(f"{zero}%r = arith.cmpi eq, %e, %z : i32") is None
    one = f"{extended}%o = arith.constant 1 : i32\n"
    assert fold(f"{one}%r = arith.cmpi ne, %e, %o : i32") is None
    wide = f"%e = arith.{extension} %arg0 : i32 to i64\n%z = arith.constant 0 : i64\n"
    assert fold(f"{wide}%r = arith.cmpi ne, %e, %z : i64") is None


@pytest.mark.parametrize(
    ("predicate", "number", "expected"),
    [("ne", "false", CONDITION), ("eq", "true", CONDITION), ("ne", "true", None),
     ("eq", "false", None), ("slt", "false", None)],
)  # fmt: skip
def test_a_condition_compared_with_a_constant(
    predicate: str, number: str, expected: str | None
) -> None:
    assert fold(apply(f"arith.cmpi {predicate},", CONDITION, number, type_="i1")) == expected


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ((1.0, 1.0), {"oeq", "oge", "ole", "ord", "ueq", "uge", "ule", "true"}),
        ((1.0, 2.0), {"olt", "ole", "one", "ord", "ult", "ule", "une", "true"}),
        ((NAN, 2.0), {"ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}),
        ((2.0, NAN), {"ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}),
        ((X, NAN), {"ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}),
        ((NAN, X), {"ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}),
    ],
)
def test_float_predicates(operands: tuple[str | float, str | float], expected: set[str]) -> None:
    folded = {
        name: fold(apply(f"arith.cmpf {name},", *operands, type_="f32"), FLOATS)
        for name in FLOAT_PREDICATES
    }
    assert set(folded.values()) == {"true", "false"}
    assert {name for name, value in folded.items() if value == "true"} == expected


def test_float_comparisons_that_do_not_fold() -> None:
    assert fold(apply("arith.cmpf olt,", X, 1.0, type_="f32"), FLOATS) is None
    assert fold(apply("arith.cmpf olt,", 1.0, X, type_="f32"), FLOATS) is None
    assert fold(apply("arith.cmpf olt,", 1.0, 2.0, type_="tensor<4xf32>")) is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%r = arith.select %arg2, %arg0, %arg0 : i32", X),
        ("%r = arith.select %arg2, %arg0, %arg1 : i32", None),
        ("%t = arith.constant true\n%r = arith.select %t, %arg0, %arg1 : i32", X),
        ("%t = arith.constant false\n%r = arith.select %t, %arg0, %arg1 : i32", Y),
        ("%u = ub.poison : i32\n%r = arith.select %arg2, %u, %arg1 : i32", Y),
        ("%u = ub.poison : i32\n%r = arith.select %arg2, %arg0, %u : i32", X),
        (
            "%t = arith.constant true\n%f = arith.constant false\n"
            "%r = arith.select %arg2, %t, %f : i1",
            CONDITION,
        ),
        (
            "%t = arith.constant true\n%f = arith.constant false\n"
            "%r = arith.select %arg2, %f, %t : i1",
            None,
        ),
    ],
)
def test_select(body: str, expected: str | None) -> None:
    assert fold(body) == expected


@pytest.mark.parametrize(
    ("predicate", "values", "expected"),
    [
        ("eq", (X, Y), Y), ("eq", (Y, X), X), ("ne", (X, Y), X), ("ne", (Y, X), Y),
        ("slt", (X, Y), None), ("eq", (X, "%c"), None), ("eq", ("%c", Y), None),
    ],
)  # fmt: skip
def test_select_of_an_equality(
    predicate: str, values: tuple[str, str], expected: str | None
) -> None:
    body = (
        f"%c = arith.constant 7 : i32\n%p = arith.cmpi {predicate}, %arg0, %arg1 : i32\n"
        f"%r = arith.select %p, {values[0]}, {values[1]} : i32"
    )
    assert fold(body) == expected
