"""Plan the exchange of partial results between warps: which slots are stored, and which loaded.

By hand, two warps along a row of an 8x64 tile, one partial per row and warp, 16 slots per operand:

    slot = row · 2 + warp          one lane of each warp and row stores its slot
    load slots row · 2 and row · 2 + 1 by one vector access

`partials_layout` chooses the order of slots and the number of slots per access. Larger operands
come first, so that each slot is aligned to its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from weft.layouts import gf2
from weft.layouts.shared_memory import SharedMemory
from weft.lowering_plans.instruction import Instruction, count_wavefronts
from weft.lowering_plans.partials_layout import PartialsLayout, choose_partials_layout

__all__ = ["PartialsPlan", "SlotStore", "plan_partials"]

_WIDEST_BYTES = 16


class SlotStore(Struct, frozen=True):
    """One store of neighbouring slots.

    Attributes:
        first: The constant part of the first slot's number.
        groups: The registers whose values are stored, in the order of the slots.
    """

    first: int
    groups: tuple[int, ...]


class PartialsPlan(Struct, frozen=True):
    """An exchange of an operation's operands between warps, or between the CTAs of a cluster.

    Attributes:
        sizes: Bytes of a slot of each operand.
        slots: Slots of each operand.
        parts: Warps that exchange.
        order: The order of slots.
        holders: Per coordinate the mask and bits of the threads that store.
        start: Offset in the operation's scratch memory, in bytes.
        ctas: CTAs that exchange.
        lane_bits: Bits of the lane that choose the warp whose partials a thread loads, the lowest
            bit of the warp first; () for a thread that loads those of all warps.
    """

    sizes: tuple[int, ...]
    slots: int
    parts: int
    order: PartialsLayout
    holders: Mapping[str, tuple[int, int]]
    start: int = 0
    ctas: int = 1
    lane_bits: tuple[int, ...] = ()

    @property
    def loaded_parts(self) -> int:
        """Warps whose partials a thread loads."""
        return 1 if self.lane_bits else self.parts

    @property
    def starts(self) -> list[int]:
        """Offset of each operand's slots in the scratch memory; the largest operands come first."""
        starts, at = [0] * len(self.sizes), self.start
        for operand in sorted(range(len(self.sizes)), key=lambda n: -self.sizes[n]):
            starts[operand] = at
            at += self.slots * self.sizes[operand]
        return starts

    def thread_bases(self, *, first_warp: bool) -> list[list[int]]:
        """List the contribution of each lane and warp bit to the number of a thread's slot.

        Args:
            first_warp: Whether to use the first of the warps that exchange, or the one that the
                lane chooses, instead of this one.
        """
        kept_bits = ~self.order.parts_mask if first_warp else -1
        lane, warp = (
            [one & kept_bits for one in self.order.numbers[name]] for name in ("lane", "warp")
        )
        if first_warp and self.lane_bits:
            for bit, part in zip(self.lane_bits, self.order.parts, strict=True):
                lane[bit] |= 1 << part
        return [lane, warp]

    def stores(self, groups: Iterable[int]) -> list[list[SlotStore]]:
        """List the stores of an operand: for each vector of slots one, or one per slot."""
        size = self.order.stored
        vectors: dict[int, dict[int, int]] = {}
        for group in groups:
            first, n = divmod(self.order.number(group), size)
            vectors.setdefault(first * size, {})[n] = group
        return [
            [SlotStore(first, tuple(vector[n] for n in range(size)))]
            if len(vector) == size
            else [SlotStore(first + n, (group,)) for n, group in vector.items()]
            for first, vector in vectors.items()
        ]

    def slot(self, group: int, part: int) -> int:
        """Compute the constant part of the slot's number of a register of one of the warps."""
        return self.order.number(group) ^ self.order.part(part)

    def loads(self, groups: Iterable[int]) -> list[int]:
        """List the first slot of each load of an operand; a load reads `order.loaded` slots."""
        size = self.order.loaded
        slots = (self.slot(group, part) for group in groups for part in range(self.loaded_parts))
        return list(dict.fromkeys(slot - slot % size for slot in slots))

    def instructions(self, groups: Sequence[int], memory: SharedMemory) -> Iterator[Instruction]:
        """Yield the stores and loads of the exchange, without its barriers."""
        stores = [store for vector in self.stores(groups) for store in vector]
        for size, start in zip(self.sizes, self.starts, strict=True):
            for count in dict.fromkeys(len(store.groups) for store in stores):
                firsts = [store.first for store in stores if len(store.groups) == count]
                yield self._accesses("write", firsts, count * size, size, start, memory)
            loads = self.loads(groups)
            width = self.order.loaded * size
            yield self._accesses("read", loads, width, size, start, memory)

    def _accesses(
        self,
        kind: str,
        firsts: Sequence[int],
        width: int,
        size: int,
        start: int,
        memory: SharedMemory,
    ) -> Instruction:
        """Count the accesses of all warps to some slots.

        Args:
            kind: "read" or "write".
            firsts: The first slot of each access.
            width: Bytes of an access.
            size: Bytes of a slot.
            start: Offset of the operand's slots.
            memory: The shared memory of the chip.
        """
        lanes, warps = (
            gf2.linear_combinations(bases) for bases in self.thread_bases(first_warp=kind == "read")
        )
        masks = self.holders if kind == "write" else {}
        lane_mask, lane_bits = masks.get("lane", (0, 0))
        warp_mask, warp_bits = masks.get("warp", (0, 0))
        first = firsts[0]  # other slots of the thread are these with a constant XORed in
        traffic = count_wavefronts(
            [
                [
                    start + (place ^ warp ^ first) * size if lane & lane_mask == lane_bits else None
                    for lane, place in enumerate(lanes)
                ]
                for number, warp in enumerate(warps)
                if number & warp_mask == warp_bits
            ],
            8 * width,
            memory,
            kind,
        )
        reads_others = kind == "read" and self.ctas > 1
        count = len(firsts) * (self.ctas if reads_others else 1)
        name = {"read": "shared load", "write": "shared store"}[kind]
        return Instruction(
            "cluster load" if reads_others else name,
            8 * width,
            count,
            traffic.warps,
            traffic.wavefronts * count,
            traffic.ideal * count,
        )


def plan_partials(
    sizes: Sequence[int],
    slots: int,
    parts: int,
    numbers: Mapping[str, Sequence[int]],
    holders: Mapping[str, tuple[int, int]],
    start: int = 0,
    ctas: int = 1,
    lane_bits: Sequence[int] = (),
) -> PartialsPlan:
    """Plan an exchange.

    Args:
        sizes: Bytes of a slot of each operand.
        slots: Slots of each operand.
        parts: Warps that exchange.
        numbers: Per coordinate the contribution of each bit to the number of a thread's slot; the
            lowest bits are the warps that exchange.
        holders: Per coordinate the mask and bits of the threads that store.
        start: Offset in the operation's scratch memory, in bytes.
        ctas: CTAs that exchange.
        lane_bits: As of `PartialsPlan`.
    """
    widest = max(1, _WIDEST_BYTES // max(sizes))
    order = choose_partials_layout(numbers, parts, widest, one_part=bool(lane_bits))
    return PartialsPlan(
        tuple(sizes), slots, parts, order, dict(holders), start, ctas, tuple(lane_bits)
    )
