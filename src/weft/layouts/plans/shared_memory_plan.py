"""Conversions through shared memory: store, barrier, load; or load from another CTA's memory.

Every pair of instructions that fits is placed in memory and measured, and the best is taken: the
fewest passes over the banks including conflicts, then the fewest instructions, then the least
memory, then plain instructions. Registers of both sides that are the highest bits of the offset go
through the same memory one after another:

    for each repetition:    store its registers      barrier
                            load its registers       barrier, if there is another repetition
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, structs

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.cost import Cost
from weft.layouts.plans.instruction_pairs import instruction_pairs
from weft.layouts.plans.shared_access import SharedAccess
from weft.layouts.plans.shared_placements import shared_round_trip
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    from weft.layouts.plans.instruction_semantics import Values

__all__ = ["SharedPlan", "optimal_swizzle", "shared_plan", "storage_bits"]


class SharedPlan(Struct, frozen=True):
    """Store the tensor to shared memory, wait, and load it.

    Attributes:
        source: the layout before.
        target: the layout after.
        element_bits: the bits of an element in memory.
        memory: the shared memory of the chip.
        layout: offset -> element; the highest bits are the repetitions.
        write: how the tensor is stored.
        read: how it is loaded.
    """

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    memory: SharedMemory
    layout: LinearLayout
    write: SharedAccess
    read: SharedAccess

    @property
    def kind(self) -> str:
        """The kind of plan: "shared", or "cluster" if CTAs load what others stored."""
        return "shared" if self.read.bases.stays_in_cta else "cluster"

    @property
    def repetitions(self) -> int:
        """How often the memory is used."""
        return 1 << self.read.repetitions

    @property
    def cost(self) -> Cost:
        """Instructions of a warp, and passes of all warps of a CTA."""
        write_passes, write_ideal = self.write.passes(self.element_bits, self.memory)
        read_passes, read_ideal = self.read.passes(self.element_bits, self.memory)
        stores, loads = (access.count * access.warps for access in (self.write, self.read))
        return Cost(
            stores=self.write.count,
            loads=self.read.count,
            store_bits=self.write.tile.bits,
            load_bits=self.read.tile.bits,
            barriers=2 * self.repetitions - 1,
            shared_bytes=self.layout.in_size("offset") * self.element_bits // 8 // self.repetitions,
            write_passes=write_passes * stores,
            read_passes=read_passes * loads,
            write_conflicts=(write_passes - write_ideal) * stores,
            read_conflicts=(read_passes - read_ideal) * loads,
        )

    def execute(self, values: Values) -> Values:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np  # only for executing a plan, which a compile does not

        from weft.layouts.plans import execution

        blocks = values.shape[-1]
        size = self.layout.in_size("offset") // self.repetitions
        memory = np.zeros((size, blocks), values.dtype)
        result = np.zeros((self.target.in_size("register"), *values.shape[1:]), values.dtype)
        for repetition in range(self.repetitions):
            execution.store(self.write, repetition, memory, values)
            execution.load(self.read, repetition, memory, result)
        return result


def shared_plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> SharedPlan:
    """Find the best round trip.

    Args:
        source: the layout before, without registers that broadcast.
        target: the layout after, likewise.
        element_bits: the bits of an element in memory, a power of two up to 128. Elements of less
            than 8 bits can be placed, but not moved one by one.
        memory: the shared memory of the chip.

    Raises:
        LayoutError: the layouts have another number of lanes than the chip.
    """
    if source.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=source.in_size("lane")
        )
    round_trip = shared_round_trip(source, target, element_bits, memory)
    best: tuple[tuple[int, ...], SharedPlan] | None = None
    plain_common: int | None = None  # registers in common of the first plain pair that fits
    for pair in instruction_pairs(round_trip.write, round_trip.read, element_bits, memory):
        if plain_common is not None and pair.common < plain_common:
            break  # narrower accesses of both sides cannot be better
        if best is not None and best[0] < round_trip.lower_bound(pair):
            continue
        for placement in round_trip.placements(pair):
            layout = LinearLayout((("offset", placement.columns),), source.outs)
            write, read = placement.write, placement.read
            plan = SharedPlan(source, target, element_bits, memory, layout, write, read)
            price = _price(plan)
            if best is None or price < best[0]:
                best = price, plan
            if write.tile.is_plain and read.tile.is_plain:
                plain_common = pair.common
    assert best is not None  # single elements always fit
    return best[1]


def _price(plan: SharedPlan) -> tuple[int, ...]:
    """Return the criteria by which plans are compared, the most important first."""
    cost = plan.cost
    passes = cost.write_passes + cost.read_passes
    special = sum(not access.tile.is_plain for access in (plan.write, plan.read))
    return (passes, cost.stores + cost.loads, cost.shared_bytes, special)


def storage_bits(element_bits: int) -> int:
    """Return the bits of an element in memory: i1 and others below a byte take 8.

    Raises:
        LayoutError: no instruction moves such elements.
    """
    if not is_power_of_two(element_bits) or element_bits > 128:
        raise LayoutError("a conversion moves elements of 1, 2, 4 … 128 bits", found=element_bits)
    return max(8, element_bits)


def optimal_swizzle(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> LinearLayout:
    """Find the layout of shared memory for a conversion by plain stores and loads.

    `weft.layouts.plans.swizzle` explains the algorithm.

    Args:
        source: the layout that is stored.
        target: the layout that is loaded, with the same order of out-dimensions.
        element_bits: the bits of an element, a power of two; 4 for elements that share a byte.
        memory: the shared memory of the chip.

    Returns:
        A layout from offset to the elements that the source's registers, lanes and warps hold.

    Raises:
        LayoutError: the elements are of another width, or the layouts have another number of
            lanes than the chip.
    """
    storage_bits(element_bits)
    plain = structs.replace(memory, instructions=())
    return shared_plan(source, target, element_bits, plain).layout
