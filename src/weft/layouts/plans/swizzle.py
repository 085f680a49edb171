"""The layout of shared memory between two layouts of registers: widest accesses, then no conflicts.

Shared memory is read as vectors, in banks, in segments: offset = (vector, bank, segment). Elements
that differ by a sum of segment vectors share a bank. Let A and B be the spans of what the lanes of
one phase reach, writing and reading. Then

    vector    registers that both sides hold side by side, up to 128 bits
    segment   a space that meets neither A nor B (but in 0): first what lies outside both, then
              sums a ^ b of what is only in A and only in B; both have one common complement
    bank      what completes these to all of the tensor

Only when the tensor leaves no such space, segments come from inside A or B, and accesses conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.layouts.linear import LinearLayout
from weft.layouts.phases import SharedMemory

__all__ = ["optimal_swizzle"]


def optimal_swizzle(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> LinearLayout:
    """Return offset -> element for the round trip of a tensor through shared memory.

    Args: source: writes, target: reads; of one order of out-dimensions.  element_bits: 8 or more.
    Returns: a layout that reaches what the registers, lanes and warps of the source hold.
    """
    space = _Space()
    held = [v for name in ("register", "lane", "warp") for v in source.images(name)]
    whole = _Space(held)
    most = max(1, 128 // element_bits).bit_length() - 1
    both = [v for v in source.images("register") if v in target.images("register")]
    vector = [v for v in both if whole.holds(v) and space.add(v)][:most]
    space = _Space(vector)
    write = _phase(source, memory, len(vector), element_bits, "write")
    read = _phase(target, memory, len(vector), element_bits, "read")
    word = (32 // element_bits).bit_length() - 1 if element_bits < 32 else 0
    fillers = [*(v for v in write if v in read), *read, *write, *held]
    vector += _completed(space, fillers, max(0, word - len(vector)), whole)
    bank_bits = (memory.banks * memory.bank_bytes * 8 // element_bits).bit_length() - 1
    banks = max(0, min(bank_bits, whole.rank) - len(vector))
    segments = _segments(vector, write, read, whole, whole.rank - len(vector) - banks)
    space = _Space([*vector, *segments])
    bank = _completed(space, [*read, *write, *held], banks, whole)
    return LinearLayout((("offset", (*vector, *bank, *segments)),), source.outs)


class _Space:
    """Hold a span of vectors, grown one at a time."""

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self.basis: dict[int, int] = {}
        for vector in vectors:
            self.add(vector)

    @property
    def rank(self) -> int:
        return len(self.basis)

    def reduced(self, vector: int) -> int:
        while vector and (top := vector.bit_length()) in self.basis:
            vector ^= self.basis[top]
        return vector

    def holds(self, vector: int) -> bool:
        return self.reduced(vector) == 0

    def add(self, vector: int) -> bool:
        """Add a vector; return whether it was new."""
        rest = self.reduced(vector)
        if rest:
            self.basis[rest.bit_length()] = rest
        return rest != 0


def _phase(
    layout: LinearLayout, memory: SharedMemory, vector: int, element_bits: int, kind: str
) -> list[int]:
    """Return what the lanes of the first phase of an access reach."""
    lanes = memory.phases(min(128, element_bits << vector), kind)[0]
    images = layout.images("lane")
    reached = []
    for lane in lanes:
        image = 0
        for bit, column in enumerate(images):
            image ^= column if lane >> bit & 1 else 0
        reached.append(image)
    space = _Space()
    return [v for v in (*(i for i in images if i in reached), *reached) if space.add(v)]


def _completed(space: _Space, candidates: Sequence[int], count: int, whole: _Space) -> list[int]:
    """Return up to `count` candidates, in order, that enlarge the space, and enlarge it."""
    out: list[int] = []
    for vector in candidates:
        if len(out) == count:
            break
        if whole.holds(vector) and space.add(vector):
            out.append(vector)
    return out


def _segments(
    vector: Sequence[int], write: Sequence[int], read: Sequence[int], whole: _Space, count: int
) -> list[int]:
    """Return `count` vectors that meet what a phase reaches as little as can be."""
    in_write, in_read = _Space([*vector, *write]), _Space([*vector, *read])
    everything = list(whole.basis.values())
    outside = _Space([*vector, *write, *read])
    free = [v for v in sorted(everything) if outside.add(v)]
    with_read, with_write = _Space([*vector, *read]), _Space([*vector, *write])
    only_write = [v for v in write if whole.holds(v) and with_read.add(v)]
    only_read = [v for v in read if whole.holds(v) and with_write.add(v)]
    free += [a ^ b for a, b in zip(only_write, only_read, strict=False)]
    paired = min(len(only_write), len(only_read))
    longer = only_write[paired:] or only_read[paired:]
    shared = [v for v in (*write, *read) if in_write.holds(v) and in_read.holds(v)]
    space = _Space(vector)
    return _completed(space, [*free, *longer, *shared, *everything], count, whole)
