"""The fold of `scf.if` on a negated condition."""

from __future__ import annotations

import pytest

from tests.ir.folding import fold

IF = """
%r = scf.if %n -> (i32) {
  scf.yield %arg0 : i32
} else {
  scf.yield %arg1 : i32
}"""
SWAPPED = """scf.if %arg2 -> (i32) {
  scf.yield %arg1 : i32
} else {
  scf.yield %arg0 : i32
}"""


def lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines()]


def test_a_negated_condition_swaps_the_branches() -> None:
    folded = fold(f"%t = arith.constant true\n%n = arith.xori %arg2, %t : i1{IF}")
    assert lines(folded) == lines(SWAPPED)


@pytest.mark.parametrize(
    "condition",
    [
        "%t = arith.constant false\n%n = arith.xori %arg2, %t : i1",
        "%t = arith.constant true\n%n = arith.andi %arg2, %t : i1",
        "%n = arith.xori %arg2, %arg2 : i1",
    ],
)
def test_other_conditions_stay(condition: str) -> None:
    assert fold(f"{condition}{IF}") is None


def test_an_if_without_else_stays() -> None:
    negation = "%t = arith.constant true\n%n = arith.xori %arg2, %t : i1\n"
    assert fold(f"{negation}scf.if %n {{\n%d = arith.addi %arg0, %arg1 : i32\n}}") is None
