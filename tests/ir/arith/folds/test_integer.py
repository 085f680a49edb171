"""The folds of integer arithmetic: identities, constants and their limits."""

from __future__ import annotations

import pytest

from tests.ir.folding import apply, fold

X, Y = "%arg0", "%arg1"
LEAST, GREATEST = -(2**31), 2**31 - 1


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "expected"),
    [
        ("addi", X, 0, X), ("addi", X, 1, None), ("addi", 0, X, "arith.addi %arg0, %c0_i32 : i32"),
        ("subi", X, 0, X), ("subi", X, X, "0 : i32"), ("subi", 0, X, None), ("subi", X, 1, None),
        ("muli", X, 0, "%c0_i32"), ("muli", X, 1, X), ("muli", X, 2, None),
        ("muli", 2, X, "arith.muli %arg0, %c2_i32 : i32"),
        ("divsi", X, 1, X), ("divui", X, 1, X), ("divsi", X, 2, None), ("divsi", 1, X, None),
        ("ceildivsi", X, 1, X), ("ceildivui", X, 1, X), ("floordivsi", X, 1, X),
        ("floordivsi", X, 2, None),
        ("remsi", X, 1, "0 : i32"), ("remui", X, 1, "0 : i32"), ("remsi", X, 2, None),
        ("andi", X, 0, "%c0_i32"), ("andi", X, -1, X), ("andi", X, X, X), ("andi", X, 1, None),
        ("ori", X, 0, X), ("ori", X, -1, "%c-1_i32"), ("ori", X, X, X), ("ori", X, 1, None),
        ("xori", X, 0, X), ("xori", X, X, "0 : i32"), ("xori", X, -1, None),
        ("shli", X, 0, X), ("shrsi", X, 0, X), ("shrui", X, 0, X), ("shli", X, 1, None),
        ("shli", 0, X, None),
        ("minsi", X, X, X), ("minsi", X, LEAST, "%c-2147483648_i32"), ("minsi", X, GREATEST, X),
        ("minsi", X, 0, None), ("minsi", X, -1, None),
        ("maxsi", X, X, X), ("maxsi", X, LEAST, X), ("maxsi", X, GREATEST, "%c2147483647_i32"),
        ("maxsi", X, 0, None),
        ("minui", X, 0, "%c0_i32"), ("minui", X, -1, X), ("minui", X, LEAST, None),
        ("maxui", X, 0, X), ("maxui", X, -1, "%c-1_i32"), ("maxui", X, 1, None),
        ("addi", X, Y, None), ("subi", X, Y, None), ("andi", X, Y, None), ("minsi", X, Y, None),
    ],
)  # fmt: skip
def test_identities(name: str, lhs: str | int, rhs: str | int, expected: str | None) -> None:
    assert fold(apply(f"arith.{name}", lhs, rhs)) == expected


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "expected"),
    [
        ("addi", 3, 4, 7), ("addi", GREATEST, 1, LEAST), ("subi", 3, 4, -1),
        ("subi", LEAST, 1, GREATEST), ("muli", 3, 4, 12), ("muli", 2**30, 4, 0),
        ("divsi", 7, 2, 3), ("divsi", -7, 2, -3), ("divsi", 7, -2, -3), ("divsi", -7, -2, 3),
        ("divsi", -4, -1, 4), ("divsi", LEAST, 2, -(2**30)),
        ("divsi", 7, 0, None), ("divsi", LEAST, -1, None), ("divsi", LEAST + 1, -1, GREATEST),
        ("divui", 7, 2, 3), ("divui", -1, 2, GREATEST), ("divui", 7, 0, None), ("divui", 7, -1, 0),
        ("remsi", 7, 3, 1), ("remsi", -7, 3, -1), ("remsi", 7, -3, 1), ("remsi", 7, 0, None),
        ("remui", 7, 3, 1), ("remui", -1, 10, 5), ("remui", 7, 0, None),
        ("ceildivsi", 7, 2, 4), ("ceildivsi", -7, 2, -3), ("ceildivsi", 7, 0, None),
        ("ceildivsi", LEAST, -1, None),
        ("ceildivui", 7, 2, 4), ("ceildivui", 8, 2, 4), ("ceildivui", -1, 2, LEAST),
        ("ceildivui", 7, 0, None),
        ("floordivsi", 7, 2, 3), ("floordivsi", -7, 2, -4), ("floordivsi", 7, 0, None),
        ("andi", 12, 10, 8), ("ori", 12, 10, 14), ("xori", 12, 10, 6),
        ("shli", 3, 2, 12), ("shli", 1, 31, LEAST), ("shli", 1, 32, None), ("shli", 1, -1, None),
        ("shrsi", -8, 1, -4), ("shrsi", -8, 32, None), ("shrui", -8, 1, 2147483644),
        ("shrui", 8, 31, 0), ("shrui", 8, 32, None),
        ("minsi", -3, 4, -3), ("maxsi", -3, 4, 4), ("minui", -3, 4, 4), ("maxui", -3, 4, -3),
    ],
)  # fmt: skip
def test_constants(name: str, lhs: int, rhs: int, expected: int | None) -> None:
    folded = fold(apply(f"arith.{name}", lhs, rhs))
    assert folded == (None if expected is None else f"{expected} : i32")


