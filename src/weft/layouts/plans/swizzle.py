"""Optimal swizzling: place a tensor in shared memory with wide accesses and without conflicts.

Each bit of the offset has a basis vector of the tensor. Read the offset as three fields,

    offset = (vector, bank, segment)        vector lowest

so that elements whose offsets differ in the segment only share a bank. Let A be the span of what
one phase of a store reaches, and B that of a load, both with the whole word of each element. An
access conflicts if two elements of its phase share a bank, that is, if A (or B) and the span of the
segment have a common vector other than 0. Therefore choose

    vector    what both instructions need side by side (`instruction_pairs`)
    segment   vectors such that their span meets A and B in 0 only: preferably registers of both
              sides, which can then pass through the memory one after another; else vectors outside
              of A and B; else a sum of one vector in A and one in B
    bank      what completes these to a basis of the tensor

By hand, with 4 banks of one element each, for 4 lanes that store rows of a 4x4 tile and load
columns of it. Write c1, c2 for the steps along columns and r1, r2 along rows:

    a store reaches  A = {0, c1, c2, c1 ^ c2}        4 lanes, one register at a time
    a load reaches   B = {0, r1, r2, r1 ^ r2}
    vector           none: no register is common to both
    segment          2 bits, as 16 elements take 4 lines of 4 banks. c1, c2 are in A and r1, r2 in
                     B, but r1 ^ c1 is in neither, nor is r2 ^ c2, nor their sum
    bank             c1, c2 complete these

        offset=1 -> c1      offset=2 -> c2      offset=4 -> r1 ^ c1      offset=8 -> r2 ^ c2

This is the swizzle that stores column c of row r in bank c ^ r. A phase reaches at most one word of
each bank, so the dimensions of A and B leave room for the segment; and as two proper subspaces
never cover a space, there is always a vector outside of both. Only if wide accesses of one side
include much of what distinguishes the lanes of the other, none is left that keeps the vector whole.
Accesses then conflict, and narrower ones may be better; `shared_memory_plan` measures both.

If the sides go through different numbers of banks, the segment of the one with fewer banks begins
at a lower bit: for each bit, the code asks which sides it belongs to the segment of.

Source of the idea: "Linear Layouts: Robust Code Generation of Efficient Tensor Computation Using
F2", arXiv 2505.23819, section on optimal swizzling.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from msgspec import Struct

from weft.layouts.gf2 import Span, extend

__all__ = ["PhaseReach", "swizzled_bases"]


class PhaseReach(Struct, frozen=True):
    """What one phase of an access reaches.

    Attributes:
        vectors: the vectors that span it.
        segment_start: the bit of the offset at which the segment begins for this access.
    """

    vectors: tuple[int, ...]
    segment_start: int


def swizzled_bases(
    vector: Sequence[int],
    reaches: Sequence[PhaseReach],
    tensor: Sequence[int],
    common: Sequence[int],
) -> tuple[int, ...]:
    """Return the basis vector of each bit of the offset, lowest first.

    Args:
        vector: the lowest ones; independent, and all reached by one of the sides.
        reaches: the reach of each side.
        tensor: vectors that span the part of the tensor that one CTA holds; banks prefer the
            first.
        common: registers of both sides; as many as possible become the highest bits.
    """
    whole = Span(tensor)
    # Mixing the vector with what distinguishes lanes would split it. The largest vectors become
    # the highest bits, so that what lanes and warps add to a coordinate stays together.
    others = sorted(whole.basis.values(), reverse=True)
    candidates = [*common, *(v for v in others if v not in vector)]
    spans = [Span(reach.vectors) for reach in reaches]
    chosen_span = Span(vector)
    segment: list[int] = []  # highest bit first
    start = max(min(reach.segment_start for reach in reaches), len(vector))
    for bit in reversed(range(start, whole.rank)):
        active = [s for s, reach in zip(spans, reaches, strict=True) if bit >= reach.segment_start]
        chosen = _outside_of([*active, chosen_span], chosen_span, candidates)
        segment.append(chosen)
        # The span of the whole segment has to avoid A and B. With what was chosen added to them,
        # the next vector avoids its sums with that, too.
        for span in (*spans, chosen_span):
            span.add(chosen)
    bank = extend(Span((*vector, *segment)), tensor, whole.rank)
    return (*vector, *bank, *reversed(segment))


def _outside_of(spans: Sequence[Span], chosen: Span, candidates: Sequence[int]) -> int:
    """Return the first candidate that is in no span; else a sum of two candidates; else a conflict.

    Args:
        spans: the spans to avoid.
        chosen: the span of what was chosen before, which the result must enlarge in any case.
        candidates: the candidates in order of preference.
    """
    memberships: list[int] = []  # for each candidate, a mask of the spans that contain it
    for candidate in candidates:
        mask = sum(1 << index for index, span in enumerate(spans) if candidate in span)
        if not mask:
            return candidate
        memberships.append(mask)
    for first, second in itertools.combinations(range(len(candidates)), 2):
        if not memberships[first] & memberships[second]:  # else that span contains the sum
            total = candidates[first] ^ candidates[second]
            if not any(total in span for span in spans):
                return total
    return next(v for v in candidates if v not in chosen)
