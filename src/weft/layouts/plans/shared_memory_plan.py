"""Conversions through shared memory: store, wait, load; between blocks, load from another's.

Every pair of instructions that fits is placed in memory and counted, and the best is taken: fewest
passes over the banks, conflicts and all, then fewest instructions, then least memory, then plain
ones. Registers that both sides hold at the top of the offset go one after another through the
same memory:

    for each repetition:    store its registers      barrier
                            load its registers       barrier, if there is another repetition
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.errors import LayoutError
from weft.layouts.encodings.checks import is_power_of_two
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans import execution
from weft.layouts.plans.cost import Cost
from weft.layouts.plans.instruction_pairs import instruction_pairs
from weft.layouts.plans.shared_access import SharedAccess
from weft.layouts.plans.shared_placements import shared_round_trip
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SharedPlan", "optimal_swizzle", "shared_plan", "storage_bits"]


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """Write all of the source to shared memory, wait, and read it as the target.

    Fields: source, target: the layouts.  element_bits: of an element in memory.
    memory: of the chip.  layout: offset -> element; the highest bits are the repetitions.
    write, read: how each side does it.
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
        """Return "shared", or "cluster" where blocks read what others wrote."""
        return "shared" if self.read.side.stays else "cluster"

    @property
    def repetitions(self) -> int:
        """Return how often the memory is used anew."""
        return 1 << self.read.repetitions

    @property
    def cost(self) -> Cost:
        """Return instructions of a warp, and passes of all warps of a block."""
        wrote, write_ideal = self.write.passes(self.element_bits, self.memory)
        found, read_ideal = self.read.passes(self.element_bits, self.memory)
        stores, loads = (side.count * side.warps for side in (self.write, self.read))
        return Cost(
            stores=self.write.count,
            loads=self.read.count,
            store_bits=self.write.tile.bits,
            load_bits=self.read.tile.bits,
            barriers=2 * self.repetitions - 1,
            shared_bytes=self.layout.in_size("offset") * self.element_bits // 8 // self.repetitions,
            write_passes=wrote * stores,
            read_passes=found * loads,
            write_conflicts=(wrote - write_ideal) * stores,
            read_conflicts=(found - read_ideal) * loads,
        )

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np

        blocks = values.shape[-1]
        size = self.layout.in_size("offset") // self.repetitions
        memory = np.zeros((size, blocks), values.dtype)
        out = np.zeros((self.target.in_size("register"), *values.shape[1:]), values.dtype)
        for repetition in range(self.repetitions):
            execution.store(self.write, repetition, memory, values)
            execution.load(self.read, repetition, memory, out)
        return out


def shared_plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> SharedPlan:
    """Return the best round trip; both layouts without registers that repeat.

    Args: element_bits: in memory, a power of two up to 128; less than 8 can be placed, but not
    moved one by one.
    Raises: LayoutError for other lanes than the chip's.
    """
    if source.in_size("lane") != memory.lanes:
        raise LayoutError(
            f"a warp of {memory.name} has {memory.lanes} lanes", found=source.in_size("lane")
        )
    moved = shared_round_trip(source, target, element_bits, memory)
    best: tuple[tuple[int, ...], SharedPlan] | None = None
    plain: int | None = None
    for candidate in instruction_pairs(moved.write, moved.read, element_bits, memory):
        if plain is not None and candidate.shared < plain:
            break
        if best is not None and best[0] < moved.least_price(candidate):
            continue
        for columns, write, read in moved.placed(candidate):
            layout = LinearLayout((("offset", columns),), source.outs)
            plan = SharedPlan(source, target, element_bits, memory, layout, write, read)
            price = _price(plan)
            if best is None or price < best[0]:
                best = price, plan
            if write.tile.is_plain and read.tile.is_plain:
                plain = candidate.shared
    assert best is not None
    return best[1]


def _price(plan: SharedPlan) -> tuple[int, ...]:
    cost = plan.cost
    passes = cost.write_passes + cost.read_passes
    special = sum(not access.tile.is_plain for access in (plan.write, plan.read))
    return (passes, cost.stores + cost.loads, cost.shared_bytes, special)


def storage_bits(element_bits: int) -> int:
    """Return the bits that an element has on its way: i1 and other parts of a byte have 8.

    Raises: LayoutError for elements that no instruction moves.
    """
    if not is_power_of_two(element_bits) or element_bits > 128:
        raise LayoutError("a conversion moves elements of 1, 2, 4 … 128 bits", found=element_bits)
    return max(8, element_bits)


def optimal_swizzle(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> LinearLayout:
    """Return offset -> element for the round trip of a tensor by plain stores and loads.

    Args: source: writes, target: reads; of one order of out-dimensions.  element_bits: a power of
    two, 4 for nibbles that lie side by side.
    Returns: a layout that reaches what the registers, lanes and warps of the source hold.
    Raises: LayoutError for other elements, or other lanes than the chip's.
    """
    storage_bits(element_bits)
    plain = dataclasses.replace(memory, instructions=())
    return shared_plan(source, target, element_bits, plain).layout
