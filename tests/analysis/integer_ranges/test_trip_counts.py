"""Bounds on the iterations and the induction variable of loops."""

from __future__ import annotations

import pytest

from weft.analysis.integer_ranges.integer_range import IntegerRange
from weft.analysis.integer_ranges.trip_counts import (
    MAX_ITERATIONS,
    induction_range,
    max_trip_count,
)
from weft.ir import scf
from weft.ir.text import parse_module

LOOPS = """
tt.func public @k(%lb: i32, %ub: i32, %step: i32, %c: i1) {
  scf.for %i = %lb to %ub step %step : i32 {
    scf.for %j = %lb to %ub step %step : i32 {
    }
  }
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.for %m = %lb to %ub step %step : i32 {
    }
    scf.yield
  }
  tt.return
}"""
UNBOUNDED = MAX_ITERATIONS + 1


def loops() -> list[scf.ForOp]:
    return [op for op in parse_module(LOOPS).walk() if isinstance(op, scf.ForOp)]


def ranges(loop: scf.ForOp, lower, upper, step):
    """Map the bounds of a loop to ranges; None where nothing is known."""
    bounds = zip(loop.bounds, (lower, upper, step), strict=True)
    known = {v: None if r is None else IntegerRange.signed(32, *r) for v, r in bounds}
    return known.get


@pytest.mark.parametrize(
    ("lower", "upper", "step", "trips", "induction"),
    [
        ((0, 0), (10, 10), (1, 1), 10, (0, 9)),
        ((0, 2), (4, 10), (4, 4), 3, (0, 9)),
        ((2, 2), (10, 10), (4, 4), 2, (2, 9)),
        ((0, 0), (10, 10), (2, 5), 5, (0, 9)),
        ((0, 0), (10, 10), None, 10, (0, 9)),
        ((0, 0), (10, 10), (0, 5), 10, (0, 9)),
        ((5, 5), (5, 5), (1, 1), 0, None),
        ((6, 6), (5, 5), (1, 1), UNBOUNDED, None),
        ((10, 10), (0, 0), (-2, -2), 5, (0, 10)),
        (None, (10, 10), (1, 1), 2**31 + 10, (-(2**31), 9)),
        ((0, 0), None, (1, 1), 2**31 - 1, (0, 2**31 - 2)),
    ],
)
def test_bounds(lower, upper, step, trips, induction):
    loop = loops()[0]
    range_of = ranges(loop, lower, upper, step)
    assert max_trip_count(loop, range_of) == trips
    result = induction_range(loop, range_of)
    assert (None if result is None else (result.smin, result.smax)) == induction


def test_trip_counts_of_enclosing_loops_multiply():
    outer, inner, in_while = loops()
    range_of = ranges(outer, (0, 0), (10, 10), (1, 1))
    assert max_trip_count(inner, range_of) == 100
    assert max_trip_count(in_while, range_of) == 10 * UNBOUNDED
