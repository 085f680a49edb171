"""Plan layout conversions: how a tensor gets from one layout to another, and at what cost.

    plan = conversion(source, target, 16, target("sm_90").shared_memory)
    plan.kind                # "nothing", "registers", "shuffle", "shared" or "cluster"
    plan.cost                # shuffles, instructions, bytes, barriers, passes over the banks
    plan.instructions        # {"store b128": 16, "barrier": 1, "ldmatrix.trans x4": 16}
    plan.execute(values)     # [register, lane, warp, block] of the source -> of the target

The cheapest kind that suffices is chosen: data goes through shared memory only if it crosses warps.
"""

from __future__ import annotations

from weft.layouts.plans.conversion import Conversion, conversion
from weft.layouts.plans.cost import Cost
from weft.layouts.plans.register_plan import RegisterPlan
from weft.layouts.plans.shared_memory_plan import SharedPlan, optimal_swizzle
from weft.layouts.plans.shuffle_plan import Round, ShufflePlan
from weft.layouts.plans.transposition_plan import TranspositionPlan

__all__ = [
    "Conversion",
    "Cost",
    "RegisterPlan",
    "Round",
    "SharedPlan",
    "ShufflePlan",
    "TranspositionPlan",
    "conversion",
    "optimal_swizzle",
]
