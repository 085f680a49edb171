"""Pairs of a store and a load that could carry a conversion through shared memory.

The lowest bits of the offset hold vectors that both instructions must agree on. A plain store takes
as many of them as it has register bits; ldmatrix of 16-bit elements needs one register bit and the
two lowest lane bits there (`weft.layouts.instruction_tiles`). For a blocked tile of 16-bit elements
that is stored, and loaded as an operand of mma:

    store b128        its registers are columns 1, 2, 4
    ldmatrix          register=1 is column 1, lane=1 column 2, lane=2 column 4       they agree
    ldmatrix.trans    needs lane=4, lane=8 and lane=16, which are rows               they do not

If the two agree in the first vectors only, they are a pair with a narrower plain access.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from weft.layouts.instruction_tiles import TILES, InstructionTile, vector
from weft.layouts.plans.thread_bases import ThreadBases
from weft.layouts.shared_memory import SharedMemory

__all__ = ["InstructionPair", "instruction_pairs"]

_WIDEST_BITS = 128


class InstructionPair(Struct, frozen=True):
    """A store and a load.

    Attributes:
        write: the store.
        read: the load.
        vector: the vectors of the lowest bits of the offset.
        common: how many of these both sides of a plain pair have in registers; for other pairs,
            the most that there could be.
    """

    write: InstructionTile
    read: InstructionTile
    vector: tuple[int, ...]
    common: int = 0


def instruction_pairs(
    write: ThreadBases, read: ThreadBases, element_bits: int, memory: SharedMemory
) -> Iterator[InstructionPair]:
    """Yield the pairs; plain ones last, and of these single elements, which always work, last."""
    tiles = [
        tile
        for name in memory.instructions
        for tile in TILES[name]
        if element_bits in tile.element_bits
    ]
    stores = [tile for tile in tiles if tile.kind == "write"]
    # Only plain loads reach the memory of another CTA.
    loads = [tile for tile in tiles if tile.kind == "read" and read.stays_in_cta]
    most = _widest_vector(element_bits)
    for load in loads:
        for needed, bits in _beside_plain(read, write, load, element_bits):
            store = vector("write", element_bits, 1 << bits, memory.lanes)
            yield InstructionPair(store, load, needed, most)
    for store in stores:
        for load in loads:
            agreed = _agreed_vector(write, read, store, load)
            if agreed is not None:
                yield InstructionPair(store, load, agreed, most)
        for needed, bits in _beside_plain(write, read, store, element_bits):
            load = vector("read", element_bits, 1 << bits, memory.lanes)
            yield InstructionPair(store, load, needed, most)
    yield from _plain_pairs(write, read, element_bits, memory.lanes)


def _plain_pairs(
    write: ThreadBases, read: ThreadBases, element_bits: int, lanes: int
) -> Iterator[InstructionPair]:
    """Yield plain pairs, those with the most common registers first.

    The side that has further registers may use a wider access than the other.
    """
    most = _widest_vector(element_bits)
    shared = [v for v in write.vectorizable if v in read.vectorizable]
    for common in reversed(range(min(len(shared), most) + 1)):
        for side, other in ((write, read), (read, write)):
            own = [v for v in side.vectorizable if v not in shared]
            own.sort(key=lambda v, other=other: v not in other.lanes)
            for width in reversed(range(common, min(most, common + len(own)) + 1)):
                bits = {side.kind: width, other.kind: common}
                store = vector("write", element_bits, 1 << bits["write"], lanes)
                load = vector("read", element_bits, 1 << bits["read"], lanes)
                more = width - common
                # Its first and its last register are tried.
                for further in dict.fromkeys((tuple(own[:more]), tuple(own[len(own) - more :]))):
                    yield InstructionPair(store, load, (*shared[:common], *further), common)


def _widest_vector(element_bits: int) -> int:
    """Return the number of offset bits within the widest access."""
    return max(1, _WIDEST_BITS // element_bits).bit_length() - 1


def _beside_plain(
    side: ThreadBases, other: ThreadBases, tile: InstructionTile, element_bits: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the vectors that a tile needs, and how many a plain access of the other side takes.

    Registers of the tile that the other side has in registers too come first. If the other side
    has all that the tile needs, it may be wider still.
    """
    lanes = [side.lanes[int(bit[1:])] for bit in tile.offset if bit[0] == "l"]
    registers = [v for v in side.vectorizable if v not in lanes]
    registers.sort(key=lambda v: v not in other.vectorizable)
    count = len(tile.offset) - len(lanes)
    if len(registers) < count or 0 in lanes:
        return
    needed = [*registers[:count], *lanes]
    bits = 0
    while bits < len(needed) and needed[bits] in other.vectorizable:
        bits += 1
    if bits == len(needed):
        further = [v for v in other.vectorizable if v not in needed]
        for more in range(min(len(further), _widest_vector(element_bits) - bits), 0, -1):
            yield (*needed, *further[:more]), bits + more
    yield tuple(needed), bits


def _agreed_vector(
    write: ThreadBases, read: ThreadBases, store: InstructionTile, load: InstructionTile
) -> tuple[int, ...] | None:
    """Return the vectors that two tiles need, None if they need different ones."""
    if len(store.offset) != len(load.offset):
        return None
    common = [v for v in write.vectorizable if v in read.vectorizable]
    agreed: list[int] = []
    for bits in zip(store.offset, load.offset, strict=True):
        pairs = list(zip((write, read), bits, strict=True))
        # A lane names its vector; a register leaves the choice open.
        named = {side.lanes[int(bit[1:])] for side, bit in pairs if bit[0] == "l"}
        if not named:
            named = set([v for v in common if v not in agreed][:1])
        if len(named) != 1:
            return None
        (chosen,) = named
        if any(bit[0] == "r" and chosen not in side.vectorizable for side, bit in pairs):
            return None
        if not chosen:
            return None
        agreed.append(chosen)
    return tuple(agreed)
