"""Place a tensor in shared memory for a given store and load.

For a pair of instructions choose the registers of one instruction on each side, then what one phase
of it reaches, then the vector of each bit of the offset (`weft.layouts.plans.swizzle`), and finally
how both sides use their instructions there. A pair that does not fit its own placement has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from weft.layouts.gf2 import Span, extend
from weft.layouts.instruction_tiles import InstructionTile
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.instruction_pairs import InstructionPair
from weft.layouts.plans.shared_access import MATRIX_BITS, SharedAccess, fit_access
from weft.layouts.plans.swizzle import PhaseReach, swizzled_bases
from weft.layouts.plans.thread_bases import ThreadBases, store_and_load_bases
from weft.layouts.shared_memory import SharedMemory

__all__ = ["Placement", "SharedRoundTrip", "shared_round_trip"]


class Placement(Struct, frozen=True):
    """Where a tensor lies in shared memory, and how it is accessed.

    Attributes:
        columns: the vector of each bit of the offset.
        write: how it is stored.
        read: how it is loaded.
    """

    columns: tuple[int, ...]
    write: SharedAccess
    read: SharedAccess


class SharedRoundTrip(Struct, frozen=True):
    """A tensor that is stored to shared memory and loaded in another layout.

    Attributes:
        write: the threads that store.
        read: the threads that load.
        element_bits: the bits of an element in memory.
        memory: the shared memory of the chip.
        idle_lanes: a mask; lanes with one of these bits store only what others do.
        idle_warps: the same for warps.
    """

    write: ThreadBases
    read: ThreadBases
    element_bits: int
    memory: SharedMemory
    idle_lanes: int
    idle_warps: int

    def lower_bound(self, pair: InstructionPair) -> tuple[int, int]:
        """Return the passes and instructions that a pair takes if nothing conflicts."""
        passes = instructions = 0
        for side, tile in ((self.write, pair.write), (self.read, pair.read)):
            stores = side is self.write
            idle = self.idle_lanes if stores and tile.is_plain else 0
            active = {lane for lane in range(1 << len(tile.address)) if not lane & idle}
            phases = self.memory.phases(tile.bits, side.kind)
            active_phases = sum(not active.isdisjoint(phase) for phase in phases)
            later = max(0, len(side.registers) - tile.registers)
            warps = len(side.warps) - (self.idle_warps.bit_count() if stores else 0)
            passes += active_phases << (later + warps)
            instructions += 1 << max(0, later - MATRIX_BITS if tile.grows else later)
        return passes, instructions

    def placements(self, pair: InstructionPair) -> Iterator[Placement]:
        """Yield placements for a pair, those with the most repetitions first.

        Repetitions must leave enough registers to move four matrices at once: as in Triton, two
        instructions for matrices keep two register bits that could be repetitions. With one such
        instruction, each choice is tried.
        """
        common = self._common_registers(pair)
        write_registers = _tile_registers(self.write, pair.write, pair.vector, common)
        read_registers = _tile_registers(self.read, pair.read, pair.vector, common)
        if write_registers is None or read_registers is None:
            return
        # A register of one instruction must be in the memory at once, so it cannot be a repetition.
        repeatable = [v for v in common if v not in (*write_registers, *read_registers)]
        columns, low = self._columns(pair, write_registers, read_registers, repeatable)
        # Repetitions are the highest bits of the offset: each halves the memory in use.
        most = 0
        while most < len(columns) - low and columns[-1 - most] in repeatable:
            most += 1
        grows = [tile.grows for tile in (pair.write, pair.read)]
        most = max(0, most - MATRIX_BITS) if all(grows) else most
        tries = 1 + MATRIX_BITS if any(grows) and not all(grows) else 1
        idle = self.idle_lanes, self.idle_warps
        for repetitions in reversed(range(most + 1)):
            write = fit_access(self.write, pair.write, columns, write_registers, repetitions, idle)
            read = fit_access(self.read, pair.read, columns, read_registers, repetitions, (0, 0))
            if write is not None and read is not None:
                yield Placement(columns, write, read)
                tries -= 1
                if not tries:
                    return

    def _common_registers(self, pair: InstructionPair) -> list[int]:
        """List the registers of both sides that could be repetitions."""
        if not self.read.stays_in_cta:
            return []
        common = [v for v in self.write.vectorizable if v in self.read.vectorizable]
        return [v for v in common if v not in pair.vector]

    def _columns(
        self,
        pair: InstructionPair,
        write_registers: Sequence[int],
        read_registers: Sequence[int],
        repeatable: Sequence[int],
    ) -> tuple[tuple[int, ...], int]:
        """Return the vector of each bit of the offset, and how many of the lowest are fixed."""
        tensor = (*self.write.lanes, *self.write.warps, *self.write.registers)
        # Elements of one word are accessed together, also if the vector is narrower.
        word = max(0, (self.memory.bank_bytes * 8 // self.element_bits).bit_length() - 1)
        low = list(pair.vector)
        low += extend(Span(low), tensor, max(0, word - len(low)))
        reaches = [
            self._reach(self.write, pair.write, write_registers, low, word),
            self._reach(self.read, pair.read, read_registers, low, word),
        ]
        return swizzled_bases(low, reaches, tensor, repeatable), len(low)

    def _reach(
        self,
        side: ThreadBases,
        tile: InstructionTile,
        registers: Sequence[int],
        low: Sequence[int],
        word: int,
    ) -> PhaseReach:
        """Compute the reach of one phase of an instruction: its lanes' rows, in whole words."""
        phase = self.memory.phase(tile.bits, side.kind)
        rows = [(side.lanes if bit[0] == "l" else registers)[int(bit[1:])] for bit in tile.address]
        lanes: list[int] = []
        # A phase serves the lanes that are sums of its masks; each mask reaches a sum of rows.
        for mask in phase.masks:
            reached = 0
            for bit, row in enumerate(rows):
                reached ^= row if mask >> bit & 1 else 0
            lanes.append(reached)
        # Offsets that differ by a whole line of banks share a bank: there the segment begins.
        line_elements = phase.banks * self.memory.bank_bytes * 8 // self.element_bits
        segment_start = line_elements.bit_length() - 1
        return PhaseReach((*low[: max(word, len(tile.offset))], *lanes), segment_start)


def _tile_registers(
    side: ThreadBases, tile: InstructionTile, vector: Sequence[int], common: Sequence[int]
) -> list[int] | None:
    """Return the vectors of an instruction's registers, None if there are too few.

    Registers that both sides have come last, as they can be repetitions.
    """
    registers = [vector[index] for index, bit in enumerate(tile.offset) if bit[0] == "r"]
    further = [v for v in side.vectorizable if v not in vector]
    further.sort(key=lambda v: v in common)
    missing = tile.registers - len(registers)
    return None if len(further) < missing else registers + further[:missing]


def shared_round_trip(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> SharedRoundTrip:
    """Return the round trip between two layouts without registers that broadcast."""
    inner = source.sublayout(["register", "lane", "warp"], list(source.out_shifts))
    idle = inner.free_variable_masks()
    return SharedRoundTrip(
        *store_and_load_bases(source, target), element_bits, memory, idle["lane"], idle["warp"]
    )
