"""Shuffles, votes and reductions of a warp: shfl.sync, vote.sync, redux.sync.

Source: PTX ISA 9.0, shfl.sync and redux.sync.
"""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override

from weft.codegen.hardware.capabilities import Lanes
from weft.codegen.llvm.types import intrinsic_suffix
from weft.codegen.llvm.writer import Writer
from weft.errors import CodegenError
from weft.targets import Target

__all__ = ["NvidiaLanes"]

_ALL_LANES = "-1"
_SEGMENT_SHIFT = 8  # of shfl's segment mask in its last operand
_REDUX = {
    ("arith.addi", "i32"): "add",
    ("arith.andi", "i32"): "and",
    ("arith.ori", "i32"): "or",
    ("arith.xori", "i32"): "xor",
    ("arith.maxsi", "i32"): "max",
    ("arith.minsi", "i32"): "min",
    ("arith.maxui", "i32"): "umax",
    ("arith.minui", "i32"): "umin",
    ("arith.maxnumf", "float"): "fmax",
    ("arith.minnumf", "float"): "fmin",
    ("arith.maximumf", "float"): "fmax.NaN",
    ("arith.minimumf", "float"): "fmin.NaN",
}


@dataclass(frozen=True, slots=True)
class NvidiaLanes(Lanes):
    """Shuffles by shfl.sync; see `Lanes`."""

    target: Target

    @override
    def shuffle_xor(self, writer: Writer, value: str, mask: int) -> str:
        return self._shuffle(writer, "bfly", value, str(mask))

    @override
    def shuffle_index(self, writer: Writer, value: str, lane: str) -> str:
        return self._shuffle(writer, "idx", value, lane)

    @override
    def shuffle_within(self, writer: Writer, value: str, mask: int, bits: int) -> str:
        segment_mask = (self.target.threads_per_warp - 1) & ~mask
        return self._shuffle(writer, "idx", value, str(bits), segment_mask << _SEGMENT_SHIFT)

    def _shuffle(self, writer: Writer, mode: str, value: str, lane: str, segments: int = 0) -> str:
        """Write a shuffle.

        Args:
            writer: Where to write.
            mode: "bfly" or "idx".
            value: An i32.
            lane: Mask or index of the lane.
            segments: From bit 8 on, the bits of its number that a lane keeps.
        """
        return writer.call(
            "i32",
            f"llvm.nvvm.shfl.sync.{mode}.i32",
            ("i32", _ALL_LANES),
            ("i32", value),
            ("i32", lane),
            ("i32", str(segments | self.target.threads_per_warp - 1)),
        )

    @override
    def swap(self, writer: Writer, distance: int, a: str, b: str) -> tuple[str, str]:
        raise CodegenError(f"{self.target} has no instruction that swaps halves of registers")

    @property
    @override
    def shuffles_any_lane(self) -> bool:
        return True

    @override
    def is_one_instruction(self, distance: int) -> bool:
        return True

    @property
    @override
    def row_lanes(self) -> int:
        return self.target.threads_per_warp

    @override
    def uniform_condition(self, writer: Writer, condition: str) -> str:
        callee = "llvm.nvvm.vote.any.sync"  # else ptxas calls a function for each shuffle on sm_80
        return writer.call("i1", callee, ("i32", _ALL_LANES), ("i1", condition))

    @override
    def reduce_warp(self, writer: Writer, operation: str, type_: str, value: str) -> str:
        name = _REDUX.get((operation, type_))
        if name is None or intrinsic_suffix(type_) not in self.target.warp_reductions:
            return ""
        callee = f"llvm.nvvm.redux.sync.{name}"
        return writer.call(type_, callee, (type_, value), ("i32", _ALL_LANES))
