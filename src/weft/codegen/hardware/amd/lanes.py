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

from dataclasses import dataclass
from functools import lru_cache

from typing_extensions import override

from weft.codegen.hardware.capabilities import Lanes
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target

__all__ = ["AmdLanes"]

_ROW_ROR, _MIRROR, _HALF_MIRROR, _SHARE, _XMASK = 0x120, 0x140, 0x141, 0x150, 0x160
_ALL_ROWS = _ALL_BANKS = 15
_SWIZZLE_LANES = 32
_IDENTITY = (0x76543210, 0xFEDCBA98 - (1 << 32))
_BASES = {0: None, 8: _ROW_ROR + 8, 7: _HALF_MIRROR, 15: _MIRROR}  # what one move of a row does

Step = tuple[str, int]


@dataclass(frozen=True, slots=True)
class AmdLanes(Lanes):
    """DPP moves, swizzles and permutes; see `Lanes`."""

    target: Target

    @override
    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        steps = _xor_steps(self.target, mask)
        if steps is None and mask < _SWIZZLE_LANES:
            steps = [("swizzle", mask << 10 | _SWIZZLE_LANES - 1)]
        if steps is None:
            lane = writer.value(f"xor i32 {_lane_number(writer)}, {mask}")
            return self.shuffle_index(writer, value, lane)
        for step in steps:
            value = _move(writer, self.target, value, *step)
        return value

    @override
    def shuffle_index(self, writer: Writer, value: str, lane: str) -> str:
        """Read a lane; of a constant number into a scalar register."""
        if lane.isdigit():
            return writer.call("i32", "llvm.amdgcn.readlane.i32", ("i32", value), ("i32", lane))
        address = writer.value(f"shl i32 {lane}, 2")
        return writer.call("i32", "llvm.amdgcn.ds.bpermute", ("i32", address), ("i32", value))

    @override
    def shuffle_within(self, writer: Writer, value: str, mask: int, bits: int) -> str:
        target = self.target
        if mask == target.threads_per_warp - 1:
            return self.shuffle_index(writer, value, str(bits))
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
            other_bits = (_SWIZZLE_LANES - 1) & ~mask
            return _move(writer, target, value, "swizzle", bits << 5 | other_bits)
        lane = writer.value(f"and i32 {_lane_number(writer)}, {~mask}")
        if bits:
            lane = writer.value(f"or disjoint i32 {lane}, {bits}")
        return self.shuffle_index(writer, value, lane)

    @override
    def swap(self, writer: Writer, distance: int, a: str, b: str) -> tuple[str, str]:
        if distance not in self.target.shared_memory.lane_swaps:
            raise CodegenError(f"{self.target} does not swap lanes {distance} apart")
        flags = ("i1", "false"), ("i1", "false")
        name = f"llvm.amdgcn.permlane{distance}.swap"
        both = writer.call("{ i32, i32 }", name, ("i32", a), ("i32", b), *flags)
        first, second = (
            writer.value(f"extractvalue {{ i32, i32 }} {both}, {number}") for number in range(2)
        )
        return first, second

    @property
    @override
    def shuffles_any_lane(self) -> bool:
        return False  # neighbours by DPP, others through LDS hardware

    @override
    def is_one_instruction(self, distance: int) -> bool:
        steps = _xor_steps(self.target, distance) or []
        return len(steps) == 1 and steps[0][0] != "swap"

    @property
    @override
    def row_lanes(self) -> int:
        return self.target.threads_per_warp if "permlanex16" in self.target.lane_moves else 16

    @override
    def uniform_condition(self, writer: Writer, condition: str) -> str:
        return condition

    @override
    def reduce_warp(self, writer: Writer, operation: str, type_: str, value: str) -> str:
        return ""  # each DPP move is combined by an instruction


def _lane_number(writer: Writer) -> str:
    """Get the number of a lane in a wave of 64, an i32; smaller waves use no shuffle by address."""
    low = writer.call("i32", "llvm.amdgcn.mbcnt.lo", ("i32", "-1"), ("i32", "0"))
    return writer.call("i32", "llvm.amdgcn.mbcnt.hi", ("i32", "-1"), ("i32", low))


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
        operands = (("i32", value), ("i32", str(number)))
        return writer.call("i32", "llvm.amdgcn.ds.swizzle", *operands)
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
    masked = writer.value(f"and i32 {_lane_number(writer)}, {bit}")
    is_set = writer.value(f"icmp ne i32 {masked}, 0")
    return writer.value(f"select i1 {is_set}, i32 {of_set}, i32 {of_clear}")
