"""What AMD's compiler is asked where registers do not suffice: the same code in other ways.

vector registers    an order of the code that lets more warps run; then an address per loop in place
                    of many, in an order for results that are ready early, and so dead early
scalar registers    every lane computes for itself what its warp has in common
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.codegen.backend.spills import Spills, Way

__all__ = ["UNIFORM", "with_fewer_registers"]

UNIFORM = '"uniform-work-group-size"="true"'  # stands among every kernel's attributes
_REDUCED = ("loop_simplify", "loop_strength_reduce")
_MORE_WARPS, _EARLY = (
    (UNIFORM, f'{UNIFORM} "amdgpu-sched-strategy"="{order}"')
    for order in ("iterative-maxocc", "max-ilp")
)
# What `Hardware.same_in_warp` writes of a thread's number, in the first block.
_SCALAR_WARP = re.compile(r"(%t\d+) = call i32 @llvm\.amdgcn\.readfirstlane\.i32\(i32 (%t\d+)\)")


def with_fewer_registers(text: str, spills: Spills) -> Iterator[Way]:
    """Yield the ways that may help: two at most, none that would be the usual one over again.

    What suffices most often comes first; what follows is for kernels of which some spills remain.

    Args: text: of the module.
    """
    if spills.scratch:
        yield Way(replaced=_MORE_WARPS)
        yield Way(passes=_REDUCED, replaced=_EARLY)
    elif spills.scalars:
        by_lanes = _SCALAR_WARP.sub(r"\1 = add i32 \2, 0", text)
        if by_lanes != text:
            yield Way(by_lanes)
