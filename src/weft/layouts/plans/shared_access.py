"""How one side of a conversion uses its instruction: which registers, at which addresses.

A side's register bits are put in the order

    (bits of one instruction, further matrices, one instruction after another, repetitions)

and each bit of register, lane, warp and block adds (by XOR) its own part to the offset. The rows
of an instruction start where the bits of its address say, and the bits within a row touch nothing
else, which `fit_access` makes sure of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.layouts import gf2
from weft.layouts.bank_conflicts import wavefronts_of
from weft.layouts.instruction_tiles import InstructionTile
from weft.layouts.plans.thread_bases import ThreadBases
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SharedAccess", "fit_access"]

MATRICES = 2  # bits: one instruction moves up to four


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """Say how a side is written or read.

    Fields: side.  tile: the instruction.  matrices: bits of how many it moves at once.
    repetitions: bits of how often the memory is used anew.
    registers: the side's register bits in the order above.
    offsets: what each bit of registers (in the side's order), lanes, warps and blocks adds, those
    of repetitions cut off.
    idle_lanes, idle_warps: masks; a lane or warp that has one of these bits writes nothing that
    another one does not.
    """

    side: ThreadBases
    tile: InstructionTile
    matrices: int
    repetitions: int
    registers: tuple[int, ...]
    offsets: tuple[int, ...]
    idle_lanes: int = 0
    idle_warps: int = 0

    @property
    def name(self) -> str:
        """Return the instruction, with the number of matrices that it moves."""
        return f"{self.tile.name} x{1 << self.matrices}" if self.tile.grows else self.tile.name

    @property
    def moved(self) -> int:
        """Return the register bits of one instruction."""
        return self.tile.registers + self.matrices

    @property
    def count(self) -> int:
        """Return how many instructions a warp executes, over all repetitions."""
        return 1 << (len(self.registers) - self.moved)

    @property
    def warps(self) -> int:
        """Return how many warps of a block take part."""
        return 1 << (len(self.side.warps) - self.idle_warps.bit_count())

    def addresses(self) -> np.ndarray:
        """Return offsets, indexed by [instruction of a repetition, address lane, warp, block]."""
        return self._table(self.offsets)

    def of_lanes(self) -> list[int]:
        """Return what each bit of the lane that gives an address adds to the offset."""
        return self._of_address(self.offsets)

    def of_warps(self) -> list[int]:
        """Return what each bit of the warp adds to the offset."""
        return list(self._split(self.offsets)[2])

    def of_blocks(self) -> list[int]:
        """Return what each bit of the block adds to the offset."""
        return list(self._split(self.offsets)[3])

    def homes_of_threads(self) -> tuple[list[int], list[int], list[int]]:
        """Return what each bit of address lane, warp and block adds to the block that is meant."""
        _, _, warps, blocks = self._split(self.side.homes)
        return self._of_address(self.side.homes), list(warps), list(blocks)

    def homes(self) -> np.ndarray:
        """Return the blocks whose memory is meant, indexed likewise."""
        return self._table(self.side.homes)

    def _table(self, parts: Sequence[int]) -> np.ndarray:
        """Return the sums of what each bit adds."""
        import numpy as np

        registers, _, warps, blocks = self._split(parts)
        rest = self.registers[self.moved : len(self.registers) - self.repetitions]
        axes = ([registers[bit] for bit in rest], self._of_address(parts), warps, blocks)
        out = np.zeros((1, 1, 1, 1), np.int64)
        for axis, vectors in enumerate(axes):
            shape = [1, 1, 1, 1]
            shape[axis] = -1
            out = out ^ np.array(_sums(vectors), np.int64).reshape(shape)
        return out

    def _split(self, parts: Sequence[int]) -> list[Sequence[int]]:
        """Return the parts of registers, lanes, warps and blocks."""
        out, start = [], 0
        for group in (self.side.registers, self.side.lanes, self.side.warps, self.side.blocks):
            out.append(parts[start : start + len(group)])
            start += len(group)
        return out

    def _of_address(self, parts: Sequence[int]) -> list[int]:
        """Return what each bit of the address lane adds."""
        registers, lanes, _, _ = self._split(parts)
        slots = [registers[bit] for bit in self.registers[: self.moved]]
        own = [(lanes if slot[0] == "l" else slots)[int(slot[1:])] for slot in self.tile.address]
        return [*own, *slots[self.tile.registers :]]

    def numbers(self) -> np.ndarray:
        """Return register numbers, indexed by [repetition, instruction, register of it]."""
        import numpy as np

        table = np.array(_sums([1 << bit for bit in self.registers]))
        rest = len(self.registers) - self.moved - self.repetitions
        return table.reshape(1 << self.repetitions, 1 << rest, 1 << self.moved)

    def passes(self, element_bits: int, memory: SharedMemory) -> tuple[int, int]:
        """Return the passes of one instruction over the banks, and how many would be ideal.

        Another instruction's addresses are these shifted by XOR, which only renames the banks.
        """
        offsets = _sums(self._of_address(self.offsets))
        idle = self.idle_lanes if self.tile.is_plain else 0
        places = [at * element_bits // 8 for at in offsets]
        rows = [None if lane & idle else place for lane, place in enumerate(places)]
        rows += [None] * (memory.lanes - len(rows))
        phases = memory.phases(self.tile.bits, self.side.kind)
        ideal = sum(any(rows[lane] is not None for lane in phase) for phase in phases)
        return wavefronts_of(rows, self.tile.bits, memory, self.side.kind), ideal


def _sums(vectors: Sequence[int]) -> list[int]:
    """Return all sums, the first vector in the lowest bit of the index."""
    out = [0]
    for vector in vectors:
        out += [value ^ vector for value in out]
    return out


def fit_access(
    side: ThreadBases,
    tile: InstructionTile,
    columns: Sequence[int],
    chosen: Sequence[int],
    repetitions: int,
    idle: tuple[int, int],
    bits: int,
) -> SharedAccess | None:
    """Return how a side uses an instruction on a layout of shared memory, None where it cannot.

    Args: columns: the vector of each bit of the offset, those of repetitions last.
    chosen: vectors of the registers of one instruction.  repetitions: their bits.
    idle: masks of lanes and warps.  bits: of a packed vector.
    """
    local = [*side.held, *side.blocks]
    offsets = gf2.solve(columns, local)
    assert offsets is not None
    registers = list(side.registers)
    repeated = [registers.index(v) for v in columns[len(columns) - repetitions :]]
    slots = [registers.index(v) for v in chosen]
    if not _rows_are_free(side, tile, offsets, slots):
        return None
    high = (1 << len(columns)) - (1 << (len(columns) - repetitions))
    others = [o for place, o in enumerate(offsets) if place not in repeated]
    if any(offset & high for offset in others):
        return None
    rest = [bit for bit in range(len(registers)) if bit not in (*slots, *repeated)]
    matrices = min(len(rest), MATRICES) if tile.grows else 0
    order = (*slots, *rest, *repeated)
    low = tuple(offset & ~high for offset in offsets)
    return SharedAccess(side, tile, matrices, repetitions, order, low, *idle)


def _rows_are_free(
    side: ThreadBases, tile: InstructionTile, offsets: Sequence[int], slots: Sequence[int]
) -> bool:
    """Return whether the bits within a row are neighbours, and nothing else touches them."""
    first_lane = len(side.registers)
    places = [
        slots[int(slot[1:])] if slot[0] == "r" else first_lane + int(slot[1:])
        for slot in tile.offset
    ]
    within = (1 << len(places)) - 1
    return all(
        offset == 1 << places.index(place) if place in places else not offset & within
        for place, offset in enumerate(offsets)
    )