def test_one_number_computes_a_splat() -> None:
    assert fold(apply("arith.addi", 3, 4, type_="tensor<8xi32>")) == "dense<7> : tensor<8xi32>"


def test_i1_wraps_to_a_boolean() -> None:
    assert fold(apply("arith.addi", "true", "true", type_="i1")) == "false"
    assert fold(apply("arith.ori", "true", "false", type_="i1")) == "%true"
    assert fold(apply("arith.muli", "%arg2", "true", type_="i1")) == "%arg2"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%d = arith.subi %arg0, %arg1 : i32\n%r = arith.addi %d, %arg1 : i32", X),
        ("%d = arith.subi %arg0, %arg1 : i32\n%r = arith.addi %arg1, %d : i32", X),
        ("%d = arith.subi %arg0, %arg1 : i32\n%r = arith.addi %d, %arg0 : i32", None),
        ("%s = arith.addi %arg0, %arg1 : i32\n%r = arith.subi %s, %arg1 : i32", X),
        ("%s = arith.addi %arg0, %arg1 : i32\n%r = arith.subi %s, %arg0 : i32", Y),
        ("%s = arith.addi %arg0, %arg1 : i32\n%r = arith.subi %arg0, %s : i32", None),
        ("%a = arith.xori %arg0, %arg1 : i32\n%r = arith.xori %a, %arg1 : i32", X),
        ("%a = arith.xori %arg0, %arg1 : i32\n%r = arith.xori %a, %arg0 : i32", Y),
        ("%a = arith.xori %arg0, %arg1 : i32\n%r = arith.xori %arg1, %a : i32", X),
        ("%a = arith.andi %arg0, %arg1 : i32\n%r = arith.andi %a, %arg1 : i32", "%0"),
        ("%a = arith.andi %arg0, %arg1 : i32\n%r = arith.andi %arg0, %a : i32", "%0"),
        ("%a = arith.ori %arg0, %arg1 : i32\n%r = arith.andi %arg0, %a : i32", None),
    ],
)
def test_operations_that_cancel(body: str, expected: str | None) -> None:
    assert fold(body) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("andi", "0 : i32"), ("ori", "-1 : i32"), ("xori", "%c-1_i32")]
)
@pytest.mark.parametrize("operands", ["%n, %arg0", "%arg0, %n"])
def test_a_value_and_its_complement(name: str, expected: str, operands: str) -> None:
    complement = "%m = arith.constant -1 : i32\n%n = arith.xori %arg0, %m : i32\n"
    assert fold(f"{complement}%r = arith.{name} {operands} : i32") == expected
    other = complement.replace("%arg0", "%arg1")
    if name != "xori":
        assert fold(f"{other}%r = arith.{name} {operands} : i32") is None


@pytest.mark.parametrize(
    ("name", "flag", "folds"),
    [
        ("divsi", "nsw", True), ("divsi", "nuw", False), ("divui", "nuw", True),
        ("divui", "nsw", False), ("divsi", "none", False),
    ],
)  # fmt: skip
def test_division_of_a_product_that_does_not_overflow(name: str, flag: str, folds: bool) -> None:
    overflow = "" if flag == "none" else f" overflow<{flag}>"
    product = f"%p = arith.muli %arg0, %arg1{overflow} : i32\n"
    for divisor, expected in (("%arg0", Y), ("%arg1", X), ("%p", None)):
        body = f"{product}%r = arith.{name} %p, {divisor} : i32"
        assert fold(body) == (expected if folds else None)


def test_poison_is_the_result() -> None:
    poison = "%u = ub.poison : i32\n"
    assert fold(f"{poison}%r = arith.addi %u, %arg0 : i32") == "%0"
    assert fold(f"{poison}%r = arith.addi %arg0, %u : i32") == "%0"
