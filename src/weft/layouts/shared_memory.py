"""In which order the lanes of a warp reach shared memory: banks and phases of a chip.

A warp's access takes one pass over the banks per *phase*, a set of lanes that are served together,
and more where two of them want different words of one bank. A phase is written as the lane masks
that span it: (1, 2, 20) is lanes 0-3 and 20-23, and the other phases are its XOR shifts.

Reads and writes differ, and so do their widths: gfx950 reads 128 bits through 64 banks, and writes
through 32. The rows of each chip, with the source of each, are data of `weft.targets`:

    memory = target("gfx950").shared_memory
    memory.phases(128, "read")[0]           # (0, 1, 2, 3, 12, 13, …, 27)
    memory.phase(64, "write").banks         # 32
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["KINDS", "Phase", "SharedMemory"]

KINDS = ("read", "write")


@dataclass(frozen=True, slots=True)
class Phase:
    """Say which lanes an access of one width serves together.

    Fields: masks: lane masks that span the first phase.  banks: that it goes through.
    source: of this row.  assumed: whether nobody measured or documented it for this chip.
    """

    masks: tuple[int, ...]
    banks: int
    source: str = ""
    assumed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SharedMemory:
    """Say how shared memory serves a warp; compared by identity, as a key of plans.

    Fields: name: of the chip.  lanes: of a warp.  reads, writes: bits of an access -> its phases.
    bank_bytes: width of a bank.  instructions: those beside plain loads and stores that move
    tiles, by the names of `weft.layouts.instruction_tiles`.  lane_swaps: distances of lanes
    between which one instruction swaps the halves of two registers.
    Raises: LayoutError where a phase wants more lanes than there are, or its masks depend.
    """

    name: str
    lanes: int
    reads: Mapping[int, Phase]
    writes: Mapping[int, Phase]
    bank_bytes: int = 4
    instructions: tuple[str, ...] = ()
    lane_swaps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for kind in KINDS:
            for bits, row in (self.reads if kind == "read" else self.writes).items():
                place = f"the phases of a {bits}-bit {kind} on {self.name}"
                if not is_power_of_two(row.banks):
                    raise LayoutError(f"{place} must have a power of two banks", found=row.banks)
                if any(not 0 < mask < self.lanes for mask in row.masks):
                    raise LayoutError(
                        f"{place} must be lanes of {self.lanes}", found=list(row.masks)
                    )
                if len(set(_span(row.masks))) != 1 << len(row.masks):
                    raise LayoutError(f"{place} must be independent", found=list(row.masks))

    @property
    def banks(self) -> int:
        """Return the number of banks, of the access that has most."""
        return max(row.banks for row in (*self.reads.values(), *self.writes.values()))

    def phase(self, bits: int, kind: str) -> Phase:
        """Return the row of an access.

        Args: bits: that each lane moves in one instruction, less than 8 counting as 8.
        kind: "read" or "write".
        Raises: LayoutError where no instruction moves so many.
        """
        if kind not in KINDS:
            raise LayoutError("an access is a read or a write", found=kind)
        known = self.reads if kind == "read" else self.writes
        found = known.get(max(8, bits))
        if found is None:
            raise LayoutError(
                f"the phases of a {bits}-bit {kind} of shared memory on {self.name} are not known",
                found=f"{bits} bits",
                accepted=[f"{width} bits" for width in known],
            )
        return found

    def phases(self, bits: int, kind: str) -> tuple[tuple[int, ...], ...]:
        """Return the lanes of each phase of an access; arguments as of `phase`."""
        return _cosets(self.phase(bits, kind).masks, self.lanes)


def _span(masks: tuple[int, ...]) -> list[int]:
    lanes = [0]
    for mask in masks:
        lanes += [lane ^ mask for lane in lanes]
    return lanes


@lru_cache(maxsize=256)
def _cosets(masks: tuple[int, ...], lanes: int) -> tuple[tuple[int, ...], ...]:
    first = _span(masks)
    seen: set[int] = set()
    out = []
    for lane in range(lanes):
        if lane not in seen:
            phase = tuple(sorted(lane ^ other for other in first))
            seen.update(phase)
            out.append(phase)
    return tuple(out)
