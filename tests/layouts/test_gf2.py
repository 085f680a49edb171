"""Elimination over GF(2), compared with sums that are enumerated."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import combinations
from operator import xor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.layouts import gf2

VECTORS = st.lists(st.integers(0, 63), max_size=6)


def sums(vectors: list[int]) -> set[int]:
    """Enumerate all sums of vectors."""
    return {
        reduce(xor, terms, 0)
        for count in range(len(vectors) + 1)
        for terms in combinations(vectors, count)
    }


def total(vectors: Iterable[int]) -> int:
    return reduce(xor, vectors, 0)


def test_the_example_of_the_docstring() -> None:
    assert gf2.rank([0b011, 0b110, 0b101]) == 2
    assert gf2.independent([0b011, 0b110, 0b101]) == [0, 1]
    assert gf2.solve([0b011, 0b110, 0b101], [0b101]) == [0b011]


@given(VECTORS)
def test_a_span_holds_all_sums(vectors: list[int]) -> None:
    span = gf2.Span(vectors)
    assert {v for v in range(64) if v in span} == sums(vectors)
    assert 1 << span.rank == len(sums(vectors))
    assert gf2.rank(vectors) == span.rank
    assert all(span.reduce(v) ^ v in span for v in range(64))


@given(VECTORS, st.integers(0, 63))
def test_add_returns_whether_the_span_grew(vectors: list[int], vector: int) -> None:
    span = gf2.Span(vectors)
    assert span.add(vector) == (vector not in sums(vectors))
    assert vector in span


@pytest.mark.parametrize(("vectors", "rank"), [([], 0), ([0, 0], 0), ([4, 1, 4], 2), ([3, 3], 1)])
def test_rank_of_repeated_vectors(vectors: list[int], rank: int) -> None:
    assert gf2.rank(vectors) == rank


@given(VECTORS)
def test_independent_vectors_are_no_sums_of_earlier_ones(vectors: list[int]) -> None:
    expected = [i for i, vector in enumerate(vectors) if vector not in sums(vectors[:i])]
    assert gf2.independent(vectors) == expected


@given(VECTORS, VECTORS, st.integers(0, 4))
def test_extension_takes_the_first_candidates_that_are_new(
    vectors: list[int], candidates: list[int], count: int
) -> None:
    span = gf2.Span(vectors)
    added = gf2.extend(span, candidates, count)
    fresh = [c for i, c in enumerate(candidates) if c not in sums([*vectors, *candidates[:i]])]
    assert added == fresh[:count]
    assert {v for v in range(64) if v in span} == sums([*vectors, *added])


@given(VECTORS, st.lists(st.integers(0, 63), max_size=4))
def test_solve_writes_targets_as_sums_of_independent_vectors(
    basis: list[int], targets: list[int]
) -> None:
    solution = gf2.solve(basis, targets)
    if solution is None:
        assert not set(targets) <= sums(basis)
        return
    free = set(range(len(basis))) - set(gf2.independent(basis))
    for target, terms in zip(targets, solution, strict=True):
        chosen = [i for i in range(len(basis)) if terms >> i & 1]
        assert total(basis[i] for i in chosen) == target
        assert not free & set(chosen)
