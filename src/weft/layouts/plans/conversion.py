"""Choose the cheapest plan from one layout to another.

By hand, for rows of four registers that become columns of four on 8x16 of f32, one warp:

    1. Registers that broadcast are removed from both layouts.
    2. Is there an X with source(X(i)) = target(i) that is the identity on lane, warp and block?
       No: lane 1 needs elements that lane 16 holds.
    3. Is there one that is the identity on warp and block? Yes, so the data stays in the warp.
       Transpositions of register and lane bits, and rounds of shuffles, are planned and compared.
    4. Otherwise the data would go through shared memory.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from weft.layouts import gf2
from weft.layouts.column_action import remove_broadcast
from weft.layouts.linear_layout import LinearLayout
from weft.layouts.plans.conversion_map import check_convertible, conversion_map
from weft.layouts.plans.cost import Cost, exchange_price
from weft.layouts.plans.register_plan import RegisterPlan
from weft.layouts.plans.shared_memory_plan import SharedPlan, shared_plan, storage_bits
from weft.layouts.plans.shuffle_plan import ShufflePlan, shuffle_plan
from weft.layouts.plans.transposition_plan import TranspositionPlan, transposition_plans
from weft.layouts.shared_memory import SharedMemory

if TYPE_CHECKING:
    from weft.layouts.plans.instruction_semantics import Values

__all__ = ["Conversion", "conversion"]

Plan = RegisterPlan | TranspositionPlan | ShufflePlan | SharedPlan


class Conversion(Struct, frozen=True):
    """A plan between layouts whose registers may broadcast.

    Attributes:
        source: the layout before.
        target: the layout after, with the source's order of out-dimensions.
        plan: the plan between the same layouts without registers that broadcast.
    """

    source: LinearLayout
    target: LinearLayout
    plan: Plan

    @property
    def kind(self) -> str:
        """The kind of plan: "nothing", "registers", "shuffle", "shared" or "cluster"."""
        if self.plan.kind == "nothing" and self.source is not self.target:
            return "registers"  # as many of them as broadcast
        return self.plan.kind

    @property
    def register_map(self) -> tuple[int, ...]:
        """For each register of `target`, the register of the plan's target with its value."""
        registers = conversion_map(self.plan.target, self.target, ("lane", "warp", "block"))
        assert registers is not None  # they differ in registers that broadcast
        return _register_table(registers)

    @property
    def cost(self) -> Cost:
        """What the plan costs."""
        return self.plan.cost

    @property
    def repetitions(self) -> int:
        """How often shared memory is used, 0 if not at all."""
        return self.plan.repetitions if isinstance(self.plan, SharedPlan) else 0

    @property
    def instructions(self) -> dict[str, int]:
        """What a warp executes, by name, in the order of first use."""
        cost = self.cost
        if isinstance(self.plan, SharedPlan):
            write, read = self.plan.write.name, self.plan.read.name
            return {write: cost.stores, "barrier": cost.barriers, read: cost.loads}
        counts = {"select": cost.selects, "lane swap": cost.swaps, "shuffle": cost.shuffles}
        return {name: count for name, count in counts.items() if count}

    def execute(self, values: Values) -> Values:
        """Return the target's values, [register, lane, warp, block], from the source's."""
        import numpy as np  # only for executing a plan, which a compile does not

        distinct = remove_broadcast(self.source).apply_values(range(len(values)))
        converted = self.plan.execute(np.asarray(values)[distinct])
        return converted[list(self.register_map)]


@lru_cache(maxsize=4096)
def conversion(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> Conversion:
    """Plan how a tensor gets from one layout to another.

    Args:
        source: a layout from register, lane, warp and block to the tensor.
        target: a layout with the same dimensions.
        element_bits: the bits of an element; 64 for a pointer. Less than 8 bits are moved as 8.
        memory: the shared memory of the chip (`Target.shared_memory`).

    Raises:
        LayoutError: the layouts have different tensors or numbers of threads, or the width of an
            element is not a power of two up to 128.
    """
    bits = storage_bits(element_bits)
    aligned = check_convertible(source, target)
    distinct_source = remove_broadcast(source).apply(source)
    distinct_target = remove_broadcast(aligned).apply(aligned)
    plan = _plan(distinct_source, distinct_target, bits, memory)
    return Conversion(source, aligned, plan)


def _plan(
    source: LinearLayout, target: LinearLayout, element_bits: int, memory: SharedMemory
) -> Plan:
    """Return the cheapest kind of plan, for layouts without registers that broadcast."""
    # Each map allows more movement than the last and costs more: between the registers of a thread,
    # between the lanes of a warp, then through shared memory.
    threads = ("lane", "warp", "block")
    within_thread = conversion_map(source, target, threads)
    if within_thread is not None and all(source.images(n) == target.images(n) for n in threads):
        return RegisterPlan(source, target, _register_table(within_thread))
    within_warp = within_thread or conversion_map(source, target, ("warp", "block"))
    if within_warp is not None and _is_same_for_blocks(within_warp):
        return _within_a_warp(source, target, within_warp, element_bits, memory)
    return shared_plan(source, target, element_bits, memory)


def _register_table(conversion_layout: LinearLayout) -> tuple[int, ...]:
    """List, for each register of the target, the register of the source."""
    columns = conversion_layout.sublayout(["register"], ["register"]).columns
    return tuple(gf2.linear_combinations(columns))


def _within_a_warp(
    source: LinearLayout,
    target: LinearLayout,
    places: LinearLayout,
    element_bits: int,
    memory: SharedMemory,
) -> Plan:
    """Return the cheapest exchange between lanes, of equal ones that of the fewest shuffles."""
    transpositions = transposition_plans(source, target, places, element_bits, memory)
    best = min(transpositions, key=_price, default=None)
    # Planning rounds of shuffles takes long; skip it if they cannot be cheaper.
    if best is not None and best.is_optimal:
        return best
    rounds = shuffle_plan(source, target, places, element_bits)
    return rounds if best is None else min(rounds, best, key=_price)


def _price(plan: TranspositionPlan | ShufflePlan) -> tuple[int, int]:
    return exchange_price(plan.cost)


def _is_same_for_blocks(places: LinearLayout) -> bool:
    """Check whether the number of the CTA maps to itself."""
    shift = places.out_shifts["block"]
    images = places.images("block")
    return images == tuple(1 << (shift + bit) for bit in range(len(images)))
