"""Which pairs of instructions could carry a conversion, and what they want side by side.

The lowest bits of the offset are a list of vectors that both instructions must agree on. A plain
store takes as many of the first as it has registers for; ldmatrix of 16 bits wants one register
and the first two lanes (`weft.layouts.instruction_tiles`). Writing a blocked tile and reading it
as an operand of mma, elements of 16 bits:

    store b128        its registers are columns 1, 2, 4
    ldmatrix          register column 1, lane 0 column 2, lane 1 column 4      they agree
    ldmatrix.trans    lanes 2, 3, 4 are rows                                   they do not

A pair that agrees only in the first vectors is a candidate too, with a narrower plain side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.layouts.instruction_tiles import TILES, InstructionTile, vector
from weft.layouts.plans.thread_bases import ThreadBases
from weft.layouts.shared_memory import SharedMemory

__all__ = ["InstructionPair", "instruction_pairs"]


@dataclass(frozen=True, slots=True)
class InstructionPair:
    """Hold a pair of instructions.

    Fields: write, read: the instructions.  vector: what the lowest bits of the offset hold.
    shared: how many of these both sides of a plain pair take, the most there can be for others.
    """

    write: InstructionTile
    read: InstructionTile
    vector: tuple[int, ...]
    shared: int = 0


def instruction_pairs(
    write: ThreadBases, read: ThreadBases, element_bits: int, memory: SharedMemory
) -> Iterator[InstructionPair]:
    """Yield the pairs, plain ones last, and last of these single elements, which always work."""
    tiles = [tile for name in memory.instructions for tile in TILES[name]]
    fitting = [tile for tile in tiles if element_bits in tile.element_bits]
    stores = [tile for tile in fitting if tile.kind == "write"]
    # Only plain loads reach another block's memory.
    loads = [tile for tile in fitting if tile.kind == "read" and read.stays]
    most = _widest(element_bits)
    for load in loads:
        for wanted, bits in _of_one(read, write, load, element_bits):
            store = vector("write", element_bits, 1 << bits, memory.lanes)
            yield InstructionPair(store, load, wanted, most)
    for store in stores:
        for load in loads:
            wanted = _of_two(write, read, store, load)
            if wanted is not None:
                yield InstructionPair(store, load, wanted, most)
        for wanted, bits in _of_one(write, read, store, element_bits):
            load = vector("read", element_bits, 1 << bits, memory.lanes)
            yield InstructionPair(store, load, wanted, most)
    yield from _plain(write, read, element_bits, memory.lanes)


def _plain(
    write: ThreadBases, read: ThreadBases, element_bits: int, lanes: int
) -> Iterator[InstructionPair]:
    """Yield plain pairs: all that both hold in registers, then what only one of them does."""
    most = _widest(element_bits)
    common = [v for v in write.vectors if v in read.vectors]
    for shared in reversed(range(min(len(common), most) + 1)):
        for side, other in ((write, read), (read, write)):
            own = [v for v in side.vectors if v not in common]
            own.sort(key=lambda v, other=other: v not in other.lanes)
            for wide in reversed(range(shared, min(most, shared + len(own)) + 1)):
                bits = {side.kind: wide, other.kind: shared}
                store = vector("write", element_bits, 1 << bits["write"], lanes)
                load = vector("read", element_bits, 1 << bits["read"], lanes)
                more = wide - shared
                for taken in dict.fromkeys((tuple(own[:more]), tuple(own[len(own) - more :]))):
                    yield InstructionPair(store, load, (*common[:shared], *taken), shared)


def _widest(element_bits: int) -> int:
    """Return the bits of the offset within 128 bits."""
    return max(1, 128 // element_bits).bit_length() - 1


def _of_one(
    side: ThreadBases, other: ThreadBases, tile: InstructionTile, element_bits: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield what a tile wants beside a plain instruction of the other side, and how wide that is.

    Of the tile's registers those come first that the other side holds in registers, too; a plain
    side that has all that the tile wants may be wider.
    """
    lanes = [side.lanes[int(slot[1:])] for slot in tile.offset if slot[0] == "l"]
    free = [v for v in side.vectors if v not in lanes]
    free.sort(key=lambda v: v not in other.vectors)
    count = len(tile.offset) - len(lanes)
    if len(free) < count or 0 in lanes:
        return
    wanted = [*free[:count], *lanes]
    bits = 0
    while bits < len(wanted) and wanted[bits] in other.vectors:
        bits += 1
    if bits == len(wanted):
        more = [v for v in other.vectors if v not in wanted][: _widest(element_bits) - bits]
        for taken in range(len(more), 0, -1):
            yield (*wanted, *more[:taken]), bits + taken
    yield tuple(wanted), bits


def _of_two(
    write: ThreadBases, read: ThreadBases, store: InstructionTile, load: InstructionTile
) -> tuple[int, ...] | None:
    """Return what two tiles want, None where they want different things."""
    if len(store.offset) != len(load.offset):
        return None
    common = [v for v in write.vectors if v in read.vectors]
    wanted: list[int] = []
    for slots in zip(store.offset, load.offset, strict=True):
        named = {
            side.lanes[int(slot[1:])]
            for side, slot in zip((write, read), slots, strict=True)
            if slot[0] == "l"
        }
        if not named:
            named = set([v for v in common if v not in wanted][:1])
        if len(named) != 1:
            return None
        (chosen,) = named
        for side, slot in zip((write, read), slots, strict=True):
            if slot[0] == "r" and chosen not in side.vectors:
                return None
        if not chosen:
            return None
        wanted.append(chosen)
    return tuple(wanted)
