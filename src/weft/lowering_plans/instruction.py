"""Instructions of machine code that an operation becomes, by kind and width.

    ldmatrix x4, 8 in the text of each of 4 warps, 4 passes over the banks each:

    Instruction("matrix load", 128, count=8, warps=4, wavefronts=128, ideal_wavefronts=128)

The kinds are those that machine code is counted by (`weft.explain.machine_code`), and that the
simulator counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from weft.layouts.bank_conflicts import wavefronts_of
from weft.layouts.shared_memory import SharedMemory

__all__ = ["KINDS", "BankTraffic", "Instruction", "count_wavefronts"]

KINDS: Final = (
    "global load",
    "global store",
    "global atomic",
    "async copy",  # cp.async, loads to LDS: from global to shared memory, a vector per lane
    "tile copy",  # TMA, TDM: a tile per instruction, issued by one lane
    "shared load",
    "shared store",
    "shared atomic",
    "matrix load",  # ldmatrix, and AMD's transposing loads
    "matrix store",  # stmatrix
    "cluster load",  # from the shared memory of another CTA
    "tensor memory load",
    "tensor memory store",
    "shuffle",  # moves of 32 bits between lanes: shfl, DPP, swizzle, permute, readlane
    "warp reduction",  # redux.sync
    "barrier",  # of a CTA
    "warp barrier",
    "cluster barrier",
    "mma",
)
"""The kinds of instructions that are counted."""


class Instruction(Struct, frozen=True):
    """Instructions of one kind and width that an operation executes once.

    Attributes:
        kind: One of KINDS.
        bits: The bits that a lane moves by one instruction; 0 for barriers, tile copies and MMA.
        count: The instructions in the text of a warp.
        warps: The warps of a CTA that execute each of them.
        wavefronts: Passes of all warps over the banks of shared memory.
        ideal_wavefronts: Those passes without bank conflicts.
        sectors: 32-byte sectors of global memory that the requests of all warps touch.
        ideal_sectors: Sectors that would hold the accessed bytes without gaps.
        distinct_sectors: Sectors that the requests touch, each counted once.
        name: The instruction, if its kind has several: "mma.sync.aligned.m16n8k16…".
        lanes: Lanes of the CTA that take part, 0 if all lanes of `warps` do.
        certain: Whether addresses are known as far as the counts depend on them.
    """

    kind: str
    bits: int
    count: int
    warps: int
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    distinct_sectors: int = 0
    name: str = ""
    lanes: int = 0
    certain: bool = True

    @property
    def requests(self) -> int:
        """The instructions that all warps of a CTA execute."""
        return self.count * self.warps

    @property
    def conflicts(self) -> int:
        """The passes over the banks that bank conflicts add."""
        return self.wavefronts - self.ideal_wavefronts


class BankTraffic(Struct, frozen=True):
    """Passes over the banks of shared memory.

    Attributes:
        wavefronts: All passes.
        ideal: The passes without bank conflicts.
        warps: The number of warps with an active lane.
    """

    wavefronts: int = 0
    ideal: int = 0
    warps: int = 0


def count_wavefronts(
    warps: Iterable[Sequence[int | None]], bits: int, memory: SharedMemory, kind: str
) -> BankTraffic:
    """Count the passes over the banks of one instruction of several warps.

    Args:
        warps: For each warp the byte address of each lane, None for an inactive lane.
        bits: The bits that each lane accesses.
        memory: The shared memory of the chip.
        kind: "read" or "write".
    """
    wavefronts = ideal = active = 0
    for addresses in warps:
        if all(address is None for address in addresses):
            continue
        active += 1
        wavefronts += wavefronts_of(addresses, bits, memory, kind)
        phases = memory.phases_of(addresses, bits, kind)
        ideal += sum(any(addresses[lane] is not None for lane in phase) for phase in phases)
    return BankTraffic(wavefronts, ideal, active)
