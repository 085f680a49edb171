"""How values move between the lanes of a warp: the instructions of each move, per chip.

NVIDIA's chips have one instruction, shfl, for every move of 32 bits. AMD's have several, which this
module chooses among; rows are 16 lanes:

    xor 1, 2, 3           quad_perm of DPP: a move that the vector unit does by the way
    xor 8, 7, 15          row_ror:8, row_half_mirror, row_mirror; with a quad_perm all up to 15
    xor 1 … 15            row_xmask, where there is one
    xor 16                permlanex16 or permlane16_swap, where there is one
    anything below 32     ds_swizzle: through the memory's crossbar, but without addresses
    anything              ds_bpermute, an address per lane

Moves are lists of steps, so that what takes two moves is two steps.
Source: AMD's instruction set references, DPP and swizzle modes; PTX ISA 9.0, redux.sync.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from xdsl.ir import Attribute

from weft.ir import types
from weft.targets import Target

__all__ = [
    "Step",
    "count_words",
    "count_xor_moves",
    "has_warp_reduction",
    "is_one_instruction",
    "pack_lanes",
    "row_lanes",
    "shuffles_any_lane",
    "within_steps",
    "xor_steps",
]

Step: TypeAlias = tuple[str, int]
"""A kind of move, and its control word: "dpp", "swizzle", "permlanex16", "swap"."""

_ROW_ROR, _MIRROR, _HALF_MIRROR, _SHARE, _XMASK = 0x120, 0x140, 0x141, 0x150, 0x160
_ALL_ROWS = 15
_SWIZZLE_LANES = 32
_BASES = {0: None, 8: _ROW_ROR + 8, 7: _HALF_MIRROR, 15: _MIRROR}  # what one move of a row does
_ROW_LANES = 16
_WORD = 32
_INTEGER_REDUCTIONS = ("addi", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
_FLOAT_REDUCTIONS = ("maxnumf", "minnumf", "maximumf", "minimumf")


def count_words(type_: Attribute) -> int:
    """Count the 32-bit words of an element, of which a shuffle moves one."""
    return max(1, types.bit_width(type_) // _WORD)


def shuffles_any_lane(target: Target) -> bool:
    """Check whether one instruction moves words between any lanes at equal cost."""
    return target.backend == "cuda"


def row_lanes(target: Target) -> int:
    """Count the lanes among which moves are instructions of the vector unit."""
    if shuffles_any_lane(target) or "permlanex16" in target.lane_moves:
        return target.threads_per_warp
    return _ROW_LANES


def is_one_instruction(target: Target, distance: int) -> bool:
    """Check whether a shuffle by xor is one instruction of the vector unit."""
    if shuffles_any_lane(target):
        return True
    steps = xor_steps(target, distance) or ()
    return len(steps) == 1 and steps[0][0] != "swap"


def has_warp_reduction(target: Target, operation: str, element: Attribute) -> bool:
    """Check whether one instruction combines a value of all lanes of a warp.

    Args:
        target: The chip.
        operation: The combining operation: "arith.addi".
        element: The element type.
    """
    name = operation.removeprefix("arith.")
    names = {types.i32: _INTEGER_REDUCTIONS, types.f32: _FLOAT_REDUCTIONS}.get(element, ())
    return name in names and str(element) in target.warp_reductions


def pack_lanes(lanes: list[int], bits: int) -> int:
    """Pack numbers of lanes into a control word."""
    return sum(lane << bits * n for n, lane in enumerate(lanes))


def _quad_xor(mask: int) -> int:
    return pack_lanes([lane ^ mask for lane in range(4)], 2)


@lru_cache(maxsize=256)
def xor_steps(target: Target, mask: int) -> tuple[Step, ...] | None:
    """List the moves within the vector unit that make up an xor on an AMD chip.

    By hand: xor 12 is row_mirror, which is xor 15, and then quad_perm for xor 3.

    Returns:
        The moves; None if the vector unit cannot make it.
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
        return (*steps, ("dpp", _XMASK + mask))
    base = next(base for base in _BASES if (mask ^ base) < 4)
    control = _BASES[base]
    if control is not None:
        steps.append(("dpp", control))
    if mask ^ base:
        steps.append(("dpp", _quad_xor(mask ^ base)))
    return tuple(steps)


def within_steps(target: Target, mask: int, bits: int) -> tuple[Step, ...] | None:
    """List the move that reads lane `lane & ~mask | bits` on an AMD chip.

    Returns:
        The move, "readlane", "dpp", "dpp8" or "swizzle"; None for a shuffle by address.
    """
    if mask == target.threads_per_warp - 1:
        return (("readlane", bits),)
    if mask < 4:
        return (("dpp", pack_lanes([lane & ~mask | bits for lane in range(4)], 2)),)
    if mask < 8 and "dpp8" in target.lane_moves:
        return (("dpp8", pack_lanes([lane & ~mask | bits for lane in range(8)], 3)),)
    if mask == _ALL_ROWS and "row_share" in target.lane_moves:
        return (("dpp", _SHARE + bits),)
    if mask < _SWIZZLE_LANES:
        other_bits = (_SWIZZLE_LANES - 1) & ~mask
        return (("swizzle", bits << 5 | other_bits),)
    return None


def count_xor_moves(target: Target, mask: int) -> int:
    """Count the instructions that move one word between lanes whose numbers differ by a mask."""
    if shuffles_any_lane(target):
        return 1
    steps = xor_steps(target, mask)
    return 1 if steps is None else len(steps)
