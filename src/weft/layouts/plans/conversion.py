"""Choose the cheapest way from one layout to another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from weft.layouts.column_action import remove_broadcast
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.conversion_map import check_convertible, conversion_map
from weft.layouts.plans.cost import Cost
from weft.layouts.plans.register_plan import RegisterPlan
from weft.layouts.plans.shared_memory_plan import SharedPlan, shared_plan, storage_bits
from weft.layouts.plans.shuffle_plan import ShufflePlan, shuffle_plan
from weft.layouts.plans.transposition_plan import TranspositionPlan, transposition_plans
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Conversion", "conversion"]

Plan = RegisterPlan | TranspositionPlan | ShufflePlan | SharedPlan


@dataclass(frozen=True, slots=True)
class Conversion:
    """Hold a plan between layouts that may hold elements several times in a thread's registers.

    Fields: source, target: the layouts, of one order of out-dimensions.
    plan: between the same without registers that repeat.
    """

    source: LinearLayout
    target: LinearLayout
    plan: Plan

    @property
    def kind(self) -> str:
        """Return "nothing", "registers", "shuffle", "shared" or "cluster"."""
        if self.plan.kind == "nothing" and self.source is not self.target:
            return "registers"  # as many of them as are held several times
        return self.plan.kind

    @property
    def places(self) -> tuple[int, ...]:
        """Return for each register of `target` the register of the plan's target that it equals."""
        found = conversion_map(self.plan.target, self.target, ("lane", "warp", "block"))
        assert found is not None
        return tuple(found.sublayout(["register"], ["register"]).packed_table().tolist())

    @property
    def cost(self) -> Cost:
        """Return what the plan costs."""
        return self.plan.cost

    @property
    def repetitions(self) -> int:
        """Return how often shared memory is used anew, 0 where it is not used."""
        return self.plan.repetitions if isinstance(self.plan, SharedPlan) else 0

    @property
    def instructions(self) -> dict[str, int]:
        """Return what a warp executes, by name, in the order of its first use."""
        cost = self.cost
        if isinstance(self.plan, SharedPlan):
            write, read = self.plan.write.name, self.plan.read.name
            return {write: cost.stores, "barrier": cost.barriers, read: cost.loads}
        counts = {"select": cost.selects, "lane swap": cost.swaps, "shuffle": cost.shuffles}
        return {name: count for name, count in counts.items() if count}

    def execute(self, values: np.ndarray) -> np.ndarray:
        """Return the target's values from the source's.

        Args: values: [register, lane, warp, block].  Returns: the same of the target.
        """
        import numpy as np

        kept = remove_broadcast(self.source).apply_values(range(len(values)))
        moved = self.plan.execute(np.asarray(values)[kept])
        return moved[list(self.places)]


@lru_cache(maxsize=4096)
def conversion(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> Conversion:
    """Return how a tensor moves from one layout to the other.

    Args: source, target: from register, lane, warp and block to the same tensor.
    element_bits: of an element; pointers have 64, and less than 8 travel as 8.
    memory: of the chip (`Target.shared_memory`).
    Raises: LayoutError where the layouts are not of one tensor on the same threads, or elements
    are of no power of two bits up to 128.
    """
    bits = storage_bits(element_bits)
    aligned = check_convertible(source, target)
    few = remove_broadcast(source).apply(source)
    fewer = remove_broadcast(aligned).apply(aligned)
    return Conversion(source, aligned, _plan(few, fewer, bits, memory))


def _plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> Plan:
    stays = ("lane", "warp", "block")
    places = conversion_map(source, target, stays)
    if places is not None and all(source.images(n) == target.images(n) for n in stays):
        registers = places.sublayout(["register"], ["register"]).packed_table()
        return RegisterPlan(source, target, tuple(registers.tolist()))
    places = places or conversion_map(source, target, stays[1:])
    if places is not None and _same_for_blocks(places):
        return _within_a_warp(source, target, places, element_bits, memory)
    return shared_plan(source, target, element_bits, memory)


def _within_a_warp(
    source: LinearLayout,
    target: LinearLayout,
    places: LinearLayout,
    element_bits: int,
    memory: SharedMemory,
) -> Plan:
    """Return the exchange that takes least, of equals the one of fewest shuffles."""
    swaps = transposition_plans(source, target, places, element_bits, memory)
    best = min(swaps, key=_exchange_price, default=None)
    if best is not None and best.is_least:
        return best
    rounds = shuffle_plan(source, target, places, element_bits)
    return rounds if best is None else min(rounds, best, key=_exchange_price)


def _exchange_price(plan: TranspositionPlan | ShufflePlan) -> tuple[int, int]:
    """Return what decides: a shuffle takes as long as two selects.

    Source: CUDA C++ Programming Guide, arithmetic throughput, 32 shuffles and 64 others a cycle.
    """
    cost = plan.cost
    return 2 * cost.shuffles + cost.selects + cost.swaps, cost.shuffles


def _same_for_blocks(places: LinearLayout) -> bool:
    """Return whether every block of the cluster does the same."""
    return places.images("block") == tuple(
        1 << (places.out_shifts["block"] + bit) for bit in range(len(places.images("block")))
    )
