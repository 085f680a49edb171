"""The layout of shared memory between two layouts of registers: widest accesses, then no conflicts.

Shared memory is read as vectors, in banks, in segments: offset = (vector, bank, segment). Elements
that differ by a sum of segment vectors share a bank. Let A and B be the spans of what one phase
reaches, writing and reading, with the whole word of each element. Then

    vector    what both instructions want side by side (`weft.layouts.plans.instruction_pairs`)
    segment   a space that meets neither A nor B but in 0: first registers of both sides, which
              may then go through memory one after another, then what lies outside A and B, then
              a sum of one vector of each
    bank      what completes these to all of the tensor

A phase reaches at most one word of each bank, so A and B leave room for the segments, and two
proper subspaces never cover the whole: there is such a space. Only where wide accesses of one side
hold much of what tells lanes of the other apart, none is left that keeps the vector whole; then
accesses conflict, and narrower ones may be better (`shared_memory_plan` counts both).
Where the sides go through different numbers of banks, the segments of the one with fewer begin
lower; the loop below asks at every bit of the offset whom it concerns.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from weft.layouts.gf2 import Span, extend

__all__ = ["Reach", "placement"]


@dataclass(frozen=True, slots=True)
class Reach:
    """Say what one phase of a side reaches.

    Fields: vectors: that span it.  period: bits of the offset below which banks differ.
    """

    vectors: tuple[int, ...]
    period: int


def placement(
    vector: Sequence[int], reaches: Sequence[Reach], held: Sequence[int], common: Sequence[int]
) -> tuple[int, ...]:
    """Return the vector of each bit of the offset.

    Args: vector: those of the lowest bits, independent; one side reaches all of them.
    reaches: of both sides.  held: what spans the tensor of a block, the banks preferring the
    first.  common: registers of both sides; as many of them as can be are the highest.
    """
    whole = Span(held)
    # What is side by side must not be mixed with what tells lanes apart; the largest come highest,
    # so that what lanes and warps add to a coordinate stays together in the offset.
    others = sorted(whole.basis.values(), reverse=True)
    candidates = [*common, *(v for v in others if v not in vector)]
    spans = [Span(reach.vectors) for reach in reaches]
    below = Span(vector)
    top: list[int] = []
    least = min(reach.period for reach in reaches)
    for place in reversed(range(max(least, len(vector)), whole.rank)):
        active = [s for s, reach in zip(spans, reaches, strict=True) if place >= reach.period]
        chosen = _outside([*active, below], below, candidates)
        top.append(chosen)
        for span in (*spans, below):
            span.add(chosen)
    bank = extend(Span((*vector, *top)), held, whole.rank)
    return (*vector, *bank, *reversed(top))


def _outside(spans: Sequence[Span], below: Span, candidates: Sequence[int]) -> int:
    """Return the first candidate that no span holds, or a sum of two, or else any that is new."""
    within = []  # for each candidate, the spans that hold it
    for vector in candidates:
        held = sum(1 << place for place, span in enumerate(spans) if vector in span)
        if not held:
            return vector
        within.append(held)
    for first, second in itertools.combinations(range(len(candidates)), 2):
        if not within[first] & within[second]:  # a span that holds both holds their sum
            chosen = candidates[first] ^ candidates[second]
            if not any(chosen in span for span in spans):
                return chosen
    return next(v for v in candidates if v not in below)
