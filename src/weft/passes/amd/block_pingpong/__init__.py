"""Interleave the dots and memory accesses of two warps per SIMD (tritonamdgpu-block-pingpong).

Before:  scf.for … {                       After:  ttg.barrier local
           %x = tt.load %p                         amdg.cond_barrier %is_high   half of them wait
           %a = ttg.local_load %m                  scf.for … {
           %d = tt.dot %a, …                         %a0 = ttg.local_load …     memory cluster
           ttg.local_store %x, …                     %x = tt.load %p
         }                                           ttg.barrier local
                                                     rocdl.s.setprio 1
                                                     tt.dot %a0, …              dot cluster
                                                     rocdl.s.setprio 0
                                                     …
                                                   }
                                                   amdg.cond_barrier %is_low    the others wait

A SIMD runs two warps. While one runs a cluster of MFMA instructions, the other runs a cluster of
memory instructions; barriers between clusters keep them half an iteration apart, and a higher
priority keeps a cluster of MFMA instructions together. Four warps per block need no barrier: the
two warps on a SIMD belong to different blocks.

    dots  warps  stages  tile                  clusters
    1     4      > 1     2^18 to 2^24          one, without barriers        `single_dot.py`
    1     8      2       2^25                  two, dot split in 2          `sliced_dot.py`
    1     8      2       >= 2^26               four, dot split in 4         `sliced_dot.py`
    1     8      3       > 64 × > 64, async    two                          `async_copies.py`
    1     8      2       256 × 256, scaled     two, in the dot's lowering   `async_copies.py`
    2     any    4       any                   four                         `chained_dots.py`

A tile is M·N·K times the bits of an element of A.

Needs loops that tritonamdgpu-pipeline expanded. Keeps values: as in the pipeliner, loads do not
alias the stores of the loop. Source: Triton, BlockPingpong.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, types
from weft.ir.builtin import ModuleOp
from weft.ir.module_attributes import lookup_num_warps
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding
from weft.passes.amd.block_pingpong.asymmetric_sync import delay_half_of_the_warps
from weft.passes.amd.block_pingpong.async_copies import (
    schedule_copies_before_scaled_dot,
    schedule_local_loads_before_dot,
)
from weft.passes.amd.block_pingpong.chained_dots import schedule_chained_dots
from weft.passes.amd.block_pingpong.loop_operations import LoopOperations
from weft.passes.amd.block_pingpong.single_dot import schedule_single_dot
from weft.passes.amd.block_pingpong.sliced_dot import schedule_four_slices, schedule_two_slices
from weft.passes.amd.block_pingpong.warp_exchange import exchanges_between_warps
from weft.passes.pipelining.loop_queries import loops_inner_first

__all__ = ["BlockPingpong"]

# Bounds of M·N·K·bits, found by measurements of Triton's developers on MI300.
_MIN_TILE = 1 << 18  # 32×128×64 of f16
_SMALL_TILE = 1 << 24  # 128×128×64 of f16
_MEDIUM_TILE = 1 << 25  # 256×128×64 of f16
_LARGE_TILE = 1 << 26  # 256×256×64 of f16


class BlockPingpong(Struct, frozen=True):
    """Schedules loops with one or two dots.

    Attributes:
        num_stages: The number of stages that the loops were pipelined with.
    """

    num_stages: int = 2

    name: ClassVar[str] = "tritonamdgpu-block-pingpong"

    def run(self, module: ModuleOp) -> None:
        """Schedule the loops of a module in place."""
        if self.num_stages <= 1:
            return  # nothing was prefetched, so that a dot waits for its own loads
        for loop in loops_inner_first(module):
            num_warps = lookup_num_warps(loop)
            if num_warps != 4 and exchanges_between_warps(loop):
                continue
            if self._schedule(loop, num_warps):
                delay_half_of_the_warps(loop)

    def _schedule(self, loop: scf.ForOp, num_warps: int) -> bool:
        """Reorder the body of a loop.

        Returns:
            Whether the body now has barriers that half of the warps have to reach later.
        """
        ops = LoopOperations.collect(loop)
        if ops.num_dots == 2:
            return self.num_stages == 4 and schedule_chained_dots(ops)
        if ops.num_dots != 1 or not ops.has_pipelined_operands():
            return False
        if ops.scaled_dots:
            is_supported = num_warps == 8 and self.num_stages == 2
            return is_supported and schedule_copies_before_scaled_dot(ops)
        return self._schedule_dot(ops, num_warps)

    def _schedule_dot(self, ops: LoopOperations, num_warps: int) -> bool:
        dot = ops.dots[0]
        a = types.encoding(dot.a.type)
        if not isinstance(a, DotOperandEncoding) or not isinstance(a.parent, AmdMfmaEncoding):
            return False
        if ops.copies:
            if num_warps != 8:
                return False
            if self.num_stages == 3 and schedule_local_loads_before_dot(ops):
                return True
        if not ops.keep_only_operands_of_dot():
            return False
        rows, columns = types.shape(dot.d.type)[:2]
        tile = rows * columns * types.shape(dot.a.type)[1] * types.bit_width(dot.a.type)
        if num_warps == 4:
            if _MIN_TILE <= tile <= _SMALL_TILE:
                schedule_single_dot(ops)
            return False
        if num_warps != 8 or self.num_stages != 2 or len(ops.local_stores) != 2:
            return False
        if tile == _MEDIUM_TILE:
            return schedule_two_slices(ops)
        # Four slices of a dot by 16×16 instructions with 8 elements per lane spill registers.
        spills = a.k_width == 8 and a.parent.instr_shape[:2] == (16, 16)
        return tile >= _LARGE_TILE and not spills and schedule_four_slices(ops)
