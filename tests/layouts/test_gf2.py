"""Laws of the elimination that everything else stands on."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import xor

from hypothesis import given
from hypothesis import strategies as st

from weft.layouts import gf2

ROWS = st.lists(st.integers(0, 63), max_size=6)


@given(ROWS)
def test_rank_counts_the_span(rows: list[int]) -> None:
    span = {
        reduce(xor, chosen, 0)
        for count in range(len(rows) + 1)
        for chosen in combinations(rows, count)
    }
    assert len(span) == 1 << gf2.rank(rows)


@given(ROWS)
def test_transpose_twice_is_nothing(rows: list[int]) -> None:
    assert gf2.transpose(gf2.transpose(rows, 6), len(rows)) == rows


@given(ROWS)
def test_pivots_are_as_many_as_the_rank(rows: list[int]) -> None:
    pivots = gf2.pivots(rows, 6)
    assert len(pivots) == gf2.rank(rows)
    assert pivots == sorted(pivots)


@given(ROWS, st.lists(st.integers(0, 63), max_size=4))
def test_solve_solves(basis: list[int], targets: list[int]) -> None:
    solution = gf2.solve(basis, targets, 6)
    if solution is None:
        assert any(gf2.rank([*basis, target]) > gf2.rank(basis) for target in targets)
        return
    for target, chosen in zip(targets, solution, strict=True):
        taken = (vector for i, vector in enumerate(basis) if chosen >> i & 1)
        assert reduce(xor, taken, 0) == target
