"""The bases of threads that write to, or read from, the shared memory of a CTA.

A CTA's threads reach their own shared memory, or another CTA's of the cluster. So a basis of the
target is split into the CTA whose memory holds the element, and the place within that CTA:

    basis of the target  =  sum of the source's registers, lanes and warps   ^   sum of its CTAs
                            place within a CTA                                   CTA
"""

from __future__ import annotations

import itertools

from msgspec import Struct

from weft.layouts import gf2
from weft.layouts.linear_layout import LinearLayout

__all__ = ["ThreadBases", "store_and_load_bases"]

_WITHIN_CTA = ("register", "lane", "warp")


class ThreadBases(Struct, frozen=True):
    """The packed bases of the threads that write or read, per bit of their number.

    Attributes:
        kind: "write" or "read".
        registers: places within a CTA, of the register's bits.
        lanes: the bases of the lane's bits.
        warps: the bases of the warp's bits.
        blocks: the bases of the bits of the thread's CTA.
        ctas: the CTA whose memory is accessed, for each bit of registers, lanes, warps, blocks.
    """

    kind: str
    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]
    blocks: tuple[int, ...]
    ctas: tuple[int, ...]

    @property
    def within_cta(self) -> tuple[int, ...]:
        """The bases of registers, lanes and warps."""
        return (*self.registers, *self.lanes, *self.warps)

    @property
    def vectorizable(self) -> tuple[int, ...]:
        """The bases of registers whose elements can be neighbours: in one CTA's memory."""
        ctas = self.ctas[: len(self.registers)]
        return tuple(v for v, cta in zip(self.registers, ctas, strict=True) if v and not cta)

    @property
    def stays_in_cta(self) -> bool:
        """Whether every CTA accesses its own memory only."""
        count = len(self.within_cta)
        own = tuple(1 << bit for bit in range(len(self.blocks)))
        return not any(self.ctas[:count]) and self.ctas[count:] == own


def store_and_load_bases(
    source: LinearLayout, target: LinearLayout
) -> tuple[ThreadBases, ThreadBases]:
    """Return the bases of the threads that store a tensor, and of those that load it.

    Args:
        source: the layout before, without registers that broadcast.
        target: the layout after, likewise.
    """
    source_blocks = source.images("block")
    own_ctas = tuple(1 << bit for bit in range(len(source_blocks)))
    registers, lanes, warps = (source.images(name) for name in _WITHIN_CTA)
    no_ctas = (0,) * (len(registers) + len(lanes) + len(warps))
    # Each CTA writes all it has to its own memory.
    store = ThreadBases(
        "write", registers, lanes, warps, (0,) * len(source_blocks), no_ctas + own_ctas
    )
    inner = [image for name in _WITHIN_CTA for image in target.images(name)]
    # What changes from the source to the target when the number of the CTA does.
    shift = [a ^ b for a, b in zip(target.images("block"), source_blocks, strict=True)]
    if gf2.solve(store.within_cta, [*inner, *shift]) is not None:
        # Each CTA finds everything in its own memory.
        places, ctas = [*inner, *shift], [0] * len(inner) + list(own_ctas)
    else:
        bases = [*inner, *target.images("block")]
        solution = gf2.solve([*store.within_cta, *source_blocks], bases)
        assert solution is not None  # both layouts are surjective
        ctas = [terms >> len(store.within_cta) for terms in solution]
        places = [v ^ _sum(source_blocks, cta) for v, cta in zip(bases, ctas, strict=True)]
    counts = [len(target.images(name)) for name in (*_WITHIN_CTA, "block")]
    ends = itertools.accumulate(counts, initial=0)
    registers, lanes, warps, blocks = (
        tuple(places[start:end]) for start, end in itertools.pairwise(ends)
    )
    return store, ThreadBases("read", registers, lanes, warps, blocks, tuple(ctas))


def _sum(vectors: tuple[int, ...], choice: int) -> int:
    """Return the sum of the vectors whose bit is set in `choice`."""
    total = 0
    for bit, vector in enumerate(vectors):
        total ^= vector if choice >> bit & 1 else 0
    return total
