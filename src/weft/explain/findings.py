"""Find avoidable costs in a report, and an edit to try for each.

Each rule looks at one kind of entry and returns one finding or none. Costs are estimates in
cycles of one warp; loops count as `LOOP_ITERATIONS` iterations.
"""

from __future__ import annotations

from weft.analysis.coalescing import WIDEST_BITS
from weft.explain.model import (
    LOOP_ITERATIONS,
    Access,
    Anchor,
    Conversion,
    Dot,
    Finding,
    Loop,
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
    loops: tuple[Loop, ...] = (),
) -> tuple[Finding, ...]:
    """List everything that could be faster, most expensive first."""
    findings = [
        *(_check_conversion(conversion, loops) for conversion in conversions),
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


def _check_conversion(conversion: Conversion, loops: tuple[Loop, ...]) -> Finding | None:
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
    edit = _conversion_edit(conversion, loops)
    return Finding(conversion.cost, "conversion", conversion.location, message, edit)


def _conversion_edit(conversion: Conversion, loops: tuple[Loop, ...]) -> str:
    """Choose the edit that fits the operations on both sides, the most specific first."""
    ops = {anchor.op for anchor in conversion.anchors if anchor}
    if conversion.conflicts:
        return (
            "try another block size: "
            f"{conversion.conflicts} of {conversion.passes} wavefronts are bank conflicts"
        )
    if any(_more_stages_pipeline(anchor, loops) for anchor in conversion.anchors):
        return "let a pipelined loop copy the tile to shared memory (num_stages=2 or more)"
    if "tt.reduce" in ops:
        return "try fewer warps along the reduced axis (num_warps) or a wider block along it"
    if "tt.trans" in ops or (conversion.before != conversion.after and ops == _LOAD_AND_STORE):
        return "make both accesses contiguous along the same dimension (swap the indices of one)"
    if "tt.store" in ops and any(op.startswith("tt.dot") for op in ops):
        return "store narrower elements (convert before the store), so that less is converted"
    if conversion.loop_depth:
        return "compute the value before the loop, or from indices inside it"
    return "try another num_warps, so that both layouts distribute the tensor alike"


def _more_stages_pipeline(anchor: Anchor | None, loops: tuple[Loop, ...]) -> bool:
    """Check whether a load is not pipelined only because num_stages is 1."""
    return anchor is not None and any(
        load.limit == "num_stages" and load.op == anchor.op and load.location == anchor.location
        for loop in loops
        for load in loop.loads
    )


_LOAD_AND_STORE = {"tt.load", "tt.store"}


def _check_access(access: Access) -> Finding | None:
    extra_sectors = access.sectors - access.ideal_sectors
    # A narrow access takes more requests than the widest instruction would.
    extra_requests = access.requests - access.requests * access.vector_bits // WIDEST_BITS
    cost = _CYCLES_PER_SECTOR * extra_sectors + extra_requests
    if cost <= 0 or (access.limit == "widest" and not extra_sectors):
        return None
    message = (
        f"{access.op} of {access.type} accesses {access.vector_bits} bits per thread and "
        f"{access.sectors} sectors, where {access.ideal_sectors} are enough; limited by "
        f"{access.limited_by}"
    )
    return Finding(
        cost * LOOP_ITERATIONS**access.loop_depth,
        "memory",
        access.location,
        message,
        _ACCESS_EDITS[access.limit],
    )


_ACCESS_EDITS = {
    "widest": "let neighboring threads access neighboring addresses",
    "order": "index so that the last dimension of the tile is contiguous in memory, or transpose",
    "divisibility": (
        "pass pointers and strides divisible by 16 (signature `:16`), or tl.multiple_of(x, 16)"
    ),
    "contiguity": (
        "if offsets are contiguous: tl.max_contiguous(tl.multiple_of(offsets, BLOCK), BLOCK)"
    ),
    "mask": "compare with a bound divisible by 16 (signature `:16`), or tl.multiple_of(bound, 16)",
    "share": "use a larger block or fewer warps, so that a thread has more contiguous elements",
}


def _check_shared_access(access: SharedAccess) -> Finding | None:
    if not access.conflicts:
        return None
    message = (
        f"{access.op} of {access.type} takes {access.wavefronts} wavefronts in {access.memory}, "
        f"{access.conflicts} of them bank conflicts"
    )
    edit = (
        "try another block size along the contiguous dimension, or an element type of other width"
    )
    cost = access.conflicts * LOOP_ITERATIONS**access.loop_depth
    return Finding(cost, "shared", access.location, message, edit)


def _check_dot(dot: Dot) -> Finding | None:
    if dot.tile != (1, 1, 1):
        return None
    cost = max(1, dot.per_warp // _FMA_LANES) * LOOP_ITERATIONS**dot.loop_depth
    message = f"{dot.op} of {dot.type} is computed with FMA, without matrix units: {dot.why}"
    return Finding(cost, "dot", dot.location, message, _DOT_EDIT)


_DOT_EDIT = (
    "operands of fp16, bf16 or fp8, blocks of at least 16 along m, n and k; for fp32, "
    'input_precision="tf32" if the target supports it'
)
