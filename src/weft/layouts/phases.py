"""In which order the lanes of a warp reach shared memory: banks and phases of each chip.

A warp's access takes one pass over the banks per *phase*, a set of lanes that are served together,
and more where two of them want different words of one bank. A phase is written as the lane masks
that span it: (1, 2, 20) is lanes 0-3 and 20-23, and the other phases are its XOR shifts.

The AMD rows were measured (AMD's shark-ai `docs/empirical-lds`, confirmed for gfx950 by
HipKittens); what was not measured is not here, and asking for it is an error. NVIDIA's rows are
those of the CUDA programming guide: 32 banks, half a warp for 64-bit and a quarter for 128-bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from weft.errors import LayoutError, did_you_mean

__all__ = ["SHARED_MEMORY", "SharedMemory", "shared_memory"]

Phases = Mapping[int, tuple[int, ...]]


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SharedMemory:
    """Say how shared memory serves a warp; compared by identity, as a key of plans.

    Fields: name: of the chip.  banks: their number.  lanes: of a warp.
    reads, writes: bits of an access -> the lane masks that span its first phase.
    bank_bytes: width of a bank.
    """

    name: str
    banks: int
    lanes: int
    reads: Phases
    writes: Phases
    bank_bytes: int = 4

    def phases(self, bits: int, kind: str) -> tuple[tuple[int, ...], ...]:
        """Return the lanes of each phase of an access.

        Args: bits: that each lane moves in one instruction; less than 32 counts as 32.
        kind: "read" or "write".
        Raises: LayoutError where the phases are not known.
        """
        if kind not in ("read", "write"):
            raise LayoutError("an access is a read or a write", found=kind)
        known = self.reads if kind == "read" else self.writes
        spanning = known.get(max(32, bits))
        if spanning is None:
            raise LayoutError(
                f"the phases of a {bits}-bit {kind} of shared memory on {self.name} are not known",
                found=f"{bits} bits",
                accepted=[f"{width} bits" for width in known],
                hint="SharedMemory.with_contiguous_phases assumes neighbouring lanes",
            )
        return _cosets(spanning, self.lanes)

    def with_contiguous_phases(self) -> SharedMemory:
        """Return the chip with neighbouring lanes in a phase where nothing else was measured.

        A phase then has as many lanes as fill the banks.
        """

        def filled(known: Phases) -> dict[int, tuple[int, ...]]:
            out = dict(known)
            for bits in (32, 64, 128):
                count = min(self.lanes, self.banks * self.bank_bytes * 8 // bits)
                masks = tuple(1 << bit for bit in range(count.bit_length() - 1))
                out.setdefault(bits, masks)
            return out

        return dataclasses.replace(self, reads=filled(self.reads), writes=filled(self.writes))


def _cosets(spanning: tuple[int, ...], lanes: int) -> tuple[tuple[int, ...], ...]:
    first = [0]
    for mask in spanning:
        first += [lane ^ mask for lane in first]
    seen: set[int] = set()
    out = []
    for lane in range(lanes):
        if lane not in seen:
            phase = tuple(sorted(lane ^ other for other in first))
            seen.update(phase)
            out.append(phase)
    return tuple(out)


_HALVES = {32: (1, 2, 4, 8, 16), 64: (1, 2, 4, 8), 128: (1, 2, 4)}

SHARED_MEMORY: dict[str, SharedMemory] = {
    memory.name: memory
    for memory in (
        SharedMemory(
            "gfx942",
            32,
            64,
            {32: (1, 2, 4, 8, 16), 64: (1, 2, 4, 8), 128: (1, 2, 20)},
            {128: (1, 2, 4)},
        ),
        SharedMemory(
            "gfx950",
            64,
            64,
            {32: (1, 2, 4, 8, 16, 32), 64: (1, 2, 4, 8, 16), 128: (1, 2, 12, 20)},
            {},
        ),
        SharedMemory(
            "gfx1100", 32, 32, {32: (1, 2, 4, 8, 16), 64: (1, 2, 4, 8), 128: (1, 2, 20)}, {}
        ),
        SharedMemory(
            "gfx1201", 32, 32, {32: (1, 2, 4, 8, 16), 64: (1, 2, 4, 8), 128: (1, 2, 4)}, {}
        ),
        *(
            SharedMemory(name, 32, 32, _HALVES, _HALVES)
            for name in ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
        ),
    )
}


def shared_memory(name: str) -> SharedMemory:
    """Return the shared memory of a chip.

    Raises: LayoutError where its banks are not known here.
    """
    found = SHARED_MEMORY.get(name)
    if found is None:
        raise LayoutError(
            f"the banks of {name} are not known",
            found=name,
            accepted=SHARED_MEMORY,
            hint=did_you_mean(name, SHARED_MEMORY),
        )
    return found
