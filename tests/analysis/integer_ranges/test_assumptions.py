"""Ranges that assumptions imply, and the blocks in which they hold."""

from __future__ import annotations

import pytest

from weft.analysis.integer_ranges.assumptions import Assumptions
from weft.ir import tt
from weft.ir.text import parse_module

BRANCHES = """
tt.func public @k(%n: i32, %m: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c9 = arith.constant 9 : i32
  cf.cond_br %c, ^left, ^right
^left:
  %low = arith.cmpi sge, %n, %c0 : i32
  llvm.intr.assume %low : i1
  scf.if %c {
    %high = arith.cmpi sle, %n, %c9 : i32
    llvm.intr.assume %high : i1
    %inner = arith.addi %n, %m : i32
  }
  cf.br ^end
^right:
  cf.br ^end
^end:
  tt.return
}
"""


def implied(predicate: str, constant: int, *, swapped: bool = False) -> tuple[int, ...] | None:
    """Compute (umin, umax, smin, smax) of an i8 from an assumption on it."""
    operands = "%c, %n" if swapped else "%n, %c"
    module = parse_module(
        "tt.func public @k(%n: i8, %m: i8) {\n"
        f"  %c = arith.constant {constant} : i8\n"
        f"  %t = arith.cmpi {predicate}, {operands} : i8\n"
        "  llvm.intr.assume %t : i1\n  tt.return\n}"
    )
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    assumptions = Assumptions(module)
    value, other = function.entry.args
    assert value in assumptions
    assert other not in assumptions
    range_ = assumptions.range_in(value, function.entry)
    return None if range_ is None else (range_.umin, range_.umax, range_.smin, range_.smax)


@pytest.mark.parametrize(
    ("predicate", "constant", "swapped", "bounds"),
    [
        ("eq", 5, False, (5, 5, 5, 5)),
        ("slt", 5, False, (0, 255, -128, 4)),
        ("sle", 5, False, (0, 255, -128, 5)),
        ("sgt", 5, False, (6, 127, 6, 127)),
        ("sge", 5, False, (5, 127, 5, 127)),
        ("sgt", 5, True, (0, 255, -128, 4)),
        ("sle", 5, True, (5, 127, 5, 127)),
        ("ult", 5, False, (0, 4, 0, 4)),
        ("ule", 5, False, (0, 5, 0, 5)),
        ("ugt", 200, False, (201, 255, -55, -1)),
        ("uge", 200, True, (0, 200, -128, 127)),
        ("ne", 5, False, None),
    ],
)
def test_comparisons_with_a_constant(predicate, constant, swapped, bounds):
    assert implied(predicate, constant, swapped=swapped) == bounds


def test_assumptions_hold_in_dominated_blocks():
    module = parse_module(BRANCHES)
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    entry, left, right, end = function.body.blocks
    inner = next(op for op in module.walk() if op.name == "arith.addi").parent
    assert inner is not None
    assumptions, value = Assumptions(module), function.entry.args[0]
    assert [assumptions.range_in(value, block) for block in (entry, right, end)] == [None] * 3
    outside, inside = assumptions.range_in(value, left), assumptions.range_in(value, inner)
    assert outside is not None
    assert inside is not None
    assert (outside.smin, outside.smax) == (0, 2**31 - 1)
    assert (inside.smin, inside.smax, inside.umax) == (0, 9, 9)
