"""Compile a spilling AMD kernel again with options that need fewer registers.

vector registers    a schedule for occupancy; then loop strength reduction, which keeps one address
                    per loop instead of many, with a schedule for instruction-level parallelism,
                    which ends live ranges earlier
scalar registers    warp-uniform values in vector registers: every lane computes them
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.codegen.backend.spills import CompileRequest, Spills

__all__ = ["UNIFORM", "retries"]

UNIFORM = '"uniform-work-group-size"="true"'  # among the attributes of every kernel
_REDUCED = ("loop_simplify", "loop_strength_reduce")
_OCCUPANCY, _LATENCY = (
    (UNIFORM, f'{UNIFORM} "amdgpu-sched-strategy"="{strategy}"')
    for strategy in ("iterative-maxocc", "max-ilp")
)
# The first block's readfirstlane of the thread's index, from `Hardware.same_in_warp`.
_SCALAR_WARP = re.compile(r"(%t\d+) = call i32 @llvm\.amdgcn\.readfirstlane\.i32\(i32 (%t\d+)\)")


def retries(text: str, spills: Spills) -> Iterator[CompileRequest]:
    """Yield at most two other compilations of a kernel that spills, the most successful first.

    Args:
        text: the module's LLVM IR.
        spills: what the first compilation spilled.
    """
    if spills.scratch:
        yield CompileRequest(replacement=_OCCUPANCY)
        yield CompileRequest(passes=_REDUCED, replacement=_LATENCY)
    elif spills.scalars:
        per_lane = _SCALAR_WARP.sub(r"\1 = add i32 \2, 0", text)
        if per_lane != text:
            yield CompileRequest(per_lane)
