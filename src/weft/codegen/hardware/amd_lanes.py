"""Values of other lanes on AMD's chips, by the cheapest instruction that moves them.

    xor 1, 2, 3           quad_perm of DPP: a move that the vector unit does by the way
    xor 8, 7, 15          row_ror:8, row_half_mirror, row_mirror; with a quad_perm all up to 15
    xor 1 … 15            row_xmask, where there is one
    xor 16                permlanex16 or permlane16_swap, where there is one
    anything below 32     ds_swizzle: through the memory's crossbar, but without addresses
    anything              ds_bpermute, an address per lane

Rows are 16 lanes. Moves are lists of steps, so that what takes two moves is two steps.
Source: AMD's instruction set references, DPP and swizzle modes.
"""

from __future__ import annotations

from functools import lru_cache

from weft.codegen.llvm.writer import Writer
from weft.targets import Target

__all__ = ["is_one_move", "lane_number", "take", "take_within", "take_xor"]

_ROW_ROR, _MIRROR, _HALF_MIRROR, _SHARE, _XMASK = 0x120, 0x140, 0x141, 0x150, 0x160
_ALL_ROWS = _ALL_BANKS = 15
_SWIZZLE_LANES = 32
_IDENTITY = (0x76543210, 0xFEDCBA98 - (1 << 32))
_BASES = {0: None, 8: _ROW_ROR + 8, 7: _HALF_MIRROR, 15: _MIRROR}  # what one move of a row does

Step = tuple[str, int]


def lane_number(writer: Writer, target: Target) -> str:
    """Return the lane's number, an i32."""
    low = writer.call("i32", "llvm.amdgcn.mbcnt.lo", ("i32", "-1"), ("i32", "0"))
    if target.threads_per_warp == 32:
        return low
    return writer.call("i32", "llvm.amdgcn.mbcnt.hi", ("i32", "-1"), ("i32", low))


def take(writer: Writer, value: str, lane: str) -> str:
    """Return the i32 of a lane given by number, an i32: in a scalar register if that is known."""
    if lane.isdigit():
        return writer.call("i32", "llvm.amdgcn.readlane.i32", ("i32", value), ("i32", lane))
    place = writer.value(f"shl i32 {lane}, 2")
    return writer.call("i32", "llvm.amdgcn.ds.bpermute", ("i32", place), ("i32", value))


def take_xor(writer: Writer, target: Target, value: str, mask: int) -> str:
    """Return the i32 of the lane whose number differs in the bits of a mask."""
    steps = _xor_steps(target, mask)
    if steps is None and mask < _SWIZZLE_LANES:
        steps = [("swizzle", mask << 10 | _SWIZZLE_LANES - 1)]
    if steps is None:
        lane = writer.value(f"xor i32 {lane_number(writer, target)}, {mask}")
        return take(writer, value, lane)
    for step in steps:
        value = _move(writer, target, value, *step)
    return value


def is_one_move(target: Target, mask: int) -> bool:
    """Tell whether `take_xor` is one instruction of the vector unit."""
    steps = _xor_steps(target, mask) or []
    return len(steps) == 1 and steps[0][0] != "swap"


def take_within(writer: Writer, target: Target, value: str, mask: int, bits: int) -> str:
    """Return the i32 of the lane whose number has given bits under a mask, else this lane's."""
    if mask == target.threads_per_warp - 1:
        return writer.call("i32", "llvm.amdgcn.readlane.i32", ("i32", value), ("i32", str(bits)))
    if mask < 4:
        lanes = [lane & ~mask | bits for lane in range(4)]
        return _move(writer, target, value, "dpp", _packed(lanes, 2))
    if mask < 8 and "dpp8" in target.lane_moves:
        lanes = [lane & ~mask | bits for lane in range(8)]
        packed = str(_packed(lanes, 3))
        return writer.call("i32", "llvm.amdgcn.mov.dpp8.i32", ("i32", value), ("i32", packed))
    if mask == _ALL_ROWS and "row_share" in target.lane_moves:
        return _move(writer, target, value, "dpp", _SHARE + bits)
    if mask < _SWIZZLE_LANES:
        kept = (_SWIZZLE_LANES - 1) & ~mask
        return _move(writer, target, value, "swizzle", bits << 5 | kept)
    kept = writer.value(f"and i32 {lane_number(writer, target)}, {~mask}")
    lane = writer.value(f"or disjoint i32 {kept}, {bits}") if bits else kept
    return take(writer, value, lane)


def _packed(lanes: list[int], bits: int) -> int:
    return sum(lane << bits * n for n, lane in enumerate(lanes))


def _quad_xor(mask: int) -> int:
    return _packed([lane ^ mask for lane in range(4)], 2)


@lru_cache(maxsize=256)
def _xor_steps(target: Target, mask: int) -> list[Step] | None:
    """Return moves within the vector unit that make up an xor, None where they do not.

    By hand: xor 12 is row_mirror, which is xor 15, and then quad_perm for xor 3.
    """
    steps: list[Step] = []
    for bit, name in ((32, ""), (16, "permlanex16")):
        if mask & bit:
            if name and name in target.lane_moves:
                steps.append((name, bit))
            elif bit in target.shared_memory.lane_swaps:
                steps.append(("swap", bit))
            else:
                return None
    mask &= _ALL_ROWS
    if mask > 3 and "row_xmask" in target.lane_moves:
        return [*steps, ("dpp", _XMASK + mask)]
    base = next(base for base in _BASES if (mask ^ base) < 4)
    control = _BASES[base]
    if control is not None:
        steps.append(("dpp", control))
    if mask ^ base:
        steps.append(("dpp", _quad_xor(mask ^ base)))
    return steps


def _move(writer: Writer, target: Target, value: str, kind: str, number: int) -> str:
    """Write one move of an i32."""
    if kind == "dpp":
        return writer.call(
            "i32",
            "llvm.amdgcn.update.dpp.i32",
            ("i32", "poison"),
            ("i32", value),
            ("i32", str(number)),
            ("i32", str(_ALL_ROWS)),
            ("i32", str(_ALL_BANKS)),
            ("i1", "true"),
        )
    if kind == "swizzle":
        given = (("i32", value), ("i32", str(number)))
        return writer.call("i32", "llvm.amdgcn.ds.swizzle", *given)
    if kind == "permlanex16":
        return writer.call(
            "i32",
            "llvm.amdgcn.permlanex16.i32",
            ("i32", "poison"),
            ("i32", value),
            *(("i32", str(lanes)) for lanes in _IDENTITY),
            ("i1", "false"),
            ("i1", "false"),
        )
    return _swapped(writer, target, value, number)


def _swapped(writer: Writer, target: Target, value: str, bit: int) -> str:
    """Swap halves of pairs of rows with another copy: lanes with the bit set take the first."""
    both = writer.call(
        "{ i32, i32 }",
        f"llvm.amdgcn.permlane{bit}.swap",
        ("i32", value),
        ("i32", value),
        ("i1", "false"),
        ("i1", "false"),
    )
    of_set, of_clear = (writer.value(f"extractvalue {{ i32, i32 }} {both}, {n}") for n in range(2))
    masked = writer.value(f"and i32 {lane_number(writer, target)}, {bit}")
    is_set = writer.value(f"icmp ne i32 {masked}, 0")
    return writer.value(f"select i1 {is_set}, i32 {of_set}, i32 {of_clear}")
