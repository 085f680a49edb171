"""Plan how a tensor moves from one layout to another, and do it on data, lane by lane.

    plan = conversion(source, target, 16, target("sm_90").shared_memory)
    plan.kind                # "nothing", "registers", "shuffle", "shared" or "cluster"
    plan.cost                # shuffles, instructions, bytes, barriers, passes of shared memory
    plan.instructions        # {"store b128": 16, "barrier": 1, "ldmatrix.trans x4": 16}
    plan.execute(values)     # [register, lane, warp, block] of the source -> of the target

The cheapest kind that can do it is taken: through shared memory only what must cross warps.
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
