"""The number of iterations of `scf.for`."""

from __future__ import annotations

import pytest

from weft.ir import scf
from weft.ir.rewriting import walk
from weft.ir.scf.trip_count import bound_difference, constant_step, trip_count
from weft.ir.text import parse_module


def loop(bounds: str, body: str = "", unsigned: bool = False) -> scf.ForOp:
    keyword = "unsigned " if unsigned else ""
    module = parse_module(
        "tt.func @f(%n: i32, %m: i32) {\n"
        "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
        "%c4 = arith.constant 4 : i32\n%c10 = arith.constant 10 : i32\n"
        "%minus = arith.constant -1 : i32\n"
        f"{body}\nscf.for {keyword}%i = {bounds} : i32 {{\n}}\ntt.return\n}}"
    )
    (op,) = (op for op in walk(module) if isinstance(op, scf.ForOp))
    return op


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        ("%c0 to %c10 step %c1", 10), ("%c0 to %c10 step %c4", 3), ("%c0 to %c4 step %c4", 1),
        ("%c10 to %c0 step %c1", 0), ("%n to %n step %m", 0), ("%c0 to %n step %c1", None),
        ("%n to %c10 step %c1", None), ("%c0 to %c10 step %n", None),
        ("%c0 to %c10 step %c0", None), ("%c0 to %c10 step %minus", None),
        ("%minus to %c4 step %c1", 5), ("%c0 to %c1 step %c1", 1),
    ],
)  # fmt: skip
def test_trip_count(bounds: str, count: int | None) -> None:
    assert trip_count(loop(bounds)) == count


@pytest.mark.parametrize(
    ("addition", "unsigned", "count"),
    [
        ("%u = arith.addi %n, %c10 overflow<nsw> : i32", False, 10),
        ("%u = arith.addi %n, %c10 overflow<nuw> : i32", False, None),
        ("%u = arith.addi %n, %c10 overflow<nuw> : i32", True, 10),
        ("%u = arith.addi %n, %c10 overflow<nsw> : i32", True, None),
        ("%u = arith.addi %n, %c10 : i32", False, None),
        ("%u = arith.addi %m, %c10 overflow<nsw> : i32", False, None),
        ("%u = arith.addi %n, %m overflow<nsw> : i32", False, None),
        ("%u = arith.subi %n, %c10 overflow<nsw> : i32", False, None),
    ],
)
def test_an_upper_bound_relative_to_the_lower_one(
    addition: str, unsigned: bool, count: int | None
) -> None:
    assert trip_count(loop("%n to %u step %c1", addition, unsigned)) == count


def test_constants_of_an_unsigned_loop_are_unsigned() -> None:
    op = loop("%c0 to %minus step %c4", unsigned=True)
    assert bound_difference(op) == 2**32 - 1
    assert (constant_step(op), trip_count(op)) == (4, 2**30)
    assert bound_difference(loop("%c0 to %minus step %c4")) == -1
    assert constant_step(loop("%c0 to %c10 step %n")) is None
