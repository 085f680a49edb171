"""Spans of vectors over GF(2), grown one vector at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["Span", "completed"]


class Span:
    """Hold what sums of some vectors reach.

    Attributes: basis: highest bit -> a vector that has it, reduced by no other.
    """

    __slots__ = ("basis",)

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self.basis: dict[int, int] = {}
        for vector in vectors:
            self.add(vector)

    @property
    def rank(self) -> int:
        """Return the number of independent vectors."""
        return len(self.basis)

    def copy(self) -> Span:
        """Return a span that grows apart from this one."""
        other = Span()
        other.basis = dict(self.basis)
        return other

    def reduced(self, vector: int) -> int:
        """Return what is left of a vector, 0 for one of the span."""
        while vector and (top := vector.bit_length()) in self.basis:
            vector ^= self.basis[top]
        return vector

    def holds(self, vector: int) -> bool:
        """Return whether the vector is a sum of those added."""
        return self.reduced(vector) == 0

    def add(self, vector: int) -> bool:
        """Add a vector; return whether it was new."""
        rest = self.reduced(vector)
        if rest:
            self.basis[rest.bit_length()] = rest
        return rest != 0


def completed(span: Span, candidates: Sequence[int], count: int) -> list[int]:
    """Return up to `count` candidates, in order, that enlarge the span, and enlarge it."""
    out: list[int] = []
    for vector in candidates:
        if len(out) == count:
            break
        if span.add(vector):
            out.append(vector)
    return out
