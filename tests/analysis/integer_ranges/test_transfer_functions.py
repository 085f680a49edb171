"""Transfer functions by class of operation."""

from __future__ import annotations

import pytest

from weft.analysis.integer_ranges.integer_range import IntegerRange
from weft.analysis.integer_ranges.transfer_functions import TRANSFER_FUNCTIONS
from weft.ir.text import parse_module

SMALL = IntegerRange.signed(32, -2, 5)
LARGE = IntegerRange.signed(32, 10, 300)
V = "tensor<4xi32>"


def inferred(line: str, *ranges: IntegerRange | None) -> IntegerRange | None:
    """Apply the transfer function of the last operation of a function."""
    module = parse_module(
        f"tt.func public @k(%a: i32, %b: i32, %c: i1, %v: {V}, %w: {V}) {{\n%x = {line}\n"
        "tt.return\n}"
    )
    op = next(op for op in module.walk() if op.results)
    return TRANSFER_FUNCTIONS[type(op)](op, ranges)


@pytest.mark.parametrize(
    ("line", "ranges", "bounds"),
    [
        ("arith.addi %a, %b : i32", (SMALL, LARGE), (8, 305)),
        ("arith.subi %a, %b : i32", (SMALL, LARGE), (-302, -5)),
        ("arith.extsi %a : i32 to i64", (SMALL,), (-2, 5)),
        ("arith.extui %a : i32 to i64", (SMALL,), (0, 2**32 - 1)),
        ("arith.trunci %a : i32 to i8", (LARGE,), (-128, 127)),
        ("arith.trunci %a : i32 to i8", (SMALL,), (-2, 5)),
        ("arith.constant dense<[1, 7, -3, 2]> : tensor<4xi32>", (), (-3, 7)),
        ("arith.constant dense<4> : tensor<4xi32>", (), (4, 4)),
        ("arith.constant 4 : i32", (), (4, 4)),
        ("arith.cmpi slt, %a, %b : i32", (SMALL, LARGE), (-1, -1)),
        ("arith.cmpi sgt, %a, %b : i32", (SMALL, LARGE), (0, 0)),
        ("arith.cmpi slt, %a, %b : i32", (SMALL, SMALL), (-1, 0)),
        ("tt.make_range {start = 3 : i32, end = 7 : i32} : tensor<4xi32>", (), (3, 6)),
        ("tt.splat %a : i32 -> tensor<4xi32>", (SMALL,), (-2, 5)),
        ("tt.splat %a : i32 -> tensor<4xi32>", (None,), (-(2**31), 2**31 - 1)),
        ("tt.cat %v, %w : tensor<4xi32> -> tensor<8xi32>", (SMALL, LARGE), (-2, 300)),
        ("tt.get_program_id x : i32", (), (0, 2**31 - 1)),
        ("tt.histogram %v : tensor<4xi32> -> tensor<8xi32>", (SMALL,), (0, 2**31 - 1)),
    ],
)
def test_ranges(line, ranges, bounds):
    range_ = inferred(line, *ranges)
    assert range_ is not None
    assert (range_.smin, range_.smax) == bounds


def test_a_constant_condition_selects_one_side():
    line = "arith.select %c, %a, %b : i32"
    true, either = IntegerRange.constant(1, 1), IntegerRange.full(1)
    assert inferred(line, true, SMALL, LARGE) == SMALL
    assert inferred(line, IntegerRange.constant(1, 0), SMALL, LARGE) == LARGE
    assert inferred(line, either, SMALL, LARGE) == SMALL.union(LARGE)
    assert inferred(line, either, SMALL, None) == SMALL


def test_an_operand_without_a_range():
    assert inferred("arith.addi %a, %b : i32", SMALL, None) is None
    assert inferred("arith.cmpi slt, %a, %b : i32", None, LARGE) is None
