"""Divide loops among groups of warps (tritongpu-automatic-warp-specialization).

Before:  scf.for … {                              After:  ttg.warp_specialize(…)
           %a = tt.descriptor_load …                      default {
           ttng.tc_gen5_mma %a, …                           … what reads the accumulator
           … what reads the accumulator                   }
         } {tt.warp_specialize}                           partition0(…) num_warps(4) {
                                                            scf.for … { ttng.tc_gen5_mma … }
                                                          }
                                                          partition1(…) num_warps(4) {
                                                            scf.for … { ttng.async_tma_copy … }
                                                          }

The loops of `tl.range(warp_specialize=True)` are split: one partition loads by TMA, one issues the
MMAs, the others compute. They communicate through buffers and mbarriers, so that loads, MMAs and
the rest of several iterations overlap.

In other modules constants are propagated, common subexpressions eliminated, and conversions of
layouts simplified, as these passes do.

Needs scheduled loops. Source: Triton, AutomaticWarpSpecialization.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import scf, tt
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk_inner_first
from weft.passes.common.cse import Cse
from weft.passes.common.sccp import Sccp
from weft.passes.loops.partition_loops import PartitionLoops
from weft.passes.loops.partition_scheduling import PartitionScheduling
from weft.passes.loops.schedule_loops import ScheduleLoops
from weft.passes.nvws.hoist_tmem_store import HoistTmemStore
from weft.passes.nvws.insert_aref import InsertAref
from weft.passes.nvws.insert_tmem_aref import InsertTmemAref
from weft.passes.nvws.lower_aref import LowerAref
from weft.passes.nvws.lower_warp_group import LowerWarpGroup
from weft.passes.pipelining.buffers.tma_descriptors import lower_tma_descriptors
from weft.passes.pipelining.loop_queries import enclosing_loop, loops_inner_first
from weft.passes.pipelining.partitions.attributes import warp_specialized_loops
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule

__all__ = ["AutomaticWarpSpecialization"]


class AutomaticWarpSpecialization(Struct, frozen=True):
    """Splits the loops that ask for warp specialization.

    Attributes:
        num_stages: The number of buffers that TMA fills in turn.
    """

    num_stages: int = 3

    name: ClassVar[str] = "tritongpu-automatic-warp-specialization"

    def run(self, module: ModuleOp) -> None:
        """Split loops, and simplify the module."""
        PartitionScheduling().run(module)
        HoistTmemStore().run(module)
        InsertAref().run(module)
        InsertTmemAref().run(module)
        Sccp().run(module)
        Cse().run(module)
        LowerAref(num_stages=self.num_stages).run(module)
        PartitionLoops().run(module)
        LowerWarpGroup().run(module)
        ScheduleLoops().run(module)
        _multi_buffer_descriptors(module, self.num_stages)


def _multi_buffer_descriptors(module: ModuleOp, num_stages: int) -> None:
    """Write the descriptors that partitions make to one of several buffers.

    The pipeliner does so only for the loops that it expands, and not for loops around them.

    Args:
        module: The module.
        num_stages: The number of copies in flight. One buffer more lets the next descriptor be
            written while the oldest copy runs.
    """
    loops: dict[scf.ForOp, None] = {}
    for outer in warp_specialized_loops(loops_inner_first(module)):
        for op in walk_inner_first(outer):
            if isinstance(op, tt.MakeTensorDescOp):
                inner = enclosing_loop(op)
                assert inner is not None
                loops[inner] = None
    for loop in loops:
        # The number of buffers is one less than that of the stages.
        lower_tma_descriptors(loop, LoopSchedule(num_stages + 2))
