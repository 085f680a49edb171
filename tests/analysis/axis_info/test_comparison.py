"""Axis info of comparisons."""

from __future__ import annotations

import pytest

from tests.analysis.axis_info.infos import RANGE, V, info_of
from weft.analysis.axis_info import AxisInfo


@pytest.mark.parametrize(
    ("predicate", "swapped", "groups"),
    [("slt", False, 16), ("sge", False, 16), ("sgt", True, 16), ("slt", True, 1), ("eq", False, 1)],
)
def test_a_comparison_with_a_multiple_is_constant_in_groups(predicate, swapped, groups):
    a, b = ("%s", "%r") if swapped else ("%r", "%s")
    body = (
        RANGE
        + f"%s = tt.splat %n16 : i32 -> {V}\n%m = arith.cmpi {predicate}, {a}, {b} : {V}\n"
        + f"%x = arith.extui %m : tensor<64xi1> to {V}"
    )
    assert info_of(body, "%x", V).constancy == (groups,)


@pytest.mark.parametrize(
    ("predicate", "left", "right", "result"),
    [("eq", 4, 4, 1), ("slt", -1, 4, 1), ("ult", -1, 4, 0), ("uge", -1, 4, 1)],
)
def test_a_comparison_of_constants(predicate, left, right, result):
    body = (
        f"%a = arith.constant dense<{left}> : {V}\n%b = arith.constant dense<{right}> : {V}\n"
        f"%m = arith.cmpi {predicate}, %a, %b : {V}"
    )
    assert info_of(body, "%m", "tensor<64xi1>").constant == result


@pytest.mark.parametrize("operands", ["%n64, %four", "%four, %n64"])
def test_a_comparison_with_one_constant_is_unknown(operands):
    body = (
        f"%four = arith.constant dense<4> : {V}\n%n64 = tt.splat %n : i32 -> {V}\n"
        f"%m = arith.cmpi eq, {operands} : {V}"
    )
    assert info_of(body, "%m", "tensor<64xi1>") == AxisInfo((1,), (1,), (64,))
