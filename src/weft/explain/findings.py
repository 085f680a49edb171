"""Find avoidable costs in a report; `weft.explain.advice` tries edits for them.

Each rule looks at one kind of entry and returns one finding or none. Costs are estimates in
cycles of one warp; loops count as `LOOP_ITERATIONS` iterations.
"""

from __future__ import annotations

from weft.analysis.coalescing import WIDEST_BITS
from weft.explain.model import (
    LOOP_ITERATIONS,
    Access,
    Conversion,
    Dot,
    Finding,
    SharedAccess,
)

__all__ = ["rank_findings"]

_CYCLES_PER_SECTOR = 2
_FMA_LANES = 32


def rank_findings(
    conversions: tuple[Conversion, ...],
    memory: tuple[Access, ...],
    shared: tuple[SharedAccess, ...],
    dots: tuple[Dot, ...],
) -> tuple[Finding, ...]:
    """List everything that could be faster, most expensive first."""
    findings = [
        *map(_check_conversion, conversions),
        *map(_check_access, memory),
        *map(_check_shared_access, shared),
        *map(_check_dot, dots),
    ]
    return tuple(
        sorted(
            (finding for finding in findings if finding is not None),
            key=lambda finding: -finding.cost,
        )
    )


def _check_conversion(conversion: Conversion) -> Finding | None:
    if conversion.plan in ("nothing", "registers", "unknown"):
        return None  # no instructions, or unknown ones
    ops = [anchor.op for anchor in conversion.anchors if anchor]
    conflict = (
        f"{' and '.join(ops)} need different layouts"
        if len(ops) == 2
        else f"{ops[0] if ops else 'a user'} needs another layout"
    )
    medium = "warp shuffles" if conversion.plan == "shuffle" else "shared memory"
    loop = " in a loop" if conversion.loop_depth else ""
    message = (
        f"{conversion.type} is converted from {conversion.before} to {conversion.after} through "
        f"{medium}{loop}: {conflict}"
    )
    return Finding(conversion.cost, "conversion", conversion.location, message, conversion)


def _check_access(access: Access) -> Finding | None:
    extra_sectors = access.sectors - access.ideal_sectors
    # A narrow access takes more requests than the widest instruction would.
    extra_requests = access.requests - access.requests * access.vector_bits // WIDEST_BITS
    cost = _CYCLES_PER_SECTOR * extra_sectors + extra_requests
    if cost <= 0 or (access.limit == "widest" and not extra_sectors):
        return None
    amount = (
        f"and {access.sectors} sectors, where {access.ideal_sectors} are enough"
        if extra_sectors > 0
        else f"in {access.requests} requests"
    )
    message = (
        f"{access.op} of {access.type} accesses {access.vector_bits} bits per thread {amount}; "
        f"limited by {access.limited_by}"
    )
    return Finding(
        cost * LOOP_ITERATIONS**access.loop_depth,
        "memory",
        access.location,
        message,
        access,
    )


def _check_shared_access(access: SharedAccess) -> Finding | None:
    if not access.conflicts:
        return None
    message = (
        f"{access.op} of {access.type} takes {access.wavefronts} wavefronts in {access.memory}, "
        f"{access.conflicts} of them bank conflicts"
    )
    cost = access.conflicts * LOOP_ITERATIONS**access.loop_depth
    return Finding(cost, "shared", access.location, message, access)


def _check_dot(dot: Dot) -> Finding | None:
    if dot.tile != (1, 1, 1):
        return None
    cost = max(1, dot.per_warp // _FMA_LANES) * LOOP_ITERATIONS**dot.loop_depth
    message = f"{dot.op} of {dot.type} is computed with FMA, without matrix units: {dot.why}"
    return Finding(cost, "dot", dot.location, message, dot)
