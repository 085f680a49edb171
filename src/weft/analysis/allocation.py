"""Allocation of shared memory: an offset for each buffer, such that live buffers do not overlap.

    0  %a = ttg.local_alloc      4096 bytes      live in [0, 2]       offset 0
    1  tt.reduce                  512 bytes      live in [1, 1]       offset 4096 (scratch)
    2  ttg.local_load %a
    3  %b = ttg.local_alloc      2048 bytes      live in [3, 4]       offset 0: %a is dead
    4  ttg.local_load %b                                              4608 bytes in all

Two buffers interfere if their live ranges overlap. First fit: in some order, each buffer gets the
lowest offset at which it overlaps no interfering buffer that has an offset already. The result
depends on the order, and no order is always best; so several are tried and the smallest result is
taken. This is offset assignment on an interference graph, as in Triton (Analysis/Allocation.cpp).

An operation that exchanges values between threads through shared memory needs scratch memory while
it runs: a buffer with a live range of one operation. That of a `ttg.warp_specialize` holds what its
partitions capture. They read it before they begin, so their own buffers may take its place. Scratch
memory of the function itself is live throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from weft.analysis.buffer_aliases import Aliases, buffer_aliases
from weft.analysis.liveness import Liveness, LiveRange
from weft.analysis.mbarriers import MbarrierUses, mbarrier_uses
from weft.ir import tt, ttg
from weft.ir.builtin import Operation, SSAValue

__all__ = ["Allocation", "ByteRange", "allocate"]

_ALIGNMENT_OF_SCRATCH: Mapping[type[Operation], int] = {
    tt.CallOp: 1024,  # a callee may have any kind of buffer in its frame
    ttg.WarpSpecializeOp: 8,  # scalars that partitions capture
    tt.FuncOp: 4,  # a number
}
_DEFAULT_ALIGNMENT = 16
Owner: TypeAlias = SSAValue | Operation


class ByteRange(Struct, frozen=True):
    """Bytes of shared memory.

    Attributes:
        start: The offset of the first byte.
        size: The number of bytes.
    """

    start: int
    size: int

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.start + self.size

    def overlaps(self, other: ByteRange) -> bool:
        """Check whether both contain some byte."""
        return self.start < other.end and other.start < self.end


class Allocation(Struct, frozen=True):
    """The shared memory of a function.

    Attributes:
        buffers: The bytes of each buffer, by the result of its allocation.
        scratch: The bytes of each operation that needs scratch memory.
        size: The bytes that the function needs in all.
        aliases: The buffers that each value may refer to.
        live_ranges: The live range of each buffer and of each scratch memory.
        mbarriers: What happens to the mbarriers in each buffer that has some.
    """

    buffers: Mapping[SSAValue, ByteRange]
    scratch: Mapping[Operation, ByteRange]
    size: int
    aliases: Aliases
    live_ranges: Mapping[Owner, LiveRange]
    mbarriers: Mapping[SSAValue, MbarrierUses] = field(default_factory=dict[SSAValue, MbarrierUses])

    def bytes_of(self, values: Iterable[SSAValue]) -> frozenset[ByteRange]:
        """Collect the bytes that some values may refer to."""
        return frozenset(
            self.buffers[buffer] for value in values for buffer in self.aliases.get(value, ())
        )

    def live_at_peak(self) -> list[tuple[Owner, ByteRange]]:
        """List what is live at the operation where most bytes are, the largest first."""
        ranges: dict[Owner, ByteRange] = {**self.buffers, **self.scratch}

        def live_at(number: int) -> list[tuple[Owner, ByteRange]]:
            return [
                (owner, ranges[owner])
                for owner, live in self.live_ranges.items()
                if live.first <= number <= live.last
            ]

        # The number of live bytes grows only where a live range starts.
        starts = sorted({live.first for live in self.live_ranges.values()})
        if not starts:
            return []
        peak = max(map(live_at, starts), key=lambda live: sum(range_.size for _, range_ in live))
        return sorted(peak, key=lambda pair: -pair[1].size)


class _Request(Struct):
    """Memory to place.

    Attributes:
        owner: The result of an allocation, or the operation that needs scratch memory.
        size: The number of bytes.
        alignment: What divides the offset, in bytes.
        live: When the memory is needed.
    """

    owner: Owner
    size: int
    alignment: int
    live: LiveRange

    @property
    def length(self) -> int:
        """The number of operations of the live range."""
        return self.live.last - self.live.first + 1


def allocate(
    function: tt.FuncOp,
    buffer_bytes: Callable[[SSAValue], int],
    scratch_bytes: Callable[[Operation], int],
    alignment: Callable[[SSAValue], int] = lambda value: 16,
    preferred_scratch_bytes: Callable[[Operation], int] = lambda op: 0,
) -> Allocation:
    """Allocate the shared memory of a function.

    Args:
        function: A function with a body.
        buffer_bytes: The size of a buffer, given the result of its allocation.
        scratch_bytes: The scratch memory that an operation, or the function, needs; 0 for none.
        alignment: The alignment of a buffer, in bytes.
        preferred_scratch_bytes: The scratch memory that an operation makes better use of. It gets
            that much if the function then needs no more memory in all.
    """
    aliases = buffer_aliases(function)
    requests = _requests(function, aliases, buffer_bytes, scratch_bytes, alignment)
    placement, size = _smallest_placement(requests)
    for request in requests:
        if not isinstance(request.owner, Operation):
            continue
        needed, preferred = request.size, preferred_scratch_bytes(request.owner)
        if needed < preferred <= size:
            request.size = preferred
            larger_placement, larger_size = _smallest_placement(requests)
            if larger_size <= size:
                placement = larger_placement
            else:
                request.size = needed
    owners = [request.owner for request in requests]
    return Allocation(
        {owner: placement[owner] for owner in owners if isinstance(owner, SSAValue)},
        {owner: placement[owner] for owner in owners if isinstance(owner, Operation)},
        size,
        aliases,
        {request.owner: request.live for request in requests},
        mbarrier_uses(aliases),
    )


def _requests(
    function: tt.FuncOp,
    aliases: Aliases,
    buffer_bytes: Callable[[SSAValue], int],
    scratch_bytes: Callable[[Operation], int],
    alignment: Callable[[SSAValue], int],
) -> list[_Request]:
    """List the memory that a function needs: its buffers, then its scratch memory."""
    liveness = Liveness(function)
    requests = [
        _Request(buffer, buffer_bytes(buffer), alignment(buffer), live)
        for buffer, live in liveness.of_buffers(ttg.LocalAllocOp, aliases, aliases).items()
    ]
    for op in (function, *liveness.numbers):
        if not isinstance(op, ttg.LocalAllocOp) and (size := scratch_bytes(op)):
            align = _ALIGNMENT_OF_SCRATCH.get(type(op), _DEFAULT_ALIGNMENT)
            requests.append(_Request(op, size, align, liveness.of_operation(op)))
    return requests


def _smallest_placement(requests: Sequence[_Request]) -> tuple[dict[Owner, ByteRange], int]:
    """Place memory in several orders; return the smallest placement and its size in bytes."""
    orders: tuple[Callable[[_Request], tuple[int, ...]], ...] = (
        lambda request: (-request.size, request.live.first),
        lambda request: (request.live.first, -request.size),
        lambda request: (-request.length, -request.size),
        lambda request: (-request.size * request.length, request.live.first),
    )
    placements = [_first_fit(sorted(requests, key=order)) for order in orders]
    sizes = [
        max((range_.end for range_ in placement.values()), default=0) for placement in placements
    ]
    smallest = sizes.index(min(sizes))  # the first of them, so that the result is stable
    return placements[smallest], sizes[smallest]


def _first_fit(requests: Sequence[_Request]) -> dict[Owner, ByteRange]:
    """Place each request at the lowest offset that no interfering one before it takes."""
    placement: dict[Owner, ByteRange] = {}
    for number, request in enumerate(requests):
        interfering = sorted(
            (placement[other.owner].start, placement[other.owner].end)
            for other in requests[:number]
            if request.live.overlaps(other.live)
        )
        start = 0
        for other_start, other_end in interfering:
            if start + request.size <= other_start:
                break  # the gap before it is large enough
            start = max(start, -(-other_end // request.alignment) * request.alignment)
        placement[request.owner] = ByteRange(start, request.size)
    return placement
