"""Offsets of buffers by colors of an interference graph, as Triton assigns them.

    a  1024 bytes  live in [0, 9]       at 0
    b   512 bytes  live in [1, 3]       at 1024, above a
    c   512 bytes  live in [4, 6]       at 1024, as b is dead
    d   256 bytes  live in [5, 8]       at 1536, above c

1. Buffers get a first offset, the largest first. A worklist has the free intervals of live ranges
   by offset. The first buffer that fits the lowest interval takes it, and leaves up to three: above
   itself, before it, and after it.
2. Buffers interfere if both their offsets and their live ranges overlap, or if they belong to
   regions that run at the same time. Each gets the lowest color that no neighbor has.
3. A buffer of any color but the first moves above its neighbors. That may create new
   interferences, so 2 and 3 repeat until there are none.

`weft.analysis.allocation` tries several orders of first fit, and code generation takes the smallest
result; this module answers where Triton places a buffer.
Source: Gergov, "Algorithms for Compile-Time Memory Optimization", SODA 1999; Triton,
Analysis/Allocation.cpp.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

from msgspec import Struct

from weft.ir import ttg
from weft.ir.builtin import Operation, Region, SSAValue
from weft.ir.rewriting import ancestors

__all__ = ["Buffer", "color"]

_END = 1 << 62  # after the last operation


class Buffer(Struct, eq=False):
    """A buffer to place.

    Attributes:
        owner: The result of an allocation, or the operation that needs scratch memory.
        size: The number of bytes.
        alignment: What divides the offset, in bytes.
        start: The number of the first operation at which it is live.
        end: The number after the last operation at which it is live.
        group: The number of the partitioned allocation that it is a part of, -1 for none. The
            parts have to be in different partitions of shared memory.
        offset: The offset, once it is placed.
    """

    owner: SSAValue | Operation
    size: int
    alignment: int
    start: int
    end: int
    group: int = -1
    offset: int = 0

    @property
    def top(self) -> int:
        """The offset after the last byte."""
        return self.offset + self.size

    @property
    def operation(self) -> Operation:
        """The operation that allocates it or needs it."""
        if isinstance(self.owner, Operation):
            return self.owner
        assert isinstance(self.owner.owner, Operation)
        return self.owner.owner

    def move(self, offset: int) -> None:
        """Set the offset, rounded up to the alignment."""
        self.offset = -(-offset // self.alignment) * self.alignment


_Neighbors = dict[Buffer, list[Buffer]]


def color(buffers: Sequence[Buffer], partition_bytes: int = 0) -> int:
    """Set the offset of each buffer.

    Args:
        buffers: The buffers, in the order of the program.
        partition_bytes: The bytes of a partition of shared memory, 0 if it has none.

    Returns:
        The size of all in bytes.
    """
    ordered = sorted(buffers, key=lambda buffer: -buffer.size)
    _start(ordered)
    concurrent = _concurrent_pairs(ordered)
    neighbors = _interference(ordered, concurrent, partition_bytes)
    while True:
        _separate(ordered, neighbors, partition_bytes)
        neighbors = _interference(ordered, concurrent, partition_bytes)
        if not neighbors:
            return max((buffer.top for buffer in ordered), default=0)


def _start(buffers: Sequence[Buffer]) -> None:
    """Set the first offset of each buffer."""
    # (offset, order of insertion, first operation, end)
    free: list[tuple[int, int, int, int]] = [(0, 0, 0, _END)]
    inserted = 1
    waiting = list(buffers)
    while waiting:
        offset, _, start, end = free.pop(0)
        buffer = next((each for each in waiting if _fits(each, start, end, free)), None)
        if buffer is None:
            continue
        waiting.remove(buffer)
        buffer.move(offset)
        intervals = [(buffer.top, max(start, buffer.start), min(end, buffer.end))]
        if start < buffer.start:
            intervals.append((offset, start, buffer.end))
        if buffer.end < end:
            intervals.append((offset, buffer.start, end))
        for at, first, last in intervals:
            insort(free, (at, inserted, first, last))
            inserted += 1


def _fits(
    buffer: Buffer, start: int, end: int, others: Sequence[tuple[int, int, int, int]]
) -> bool:
    """Check whether a buffer is live in one free interval only."""
    if not _overlap(buffer.start, buffer.end, start, end):
        return False
    return not any(_overlap(buffer.start, buffer.end, first, last) for _, _, first, last in others)


def _interference(
    buffers: Sequence[Buffer], concurrent: set[tuple[int, int]], partition_bytes: int
) -> _Neighbors:
    """List the buffers that each buffer must not overlap, and does."""
    neighbors: _Neighbors = {}
    for n, one in enumerate(buffers):
        for m, other in enumerate(buffers):
            if n == m:
                continue
            if _overlap(one.offset, one.top, other.offset, other.top):
                is_neighbor = (n, m) in concurrent or _overlap(
                    one.start, one.end, other.start, other.end
                )
            else:
                is_neighbor = False
            if is_neighbor or _share_partition(one, other, partition_bytes):
                neighbors.setdefault(one, []).append(other)
    return neighbors


def _concurrent_pairs(buffers: Sequence[Buffer]) -> set[tuple[int, int]]:
    """Find the buffers in different regions of one `ttg.warp_specialize`, which run at a time."""
    places = [_place(buffer.operation) for buffer in buffers]
    return {
        (n, m)
        for n, (around, region) in enumerate(places)
        for m, (other_around, other_region) in enumerate(places)
        if around is not None and around is other_around and region is not other_region
    }


def _place(op: Operation) -> tuple[Operation | None, Region | None]:
    """Find the innermost `ttg.warp_specialize` around an operation, and its region."""
    around = next((each for each in ancestors(op) if isinstance(each, ttg.WarpSpecializeOp)), None)
    return around, op.parent_region()


def _share_partition(one: Buffer, other: Buffer, partition_bytes: int) -> bool:
    """Check whether two parts of one allocation are in the same partition of shared memory."""
    if not partition_bytes or one.group < 0 or one.group != other.group:
        return False
    return one.offset // partition_bytes == other.offset // partition_bytes


def _separate(buffers: Sequence[Buffer], neighbors: _Neighbors, partition_bytes: int) -> None:
    """Color the buffers, and move those of any color but the first above their neighbors."""
    colors = dict.fromkeys(buffers, -1)
    if buffers:
        colors[buffers[0]] = 0
    for buffer in buffers:
        used = {colors[other] for other in neighbors.get(buffer, ())}
        colors[buffer] = next(number for number in range(len(buffers)) if number not in used)
    for buffer in buffers:
        if colors[buffer]:
            others = neighbors.get(buffer, ())
            ends = (_end_of(other, buffer, partition_bytes) for other in others)
            buffer.move(max(ends, default=0))


def _end_of(other: Buffer, buffer: Buffer, partition_bytes: int) -> int:
    """Compute the lowest offset at which a buffer is above another one."""
    if partition_bytes and other.group >= 0 and other.group == buffer.group:
        return (other.offset // partition_bytes + 1) * partition_bytes
    return other.top


def _overlap(first: int, end: int, other_first: int, other_end: int) -> bool:
    return first < other_end and other_first < end
