"""Count the bank conflicts of shared memory, exactly, for every access of a tile.

Without a swizzle, a column of a 32x32 tile of f32 lies in a single bank, so that 32 lanes need 32
passes:

    report = bank_report(column, plain, (32, 32), 32, target("sm_90").shared_memory, "read")
    report.wavefronts, report.ideal, report.conflicts       # of all accesses

Lanes that need the same word share a pass. An access takes as many neighbouring elements as the
registers of the layout hold, up to 128 bits, as a compiler would choose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from weft.errors import LayoutError
from weft.layouts.column_action import remove_broadcast
from weft.layouts.encodings import Encoding, PaddedSharedEncoding
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.shared_memory import SharedMemory
from weft.layouts.vectorization import largest_vectorisation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BankReport",
    "Collision",
    "access_collisions",
    "bank_report",
    "tile_accesses",
    "wavefronts_of",
]

_WIDEST_BITS = 128


class Collision(Struct, frozen=True):
    """Lanes that need different words of one bank in one phase.

    Attributes:
        phase: the number of the phase.
        bank: the number of the bank.
        lanes: for each word, the lanes that need it.
    """

    phase: int
    bank: int
    lanes: tuple[tuple[int, ...], ...]


class BankReport(Struct, frozen=True):
    """The cost of moving a tile between registers and shared memory.

    Attributes:
        kind: "read" or "write".
        bits: the bits of one lane's access.
        accesses: instructions of all warps.
        phases: the number of phases of one access.
        wavefronts: passes over the banks of all accesses.
        ideal: passes without any conflict.
        worst: passes of the worst access.
        collisions: the collisions of the first of the worst accesses.
        source: the source of the facts about phases.
        assumed: whether they are assumed for this chip.
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
        """The passes that conflicts add, over all accesses."""
        return self.wavefronts - self.ideal

    @property
    def ways(self) -> float:
        """The passes per phase of the worst access: 1 without conflict, n if n-way."""
        return self.worst / self.phases


def wavefronts_of(
    addresses: Sequence[int | None], bits: int, memory: SharedMemory, kind: str
) -> int:
    """Count the passes of one access.

    Args:
        addresses: the byte address of each lane, None for an inactive lane.
        bits: the bits that each lane accesses.
        memory: the shared memory of the chip.
        kind: "read" or "write".
    """
    _check_lanes(addresses, memory)
    passes = 0
    banks = memory.phase(bits, kind).banks
    for phase in memory.phases_of(addresses, bits, kind):
        words = _words_by_bank(addresses, phase, bits, banks, memory.bank_bytes)
        passes += max((len(lanes_by_word) for lanes_by_word in words.values()), default=0)
    return passes


def access_collisions(
    addresses: Sequence[int | None], bits: int, memory: SharedMemory, kind: str
) -> tuple[Collision, ...]:
    """List the banks of which one access needs several words in one phase.

    The arguments are those of `wavefronts_of`.
    """
    _check_lanes(addresses, memory)
    collisions: list[Collision] = []
    banks = memory.phase(bits, kind).banks
    for number, phase in enumerate(memory.phases_of(addresses, bits, kind)):
        words = _words_by_bank(addresses, phase, bits, banks, memory.bank_bytes)
        for bank, lanes_by_word in sorted(words.items()):
            if len(lanes_by_word) > 1:
                collisions.append(
                    Collision(number, bank, tuple(map(tuple, lanes_by_word.values())))
                )
    return tuple(collisions)


def _check_lanes(addresses: Sequence[int | None], memory: SharedMemory) -> None:
    if len(addresses) != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=f"{len(addresses)} addresses"
        )


def _words_by_bank(
    addresses: Sequence[int | None],
    phase: Sequence[int],
    bits: int,
    banks: int,
    bank_bytes: int,
) -> dict[int, dict[int, list[int]]]:
    """Return bank -> word -> the lanes of a phase that need it."""
    words: dict[int, dict[int, list[int]]] = {}
    for lane in phase:
        address = addresses[lane]
        if address is None:
            continue
        first = address // bank_bytes
        last = (address + max(1, bits // 8) - 1) // bank_bytes
        for word in range(first, last + 1):
            words.setdefault(word % banks, {}).setdefault(word, []).append(lane)
    return words


def bank_report(
    registers: LinearLayout,
    shared: LinearLayout | Encoding,
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
    kind: str,
) -> BankReport:
    """Count the bank conflicts of moving a tile between registers and shared memory.

    Args:
        registers: the layout of the tensor.
        shared: an encoding of shared memory, or a linear layout from offset.
        shape: the shape of the tensor.
        element_bits: the bits of an element, 8, 16, 32 …
        memory: the shared memory of the chip.
        kind: "read" or "write".

    Raises:
        LayoutError: the layouts do not fit, or the phases are not known.
    """
    addresses, bits = tile_accesses(registers, shared, shape, element_bits, memory)
    if isinstance(shared, PaddedSharedEncoding):
        passes = [wavefronts_of(row, bits, memory, kind) for row in addresses]
    else:
        # The addresses of another access are these with a constant XORed in, which only renames
        # the banks.
        passes = [wavefronts_of(addresses[0], bits, memory, kind)] * len(addresses)
    worst = max(passes)
    # Whether lanes read in pairs is the same for all accesses, too.
    phases = len(memory.phases_of(addresses[0], bits, kind))
    facts = memory.phase(bits, kind)
    return BankReport(
        kind=kind,
        bits=bits,
        accesses=len(passes),
        phases=phases,
        wavefronts=sum(passes),
        ideal=phases * len(passes),
        worst=worst,
        collisions=access_collisions(addresses[passes.index(worst)], bits, memory, kind),
        source=facts.source,
        assumed=facts.assumed,
    )


def tile_accesses(
    registers: LinearLayout,
    shared: LinearLayout | Encoding,
    shape: Sequence[int],
    element_bits: int,
    memory: SharedMemory,
) -> tuple[list[list[int]], int]:
    """Return the byte addresses of the lanes for each access of each warp, and its bits.

    The arguments are those of `bank_report`.
    """
    import numpy as np  # only for reports, which a compile does not make

    if registers.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=registers.in_size("lane")
        )
    linear = shared if isinstance(shared, LinearLayout) else shared.linear(shape)
    distinct = remove_broadcast(registers).apply(registers)
    offsets = distinct.invert_and_compose(linear).sublayout(
        ["register", "lane", "warp"], ["offset"]
    )
    most_bits, pad = _WIDEST_BITS, _no_padding
    if isinstance(shared, PaddedSharedEncoding):  # a gap ends a run of neighbours
        most_bits, pad = min(_WIDEST_BITS, min(shared.intervals) * element_bits), shared.padded
    elements, action = largest_vectorisation(offsets, element_bits, most_bits)
    table = action.apply(offsets).table()[::elements, :, :, 0]
    addresses = pad(table) * element_bits // 8
    by_access = np.moveaxis(addresses, 1, 2).reshape(-1, memory.lanes)
    return by_access.tolist(), elements * element_bits


def _no_padding(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return offsets
