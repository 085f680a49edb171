"""How the shared memory of a chip serves a warp: its banks, and the phases of an access.

An access of a warp is served in *phases*: sets of lanes that go through the banks together. A phase
takes one pass, and more if two of its lanes need different words of one bank. A phase is written as
the lane masks that span it: (1, 2, 20) spans the lanes 0, 1, 2, 3 and, by XOR with 20, the lanes
20, 21, 22, 23. The other phases are XOR shifts of the first. On NVIDIA's chips two phases of a read
become one if the lanes read in pairs.

Reads and writes differ, and so do accesses of different widths: gfx950 reads 128 bits through 64
banks and writes them through 32. The facts of each chip, with their sources, are in `weft.targets`:

    memory = target("gfx950").shared_memory
    memory.phases(128, "read")[0]           # (0, 1, 2, 3, 12, 13, …, 27)
    memory.phase(64, "write").banks         # 32
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import force_setattr

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two

__all__ = ["KINDS", "Phase", "SharedMemory"]

KINDS = ("read", "write")


class Phase(Struct, frozen=True):
    """The lanes that each phase of an access of one width serves.

    Attributes:
        masks: lane masks that span the first phase.
        banks: the banks that a phase accesses.
        pairs: lane masks; if every lane reads the same address as its partner by one of them, one
            phase serves the lanes of two.
        source: the source of this fact.
        assumed: whether it is assumed, neither measured nor documented, for this chip.
    """

    masks: tuple[int, ...]
    banks: int
    pairs: tuple[int, ...] = ()
    source: str = ""
    assumed: bool = False


class SharedMemory(Struct, frozen=True, eq=False):
    """The banks and phases of shared memory; compared by identity, so that plans can be cached.

    Attributes:
        name: the name of the chip.
        lanes: the number of lanes of a warp.
        reads: bits of a lane's read -> its phases.
        writes: bits of a lane's write -> its phases.
        bank_bytes: the width of a bank.
        instructions: the instructions that move tiles, other than plain loads and stores, as
            `weft.layouts.instruction_tiles` names them.
        lane_swaps: distances of lanes between which one instruction swaps the halves of two
            registers.

    Raises:
        LayoutError: a phase has lanes that the warp does not have, or dependent masks.
    """

    name: str
    lanes: int
    reads: Mapping[int, Phase]
    writes: Mapping[int, Phase]
    bank_bytes: int = 4
    instructions: tuple[str, ...] = ()
    lane_swaps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "reads", MappingProxyType(dict(self.reads)))
        force_setattr(self, "writes", MappingProxyType(dict(self.writes)))
        for kind in KINDS:
            for bits, phase in self._phases(kind).items():
                what = f"the phases of a {bits}-bit {kind} on {self.name}"
                if not is_power_of_two(phase.banks):
                    raise LayoutError(f"{what} must have a power of two banks", found=phase.banks)
                if any(not 0 < mask < self.lanes for mask in phase.masks):
                    raise LayoutError(
                        f"{what} must be lanes of {self.lanes}", found=list(phase.masks)
                    )
                if len(set(_span(phase.masks))) != 1 << len(phase.masks):
                    raise LayoutError(f"{what} must be independent", found=list(phase.masks))

    def _phases(self, kind: str) -> Mapping[int, Phase]:
        return self.reads if kind == "read" else self.writes

    @property
    def banks(self) -> int:
        """The largest number of banks that an access goes through."""
        return max(phase.banks for kind in KINDS for phase in self._phases(kind).values())

    def phase(self, bits: int, kind: str) -> Phase:
        """Return the phases of an access.

        Args:
            bits: the bits that each lane accesses in one instruction; less than 8 count as 8.
            kind: "read" or "write".

        Raises:
            LayoutError: no instruction moves so many bits.
        """
        if kind not in KINDS:
            raise LayoutError("an access is a read or a write", found=kind)
        known = self._phases(kind)
        phase = known.get(max(8, bits))
        if phase is None:
            raise LayoutError(
                f"the phases of a {bits}-bit {kind} of shared memory on {self.name} are not known",
                found=f"{bits} bits",
                accepted=[f"{width} bits" for width in known],
            )
        return phase

    def phases(self, bits: int, kind: str) -> tuple[tuple[int, ...], ...]:
        """Return the lanes of each phase of an access; arguments as of `phase`."""
        return _cosets(self.phase(bits, kind).masks, self.lanes)

    def phases_of(
        self, addresses: Sequence[int | None], bits: int, kind: str
    ) -> tuple[tuple[int, ...], ...]:
        """Return the lanes of each phase of an access whose addresses are known.

        Args:
            addresses: the address of each lane, None for an inactive lane.
            bits: as of `phase`.
            kind: as of `phase`.
        """
        phases = self.phases(bits, kind)
        if any(_in_pairs(addresses, mask) for mask in self.phase(bits, kind).pairs):
            return tuple(a + b for a, b in zip(phases[::2], phases[1::2], strict=True))
        return phases


def _in_pairs(addresses: Sequence[int | None], mask: int) -> bool:
    """Check whether the active lanes of each pair of partners have one address."""
    pairs = ((address, addresses[lane ^ mask]) for lane, address in enumerate(addresses))
    return all(a == b or a is None or b is None for a, b in pairs)


def _span(masks: tuple[int, ...]) -> list[int]:
    """Return all XOR sums of masks."""
    lanes = [0]
    for mask in masks:
        lanes += [lane ^ mask for lane in lanes]
    return lanes


@lru_cache(maxsize=256)
def _cosets(masks: tuple[int, ...], lanes: int) -> tuple[tuple[int, ...], ...]:
    """Split the lanes into the span of masks and its XOR shifts."""
    first = _span(masks)
    served: set[int] = set()
    phases: list[tuple[int, ...]] = []
    for lane in range(lanes):
        if lane not in served:
            phase = tuple(sorted(lane ^ other for other in first))
            served.update(phase)
            phases.append(phase)
    return tuple(phases)
