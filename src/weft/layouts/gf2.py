"""Linear algebra over GF(2), the field {0, 1} whose addition is XOR.

A vector is an int: bit k of it is entry k. The sum of two vectors is `a ^ b`, whatever their
length, so elimination works on whole rows at once. By hand, for 0b011, 0b110 and 0b101:

    0b011   highest bit 1, is new    keep it, it represents bit 1
    0b110   highest bit 2, is new    keep it, it represents bit 2
    0b101   highest bit 2: ^ 0b110 = 0b011    highest bit 1: ^ 0b011 = 0, nothing remains

The third vector is the sum of the first two. Two vectors were kept, so the rank is 2. Every
function here is this loop: reduce a vector by those that were kept, and keep what remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["Span", "extend", "independent", "linear_combinations", "rank", "solve"]


class Span:
    """The set of all sums of some vectors; it grows one vector at a time.

    Attributes:
        basis: highest bit (1 for bit 0) -> the vector that was kept for it.
    """

    __slots__ = ("basis",)

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self.basis: dict[int, int] = {}
        for vector in vectors:
            self.add(vector)

    @property
    def rank(self) -> int:
        """The number of independent vectors."""
        return len(self.basis)

    def reduce(self, vector: int) -> int:
        """Subtract vectors of the span from `vector`; the result is 0 if the span contains it."""
        while vector and (top := vector.bit_length()) in self.basis:
            vector ^= self.basis[top]
        return vector

    def __contains__(self, vector: int) -> bool:
        return self.reduce(vector) == 0

    def add(self, vector: int) -> bool:
        """Add a vector.

        Returns:
            Whether the span grew: False if it contained the vector already.
        """
        remainder = self.reduce(vector)
        if remainder:
            self.basis[remainder.bit_length()] = remainder
        return remainder != 0


def rank(vectors: Iterable[int]) -> int:
    """Count the independent vectors."""
    distinct = set(vectors)
    distinct.discard(0)
    # Most layouts have unit vectors only, and different ones are independent.
    if not any([vector & (vector - 1) for vector in distinct]):
        return len(distinct)
    return Span(distinct).rank


def independent(vectors: Iterable[int]) -> list[int]:
    """List the indices of the vectors that are no sum of earlier ones."""
    span = Span()
    return [index for index, vector in enumerate(vectors) if span.add(vector)]


def extend(span: Span, candidates: Iterable[int], count: int) -> list[int]:
    """Enlarge a span by the first `count` candidates that are not in it.

    Args:
        span: the span; it is changed.
        candidates: vectors, the preferred ones first.
        count: how many to add at most.

    Returns:
        The candidates that were added, in order.
    """
    added: list[int] = []
    for vector in candidates:
        if len(added) == count:
            break
        if span.add(vector):
            added.append(vector)
    return added


def solve(basis: Sequence[int], targets: Iterable[int]) -> list[int] | None:
    """Write each target as a sum of basis vectors.

    Elimination carries beside each kept vector the set of basis vectors that it is the sum of. A
    basis vector that depends on earlier ones is never used: it is a free variable, set to 0.

    Args:
        basis: vectors, which may depend on each other.
        targets: vectors to express.

    Returns:
        One int per target, with bit i set if basis[i] is part of the sum; None if a target is not
        in the span of the basis.
    """
    pivots: dict[int, tuple[int, int]] = {}  # highest bit -> (vector, the basis vectors it sums)
    for index, vector in enumerate(basis):
        terms = 1 << index
        while vector:
            pivot = pivots.get(vector.bit_length())
            if pivot is None:
                pivots[vector.bit_length()] = (vector, terms)
                break
            vector ^= pivot[0]
            terms ^= pivot[1]
    solution: list[int] = []
    for vector in targets:
        terms = 0
        while vector:
            pivot = pivots.get(vector.bit_length())
            if pivot is None:
                return None
            vector ^= pivot[0]
            terms ^= pivot[1]
        solution.append(terms)
    return solution


def linear_combinations(vectors: Iterable[int]) -> list[int]:
    """List the sums of all subsets of some vectors.

    Returns:
        2^n sums: bit k of an index says whether vector k is in the sum. For 1, 2 and 7 these are
        0, 1, 2, 3, 7, 6, 5, 4: each vector doubles the list.
    """
    sums = [0]
    for vector in vectors:
        sums += [total ^ vector for total in sums]
    return sums
