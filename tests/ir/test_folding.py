"""Folds of dense constants, element by element."""

from __future__ import annotations

import pytest

from tests.ir.folding import fold

A = "%a = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("dense<10>", "dense<[11, 12, 13, 14]> : tensor<4xi32>"),
        ("dense<[4, 3, 2, 1]>", "dense<5> : tensor<4xi32>"),
        ("dense<[-1, -2, -3, -4]>", "dense<0> : tensor<4xi32>"),
        ("dense<[0, 0, 0, 1]>", "dense<[1, 2, 3, 5]> : tensor<4xi32>"),
    ],
)
def test_elements_are_added(right: str, expected: str) -> None:
    body = f"{A}%b = arith.constant {right} : tensor<4xi32>\n"
    assert fold(f"{body}%r = arith.addi %a, %b : tensor<4xi32>") == expected


def test_a_splat_on_the_left() -> None:
    body = f"{A}%b = arith.constant dense<10> : tensor<4xi32>\n"
    expected = "dense<[9, 8, 7, 6]> : tensor<4xi32>"
    assert fold(f"{body}%r = arith.subi %b, %a : tensor<4xi32>") == expected


def test_one_element_that_does_not_fold() -> None:
    body = f"{A}%b = arith.constant dense<[1, 1, 0, 1]> : tensor<4xi32>\n"
    assert fold(f"{body}%r = arith.divsi %a, %b : tensor<4xi32>") is None
    body = body.replace("0,", "2,")
    expected = "dense<[1, 2, 1, 4]> : tensor<4xi32>"
    assert fold(f"{body}%r = arith.divsi %a, %b : tensor<4xi32>") == expected


def test_a_result_of_another_type() -> None:
    body = f"{A}%b = arith.constant dense<3> : tensor<4xi32>\n"
    expected = "dense<[true, true, false, false]> : tensor<4xi1>"
    assert fold(f"{body}%r = arith.cmpi slt, %a, %b : tensor<4xi32>") == expected
    expected = "dense<[1, 2, 3, 4]> : tensor<4xi64>"
    assert fold(f"{A}%r = arith.extsi %a : tensor<4xi32> to tensor<4xi64>") == expected


def test_an_operand_that_is_not_constant() -> None:
    arguments = "%arg0: tensor<4xi32>"
    assert fold(f"{A}%r = arith.muli %arg0, %a : tensor<4xi32>", arguments) is None
    zeros = "%a = arith.constant dense<[0, 0, 0, 1]> : tensor<4xi32>\n"
    assert fold(f"{zeros}%r = arith.muli %arg0, %a : tensor<4xi32>", arguments) is None


def test_float_elements() -> None:
    body = "%a = arith.constant dense<[1.0, 4.0]> : tensor<2xf32>\n"
    expected = "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"
    assert fold(f"{body}%r = math.sqrt %a : tensor<2xf32>") == expected
    negative = body.replace("4.0", "-4.0")
    assert fold(f"{negative}%r = math.sqrt %a : tensor<2xf32>") is None
