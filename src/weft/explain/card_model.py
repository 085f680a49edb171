"""The card of a kernel as data: its resources, how many blocks run at once and why, its roofline.

By hand, a program that moves 1 MiB and does 85 · 2^20 operations of f16 dots, on a board of 4,800
GB/s and 989,500 G operations/s: the board does 206 operations in the time of a byte, so memory
limits the program, to 85 / 206 = 41 % of the rate of dots.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.explain.block_time import BlockTime

__all__ = ["Card", "Occupancy", "RegisterUse", "Roofline"]


@dataclass(frozen=True, slots=True)
class RegisterUse:
    """Registers as the assembler reports them.

    Attributes:
        registers: Registers of a thread; vector registers on AMD's chips.
        spill_bytes: Bytes that a thread spills to memory.
    """

    registers: int
    spill_bytes: int


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many blocks a multiprocessor (of AMD's chips a compute unit) runs at once.

    Attributes:
        blocks: The blocks, 0 if not even one fits.
        warps: Their warps; on AMD's chips, those of one SIMD.
        max_warps: The most warps that run at once.
        unit: What the warps are of: "SM" or "SIMD".
        limits: For each resource, how many blocks it has room for.
    """

    blocks: int
    warps: int
    max_warps: int
    unit: str
    limits: tuple[tuple[str, int], ...]

    @property
    def limited_by(self) -> tuple[str, ...]:
        """The resources that have room for no more blocks."""
        return tuple(name for name, number in self.limits if number == self.blocks)


@dataclass(frozen=True, slots=True)
class Roofline:
    """What a board's rates allow.

    Attributes:
        board: Name of the board.
        balance: Operations that the board does in the time of a byte from memory.
        limit: "memory", or the kind of operations that takes longest: "f16".
        share: The part of the peak rate of operations that memory leaves; 1 if memory is no limit.
        assumed: Whether no page was found that confirms the board's rates.
    """

    board: str
    balance: float
    limit: str
    share: float
    assumed: bool


@dataclass(frozen=True, slots=True)
class Card:
    """The resources of a kernel and its roofline; numbers are of one program.

    Attributes:
        registers: Registers of a thread; None if the kernel was not assembled.
        spill_bytes: Bytes that a thread spills; None if the kernel was not assembled.
        shared_bytes: Shared memory of a block; None if the kernel cannot be lowered.
        occupancy: How many blocks run at once; None on a chip without such facts.
        loaded_bytes: Bytes of the sectors that operations read from global memory, each sector
            counted once per operation.
        stored_bytes: Bytes of the sectors that they write to it.
        requested_bytes: Bytes of the sectors of all requests; the first level of the cache serves
            what exceeds the others.
        wavefronts: Passes over the banks of shared memory.
        conflicts: The passes that bank conflicts add.
        operations: The operations of dots by operand type, and of "f32" arithmetic.
        rooflines: What the boards with the chip allow.
        block_time: The predicted time of a block; None if it is not known.
        block_time_unknown: Why it is not known, though the chip's instructions have timings.
    """

    registers: int | None
    spill_bytes: int | None
    shared_bytes: int | None
    occupancy: Occupancy | None
    loaded_bytes: int
    stored_bytes: int
    requested_bytes: int
    wavefronts: int
    conflicts: int
    operations: tuple[tuple[str, int], ...]
    rooflines: tuple[Roofline, ...]
    block_time: BlockTime | None = None
    block_time_unknown: str = ""

    @property
    def moved_bytes(self) -> int:
        """Bytes that are loaded and stored."""
        return self.loaded_bytes + self.stored_bytes

    @property
    def intensity(self) -> float:
        """Operations per byte of global memory, 0 for a kernel that moves none."""
        total = sum(number for _, number in self.operations)
        return total / self.moved_bytes if self.moved_bytes else 0.0
