"""Values of other lanes on AMD's chips, by the moves that `lowering_plans.lane_moves` chooses.

    quad_perm, row_mirror, row_xmask … of DPP   update.dpp
    moves within 32 lanes                       ds.swizzle
    anything else                               ds.bpermute, an address per lane

Source: AMD's instruction set references, DPP and swizzle modes.
"""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.capabilities import Lanes
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.lowering_plans import lane_moves
from weft.targets import Target

__all__ = ["AmdLanes"]

_ALL_ROWS = _ALL_BANKS = 15
_SWIZZLE_LANES = 32
_IDENTITY = (0x76543210, 0xFEDCBA98 - (1 << 32))


@dataclass(frozen=True, slots=True)
class AmdLanes(Lanes):
    """DPP moves, swizzles and permutes; see `Lanes`."""

    target: Target

    @override
    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        steps = lane_moves.xor_steps(self.target, mask)
        if steps is None and mask < _SWIZZLE_LANES:
            steps = (("swizzle", mask << 10 | _SWIZZLE_LANES - 1),)
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
        steps = lane_moves.within_steps(self.target, mask, bits)
        if steps is not None:
            ((kind, number),) = steps
            if kind == "readlane":
                return self.shuffle_index(writer, value, str(number))
            return _move(writer, self.target, value, kind, number)
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
        return lane_moves.shuffles_any_lane(self.target)

    @override
    def is_one_instruction(self, distance: int) -> bool:
        return lane_moves.is_one_instruction(self.target, distance)

    @property
    @override
    def row_lanes(self) -> int:
        return lane_moves.row_lanes(self.target)

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
    if kind == "dpp8":
        return writer.call("i32", "llvm.amdgcn.mov.dpp8.i32", ("i32", value), ("i32", str(number)))
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
