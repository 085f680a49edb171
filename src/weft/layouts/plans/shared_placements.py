"""Place a tensor in shared memory for a given pair of instructions.

For a candidate the registers of one instruction are chosen, then what one phase of it reaches, then
the vector of each bit of the offset (`weft.layouts.plans.swizzle`), and last how both sides use
their instructions there. A candidate that does not fit its own placement yields nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.layouts.gf2 import Span, extend
from weft.layouts.instruction_tiles import InstructionTile
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.instruction_pairs import InstructionPair
from weft.layouts.plans.shared_access import MATRICES, SharedAccess, fit_access
from weft.layouts.plans.swizzle import Reach, placement
from weft.layouts.plans.thread_bases import ThreadBases, store_and_load_bases
from weft.layouts.shared_memory import SharedMemory

__all__ = ["Placed", "SharedRoundTrip", "shared_round_trip"]

Placed = tuple[tuple[int, ...], SharedAccess, SharedAccess]


@dataclass(frozen=True, slots=True)
class SharedRoundTrip:
    """Hold what is to be moved.

    Fields: write, read: both sides.  element_bits: in memory.  memory: of the chip.
    idle_lanes, idle_warps: masks of those that write only what others do.
    """

    write: ThreadBases
    read: ThreadBases
    element_bits: int
    memory: SharedMemory
    idle_lanes: int
    idle_warps: int

    def least_price(self, candidate: InstructionPair) -> tuple[int, int]:
        """Return passes and instructions that a candidate takes if nothing conflicts."""
        passes = instructions = 0
        for side, tile in ((self.write, candidate.write), (self.read, candidate.read)):
            writes = side is self.write
            masked = self.idle_lanes if writes and tile.is_plain else 0
            lanes = {lane for lane in range(1 << len(tile.address)) if not lane & masked}
            phases = self.memory.phases(tile.bits, side.kind)
            busy = sum(not lanes.isdisjoint(phase) for phase in phases)
            rest = max(0, len(side.registers) - tile.registers)
            warps = len(side.warps) - (self.idle_warps.bit_count() if writes else 0)
            passes += busy << (rest + warps)
            instructions += 1 << max(0, rest - MATRICES if tile.grows else rest)
        return passes, instructions

    def placed(self, candidate: InstructionPair) -> Iterator[Placed]:
        """Yield the vectors of the offset, and both accesses, the most repetitions first.

        A repetition must leave enough registers to move four matrices at once. Two instructions
        of matrices therefore keep two bits of registers that could be repetitions, as Triton
        does; with one of them, both ways are tried.
        """
        common = self._common(candidate)
        first = _registers(self.write, candidate.write, candidate.vector, common)
        second = _registers(self.read, candidate.read, candidate.vector, common)
        if first is None or second is None:
            return
        apart = [v for v in common if v not in (*first, *second)]
        columns, low = self._columns(candidate, first, second, apart)
        most = 0
        while most < len(columns) - low and columns[-1 - most] in apart:
            most += 1
        grow = [tile.grows for tile in (candidate.write, candidate.read)]
        most = max(0, most - MATRICES) if all(grow) else most
        tries = 1 + MATRICES if any(grow) and not all(grow) else 1
        idle = self.idle_lanes, self.idle_warps
        bits = max(columns, default=0).bit_length()
        for repetitions in reversed(range(most + 1)):
            write = fit_access(self.write, candidate.write, columns, first, repetitions, idle, bits)
            read = fit_access(self.read, candidate.read, columns, second, repetitions, (0, 0), bits)
            if write is not None and read is not None:
                yield columns, write, read
                tries -= 1
                if not tries:
                    return

    def _common(self, candidate: InstructionPair) -> list[int]:
        """Return registers of both sides that may be repetitions."""
        if not self.read.stays:
            return []
        shared = [v for v in self.write.vectors if v in self.read.vectors]
        return [v for v in shared if v not in candidate.vector]

    def _columns(
        self,
        candidate: InstructionPair,
        first: Sequence[int],
        second: Sequence[int],
        apart: Sequence[int],
    ) -> tuple[tuple[int, ...], int]:
        """Return the vectors of the offset, and how many lowest ones are not to be moved."""
        held = (*self.write.lanes, *self.write.warps, *self.write.registers)
        word = max(0, (self.memory.bank_bytes * 8 // self.element_bits).bit_length() - 1)
        low = list(candidate.vector)
        low += extend(Span(low), held, max(0, word - len(low)))
        reaches = [
            self._reach(self.write, candidate.write, first, low, word),
            self._reach(self.read, candidate.read, second, low, word),
        ]
        return placement(low, reaches, held, apart), len(low)

    def _reach(
        self,
        side: ThreadBases,
        tile: InstructionTile,
        registers: Sequence[int],
        low: Sequence[int],
        word: int,
    ) -> Reach:
        """Return what one phase of an instruction reaches: its lanes, its rows, whole words."""
        row = self.memory.phase(tile.bits, side.kind)
        images = [
            (side.lanes if slot[0] == "l" else registers)[int(slot[1:])] for slot in tile.address
        ]
        lanes = []
        for mask in row.masks:
            reached = 0
            for bit, image in enumerate(images):
                reached ^= image if mask >> bit & 1 else 0
            lanes.append(reached)
        period = (row.banks * self.memory.bank_bytes * 8 // self.element_bits).bit_length() - 1
        return Reach((*low[: max(word, len(tile.offset))], *lanes), period)


def _registers(
    side: ThreadBases, tile: InstructionTile, vector: Sequence[int], common: Sequence[int]
) -> list[int] | None:
    """Return the vectors of an instruction's registers, None where there are too few."""
    found = [vector[place] for place, slot in enumerate(tile.offset) if slot[0] == "r"]
    free = [v for v in side.vectors if v not in vector]
    free.sort(key=lambda v: v in common)
    more = tile.registers - len(found)
    return None if len(free) < more else found + free[:more]


def shared_round_trip(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> SharedRoundTrip:
    """Return the round trip of a tensor; layouts without registers that repeat."""
    inner = source.sublayout(["register", "lane", "warp"], list(source.out_shifts))
    idle = inner.free_variable_masks()
    return SharedRoundTrip(
        *store_and_load_bases(source, target), element_bits, memory, idle["lane"], idle["warp"]
    )
