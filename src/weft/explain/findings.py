"""What costs most, and an edit to try: the report read the other way round.

Each rule looks at one kind of entry and says nothing, or one finding with its estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

from weft.explain.model import TURNS, Access, Conversion, Dot, Finding, SharedAccess

__all__ = ["findings"]

_SECTOR = 2  # ticks that a sector takes
_FMA_LANES = 32


def findings(
    conversions: tuple[Conversion, ...],
    memory: tuple[Access, ...],
    shared: tuple[SharedAccess, ...],
    dots: tuple[Dot, ...],
) -> tuple[Finding, ...]:
    """Return everything that could be better, dearest first."""
    found = [
        *_of(map(_conversion, conversions)),
        *_of(map(_access, memory)),
        *_of(map(_shared, shared)),
        *_of(map(_dot, dots)),
    ]
    return tuple(sorted(found, key=lambda finding: -finding.cost))


def _of(found: Iterator[Finding | None]) -> list[Finding]:
    return [finding for finding in found if finding is not None]


def _conversion(one: Conversion) -> Finding | None:
    if one.plan in ("nothing", "registers", "unknown"):
        return None
    behind, ahead = one.anchors
    between = " and ".join(anchor.op for anchor in (behind, ahead) if anchor) or "its readers"
    inside = " in a loop" if one.loop_depth else ""
    message = (
        f"{one.type} goes from {one.before} to {one.after} through "
        f"{'lanes' if one.plan == 'shuffle' else 'shared memory'}{inside}: {between} disagree"
    )
    return Finding(one.cost, "conversion", one.location, message, _conversion_edit(one))


def _conversion_edit(one: Conversion) -> str:
    behind, ahead = one.anchors
    names = {anchor.op for anchor in (behind, ahead) if anchor}
    if one.conflicts:
        return f"try another block size: {one.conflicts} of {one.passes} passes are conflicts"
    if any(name.startswith(("tt.dot", "ttng.")) for name in names) and "tt.load" in names:
        return "let a pipelined loop copy the tile to shared memory (num_stages=2 or more)"
    if "tt.reduce" in names:
        return "try fewer warps along the reduced axis (num_warps) or a wider block along it"
    if "tt.trans" in names or (one.before != one.after and names == {"tt.load", "tt.store"}):
        return "index one side the other way round, so that both run along the same dimension"
    if "tt.store" in names and any(name.startswith("tt.dot") for name in names):
        return "store narrower elements (convert before the store), so that less has to move"
    if one.loop_depth:
        return "compute the value before the loop, or from indices inside it"
    return "try another num_warps, so that both sides split the tensor alike"


def _access(one: Access) -> Finding | None:
    wasted = one.sectors - one.ideal_sectors
    narrow = one.requests - one.requests * one.vector_bits // 128
    cost = (_SECTOR * wasted + narrow) * TURNS**one.loop_depth
    if cost <= 0 or (one.limit == "widest" and not wasted):
        return None
    message = (
        f"{one.op} of {one.type} moves {one.vector_bits} bits per thread and touches "
        f"{one.sectors} sectors where {one.ideal_sectors} hold what it wants: {one.limited_by}"
    )
    return Finding(cost, "memory", one.location, message, _ACCESS_EDITS[one.limit])


_ACCESS_EDITS = {
    "widest": "give neighbouring threads neighbouring addresses",
    "order": "index so that the last dimension of the tile is contiguous in memory, or transpose",
    "divisibility": (
        "pass pointers and strides divisible by 16 (signature `:16`), or tl.multiple_of(x, 16)"
    ),
    "contiguity": "tl.max_contiguous(tl.multiple_of(offsets, BLOCK), BLOCK) where that is so",
    "mask": "compare with a bound divisible by 16 (signature `:16`), or tl.multiple_of(bound, 16)",
    "share": "a larger block, or fewer warps, so that a thread holds more neighbours",
}


def _shared(one: SharedAccess) -> Finding | None:
    if not one.conflicts:
        return None
    message = (
        f"{one.op} of {one.type} takes {one.wavefronts} passes over the banks of {one.memory}, "
        f"{one.conflicts} of them conflicts"
    )
    edit = "try another block size along the fast dimension, or an element type of other width"
    cost = one.conflicts * TURNS**one.loop_depth
    return Finding(cost, "shared", one.location, message, edit)


def _dot(one: Dot) -> Finding | None:
    if one.tile != (1, 1, 1):
        return None
    cost = max(1, one.per_warp // _FMA_LANES) * TURNS**one.loop_depth
    message = f"{one.op} of {one.type} is computed by multiply-add, without matrix units: {one.why}"
    return Finding(cost, "dot", one.location, message, _DOT_EDIT)


_DOT_EDIT = (
    "operands of fp16, bf16 or fp8, blocks of at least 16 along m, n and k; for fp32, "
    'input_precision="tf32" where the chip has it'
)
