"""Count the bank conflicts of shared memory, exactly, for every access of a tile.

A column of a 32x32 tile of f32 without swizzle lies in one bank, so that 32 lanes take 32 passes:

    report = bank_report(column, plain, (32, 32), 32, target("sm_90").shared_memory, "read")
    report.wavefronts, report.ideal, report.conflicts        # 32, 1, 31 for each access

Lanes that want the same word share a pass. Which elements an access takes is decided as a compiler
decides it: as many neighbours as the registers of the layout hold, up to 128 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.errors import LayoutError
from weft.layouts.column_action import remove_broadcast
from weft.layouts.encodings import Encoding, PaddedSharedEncoding
from weft.layouts.linear import LinearLayout
from weft.layouts.shared_memory import SharedMemory
from weft.layouts.vectorization import largest_vectorisation

if TYPE_CHECKING:
    import numpy as np

__all__ = ["BankReport", "Collision", "access_collisions", "bank_report", "wavefronts_of"]


@dataclass(frozen=True, slots=True)
class Collision:
    """Say which lanes want different words of one bank in one phase.

    Fields: phase: its number.  bank: its number.  lanes: for each word, the lanes that want it.
    """

    phase: int
    bank: int
    lanes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class BankReport:
    """Say what a tile's way through shared memory costs.

    Fields: kind: "read" or "write".  bits: of one lane's access.  accesses: instructions of all
    warps.  phases: of one access.  wavefronts: passes that all of them take.  ideal: passes
    without any conflict.  worst: passes of the worst access.  collisions: of the first access
    that is worst.  source: of the phases.  assumed: whether they are a guess for this chip.
    """

    kind: str
    bits: int
    accesses: int
    phases: int
    wavefronts: int
    ideal: int
    worst: int
    collisions: tuple[Collision, ...]
    source: str = ""
    assumed: bool = False

    @property
    def conflicts(self) -> int:
        """Return the passes that conflicts add, over all accesses."""
        return self.wavefronts - self.ideal

    @property
    def ways(self) -> float:
        """Return the passes per phase of the worst access: 1 without conflict, n for n ways."""
        return self.worst / self.phases


def wavefronts_of(
    addresses: Sequence[int | None], bits: int, memory: SharedMemory, kind: str
) -> int:
    """Return the passes of one access.

    Args: addresses: the byte address of each lane, None where it takes no part.
    bits: that each lane moves.
    """
    _lanes_checked(addresses, memory)
    total = 0
    banks = memory.phase(bits, kind).banks
    for phase in memory.phases(bits, kind):
        words = _words(addresses, phase, bits, banks, memory.bank_bytes)
        total += max((len(by_word) for by_word in words.values()), default=0)
    return total


def access_collisions(
    addresses: Sequence[int | None], bits: int, memory: SharedMemory, kind: str
) -> tuple[Collision, ...]:
    """Return the banks of which one access wants several words in one phase."""
    _lanes_checked(addresses, memory)
    found = []
    banks = memory.phase(bits, kind).banks
    for number, phase in enumerate(memory.phases(bits, kind)):
        words = _words(addresses, phase, bits, banks, memory.bank_bytes)
        for bank, by_word in sorted(words.items()):
            if len(by_word) > 1:
                found.append(Collision(number, bank, tuple(map(tuple, by_word.values()))))
    return tuple(found)


def _lanes_checked(addresses: Sequence[int | None], memory: SharedMemory) -> None:
    if len(addresses) != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=f"{len(addresses)} addresses"
        )


def _words(
    addresses: Sequence[int | None],
    phase: Sequence[int],
    bits: int,
    banks: int,
    bank_bytes: int,
) -> dict[int, dict[int, list[int]]]:
    """Return bank -> word -> the lanes of a phase that want it."""
    found: dict[int, dict[int, list[int]]] = {}
    for lane in phase:
        address = addresses[lane]
        if address is None:
            continue
        first = address // bank_bytes
        last = (address + max(1, bits // 8) - 1) // bank_bytes
        for word in range(first, last + 1):
            found.setdefault(word % banks, {}).setdefault(word, []).append(lane)
    return found


def bank_report(
    registers: LinearLayout,
    shared: LinearLayout | Encoding,
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
    kind: str,
) -> BankReport:
    """Return what moving a tile between registers and shared memory costs.

    Args: registers: the layout of the tensor.  shared: an encoding, or a linear layout from
    offset.  shape: of the tensor.  element_bits: 8, 16, 32 …  kind: "read" or "write".
    Raises: LayoutError where the layouts do not fit, or the phases are not known.
    """
    addresses, bits = tile_accesses(registers, shared, shape, element_bits, memory)
    if isinstance(shared, PaddedSharedEncoding):
        counts = [wavefronts_of(row, bits, memory, kind) for row in addresses]
    else:  # one access is another's shifted by XOR, which only renames the banks
        counts = [wavefronts_of(addresses[0], bits, memory, kind)] * len(addresses)
    worst = max(counts)
    phases = len(memory.phases(bits, kind))
    example = addresses[counts.index(worst)]
    return BankReport(
        kind,
        bits,
        len(counts),
        phases,
        sum(counts),
        phases * len(counts),
        worst,
        access_collisions(example, bits, memory, kind),
        memory.phase(bits, kind).source,
        memory.phase(bits, kind).assumed,
    )


def tile_accesses(
    registers: LinearLayout,
    shared: LinearLayout | Encoding,
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
) -> tuple[list[list[int]], int]:
    """Return for each access of each warp the byte addresses of its lanes, and its bits."""
    import numpy as np

    if registers.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=registers.in_size("lane")
        )
    linear = shared if isinstance(shared, LinearLayout) else shared.linear(tuple(shape))
    once = remove_broadcast(registers).apply(registers)
    offsets = once.invert_and_compose(linear).sublayout(["register", "lane", "warp"], ["offset"])
    longest = (
        128 if not isinstance(shared, PaddedSharedEncoding) else _run_bits(shared, element_bits)
    )
    elements, action = largest_vectorisation(offsets, element_bits, longest)
    table = action.apply(offsets).table()[::elements, :, :, 0]
    place = _padding(shared)(table) * element_bits // 8
    rows = np.moveaxis(place, 1, 2).reshape(-1, memory.lanes)
    return rows.tolist(), elements * element_bits


def _run_bits(shared: PaddedSharedEncoding, element_bits: int) -> int:
    """Return the bits that lie side by side between two gaps, at most 128."""
    return min(128, min(shared.intervals) * element_bits)


def _padding(shared: LinearLayout | Encoding) -> Callable[[np.ndarray], np.ndarray]:
    if isinstance(shared, PaddedSharedEncoding):
        return shared.padded
    return lambda offsets: offsets
