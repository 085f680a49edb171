"""How one side of a conversion uses its instruction: which registers, at which addresses.

The register bits of a side are put in the order

    (bits of one instruction, further matrices, one instruction after another, repetitions)

and each bit of register, lane, warp and block adds its own part to the offset, by XOR. The rows of
an instruction start at the offsets of its address lanes, and nothing else touches the bits of the
offset within a row, which `fit_access` checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from weft.layouts import gf2
from weft.layouts.bank_conflicts import wavefronts_of
from weft.layouts.instruction_tiles import InstructionTile
from weft.layouts.plans.thread_bases import ThreadBases
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MATRIX_BITS", "SharedAccess", "fit_access"]

MATRIX_BITS = 2  # ldmatrix and stmatrix move up to four matrices


class SharedAccess(Struct, frozen=True):
    """How a tensor is written to shared memory or read from it.

    Attributes:
        bases: the bases of the threads.
        tile: the instruction.
        matrices: the logarithm of how many tiles it moves at once.
        repetitions: the logarithm of how often the memory is reused.
        registers: the register bits in the order above.
        offsets: what each bit of registers (in the order of `bases`), lanes, warps and blocks
            adds to the offset, without the bits of repetitions.
        idle_lanes: a mask; lanes with one of these bits write nothing that others do not.
        idle_warps: the same for warps.
    """

    bases: ThreadBases
    tile: InstructionTile
    matrices: int
    repetitions: int
    registers: tuple[int, ...]
    offsets: tuple[int, ...]
    idle_lanes: int = 0
    idle_warps: int = 0

    @property
    def name(self) -> str:
        """The instruction, with the number of matrices that it moves."""
        return f"{self.tile.name} x{1 << self.matrices}" if self.tile.grows else self.tile.name

    @property
    def register_bits(self) -> int:
        """The number of register bits of one instruction."""
        return self.tile.registers + self.matrices

    @property
    def count(self) -> int:
        """How many instructions a warp executes, over all repetitions."""
        return 1 << (len(self.registers) - self.register_bits)

    @property
    def warps(self) -> int:
        """How many warps of a CTA take part."""
        return 1 << (len(self.bases.warps) - self.idle_warps.bit_count())

    def addresses(self) -> NDArray[np.int64]:
        """Return offsets, indexed by [instruction of a repetition, address lane, warp, block]."""
        return self._table(self.offsets)

    def ctas(self) -> NDArray[np.int64]:
        """Return the CTAs whose memory is accessed, indexed as `addresses`."""
        return self._table(self.bases.ctas)

    def instruction_offsets(self) -> list[int]:
        """List the offset of each instruction of a repetition, for lane, warp and block 0."""
        return gf2.linear_combinations(self._of_instructions(self.offsets))

    def instruction_ctas(self) -> list[int]:
        """List the CTA that each instruction of a repetition accesses, as `instruction_offsets`."""
        return gf2.linear_combinations(self._of_instructions(self.bases.ctas))

    def lane_offsets(self) -> list[int]:
        """List the contribution of each bit of the address lane to the offset."""
        return self._of_address_lanes(self.offsets)

    def warp_offsets(self) -> list[int]:
        """List the contribution of each bit of the warp to the offset."""
        return list(self._split(self.offsets)[2])

    def block_offsets(self) -> list[int]:
        """List the contribution of each bit of the block to the offset."""
        return list(self._split(self.offsets)[3])

    def cta_bases(self) -> tuple[list[int], list[int], list[int]]:
        """List the contributions of bits of address lane, warp and block to the CTA accessed."""
        _, _, warps, blocks = self._split(self.bases.ctas)
        return self._of_address_lanes(self.bases.ctas), list(warps), list(blocks)

    def _table(self, parts: Sequence[int]) -> NDArray[np.int64]:
        """Return the sums of the contributions of all bits, indexed as `addresses`."""
        import numpy as np  # only for executing a plan, which a compile does not

        _, _, warps, blocks = self._split(parts)
        axes = (self._of_instructions(parts), self._of_address_lanes(parts), warps, blocks)
        table = np.zeros((1, 1, 1, 1), np.int64)
        for axis, vectors in enumerate(axes):
            shape = [1, 1, 1, 1]
            shape[axis] = -1
            table = table ^ np.array(gf2.linear_combinations(vectors), np.int64).reshape(shape)
        return table

    def _split(self, parts: Sequence[int]) -> list[Sequence[int]]:
        """Return the parts of registers, lanes, warps and blocks."""
        bases = self.bases
        groups: list[Sequence[int]] = []
        start = 0
        for group in (bases.registers, bases.lanes, bases.warps, bases.blocks):
            groups.append(parts[start : start + len(group)])
            start += len(group)
        return groups

    def _of_instructions(self, parts: Sequence[int]) -> list[int]:
        """List the contribution of each register bit that differs between instructions."""
        registers = self._split(parts)[0]
        later = self.registers[self.register_bits : len(self.registers) - self.repetitions]
        return [registers[bit] for bit in later]

    def _of_address_lanes(self, parts: Sequence[int]) -> list[int]:
        """List the contribution of each bit of the address lane."""
        registers, lanes, _, _ = self._split(parts)
        own = [registers[bit] for bit in self.registers[: self.register_bits]]
        rows = [(lanes if bit[0] == "l" else own)[int(bit[1:])] for bit in self.tile.address]
        return [*rows, *own[self.tile.registers :]]

    def register_numbers(self) -> list[list[list[int]]]:
        """Return register numbers, indexed by [repetition, instruction, register of it]."""
        numbers = gf2.linear_combinations([1 << bit for bit in self.registers])
        width = 1 << self.register_bits
        groups = [numbers[start : start + width] for start in range(0, len(numbers), width)]
        count = len(groups) >> self.repetitions
        return [groups[start : start + count] for start in range(0, len(groups), count)]

    def passes(self, element_bits: int, memory: SharedMemory) -> tuple[int, int]:
        """Count the passes of one instruction over the banks, and those without conflicts.

        Other instructions' addresses are these with a constant XORed in, which only renames the
        banks.
        """
        offsets = gf2.linear_combinations(self.lane_offsets())
        idle = self.idle_lanes if self.tile.is_plain else 0
        addresses: list[int | None] = [
            None if lane & idle else offset * element_bits // 8
            for lane, offset in enumerate(offsets)
        ]
        addresses += [None] * (memory.lanes - len(addresses))
        phases = memory.phases_of(addresses, self.tile.bits, self.bases.kind)
        ideal = sum(any(addresses[lane] is not None for lane in phase) for phase in phases)
        return wavefronts_of(addresses, self.tile.bits, memory, self.bases.kind), ideal


def fit_access(
    bases: ThreadBases,
    tile: InstructionTile,
    columns: Sequence[int],
    tile_registers: Sequence[int],
    repetitions: int,
    idle: tuple[int, int],
) -> SharedAccess | None:
    """Fit an instruction to a layout of shared memory.

    Args:
        bases: the bases of the threads.
        tile: the instruction.
        columns: the vector of each bit of the offset, those of repetitions last.
        tile_registers: the vectors of the registers of one instruction.
        repetitions: how many of the highest bits are repetitions.
        idle: masks of lanes and warps that write nothing.

    Returns:
        The access, None if the instruction does not fit.
    """
    offsets = gf2.solve(columns, [*bases.within_cta, *bases.blocks])
    assert offsets is not None  # the columns span the tensor
    registers = list(bases.registers)
    repeated = [registers.index(v) for v in columns[len(columns) - repetitions :]]
    tile_bits = [registers.index(v) for v in tile_registers]
    if not _is_row_free(bases, tile, offsets, tile_bits):
        return None
    # Only the registers of a repetition may touch its bits of the offset.
    high = (1 << len(columns)) - (1 << (len(columns) - repetitions))
    if any(offset & high for bit, offset in enumerate(offsets) if bit not in repeated):
        return None
    rest = [bit for bit in range(len(registers)) if bit not in (*tile_bits, *repeated)]
    matrices = min(len(rest), MATRIX_BITS) if tile.grows else 0
    order = (*tile_bits, *rest, *repeated)
    low = tuple(offset & ~high for offset in offsets)
    return SharedAccess(bases, tile, matrices, repetitions, order, low, *idle)


def _is_row_free(
    bases: ThreadBases, tile: InstructionTile, offsets: Sequence[int], tile_bits: Sequence[int]
) -> bool:
    """Check that the bits within a row are neighbours, and that no other bit touches them."""
    first_lane = len(bases.registers)
    row_bits = [
        tile_bits[int(bit[1:])] if bit[0] == "r" else first_lane + int(bit[1:])
        for bit in tile.offset
    ]
    within = (1 << len(row_bits)) - 1
    return all(
        offset == 1 << row_bits.index(bit) if bit in row_bits else not offset & within
        for bit, offset in enumerate(offsets)
    )
