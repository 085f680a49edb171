"""Pipeline loops by their schedule (tritongpu-pipeline).

Before:  scf.for %i = 0 to %n {                     After:  %m = ttg.local_alloc … 2x…
           %a = tt.load … {loop.stage = 0}                  copy 0, if 0 < %n          prologue
           … = tt.dot %a, … {loop.stage = 2}                copy 1, if 1 < %n
         } {tt.scheduled_max_stage = 2}                     scf.for %i = 0 to %n {
                                                              wait, load %a of copy %i
                                                              tt.dot %a, …
                                                              copy %i + 2, if %i + 2 < %n
                                                            }

1. Loads that are used in a later stage become asynchronous copies into multi-buffers.
2. Loops are expanded to prologue and kernel. Operations that run before the first use of their
   iteration is certain to exist get a predicate.
3. MMAs of Hopper run asynchronously where the loop allows it.
4. Each wait gets the number of groups that may still be pending.
5. Stores through tensor descriptors overlap with the next iteration.

Needs the attributes that tritongpu-schedule-loops writes, and removes them. Keeps the results and
the order of stores. Source: Triton, SoftwarePipeliner.cpp.
"""

from __future__ import annotations

import sys
from typing import ClassVar

from msgspec import Struct

from weft.analysis.axis_info import ModuleAxisInfo, axis_info, write_argument_hints
from weft.ir import scf
from weft.ir.builtin import ModuleOp
from weft.ir.text import print_module
from weft.passes.loops.pipeline.expand import expand
from weft.passes.loops.pipeline.lower_loads import lower_loads
from weft.passes.loops.pipeline.lower_mma import lower_mmas
from weft.passes.loops.pipeline.tma_stores import pipeline_tma_stores
from weft.passes.loops.pipeline.wgmma import launch_mmas_asynchronously
from weft.passes.pipelining.buffers.async_waits import update_waits
from weft.passes.pipelining.buffers.tma_descriptors import lower_tma_descriptors
from weft.passes.pipelining.expansion.predication import fold_operations, resolve_masks
from weft.passes.pipelining.loop_queries import loops_inner_first, num_stages_of
from weft.passes.pipelining.schedule.loop_schedule import LoopSchedule, remove_schedules

__all__ = ["Pipeline", "lower_loops"]


class Pipeline(Struct, frozen=True):
    """Expands loops with a schedule.

    Attributes:
        num_stages: The number of stages of loops that do not ask for another one.
        dump_intermediate_steps: Print the IR to the standard error stream after the loads are
            lowered and after the loops are expanded.
    """

    num_stages: int = 3
    dump_intermediate_steps: bool = False

    name: ClassVar[str] = "tritongpu-pipeline"

    def run(self, module: ModuleOp) -> None:
        """Pipeline the loops of a module in place.

        Raises:
            PassError: A schedule is incomplete, or an operation cannot be predicated.
        """
        lower_loops(module)
        self._dump(module, "LowerLoops")
        for loop in loops_inner_first(module):
            expand(loop)
        resolve_masks(module)
        self._dump(module, "ExpandLoops")
        remove_schedules(module)
        for loop in loops_inner_first(module):
            if num_stages_of(loop, self.num_stages) >= 1:
                launch_mmas_asynchronously(loop)
        update_waits(module)
        fold_operations(module)
        for loop in loops_inner_first(module):
            if num_stages_of(loop, self.num_stages) > 1:
                pipeline_tma_stores(loop)

    def _dump(self, module: ModuleOp, step: str) -> None:
        if self.dump_intermediate_steps:
            title = f"// -----// SoftwarePipeliner internal IR Dump After: {step}"
            sys.stderr.write(f"{title}\n{print_module(module)}\n\n")


def lower_loops(module: ModuleOp) -> None:
    """Replace the pipelined loads of loops by asynchronous copies."""
    infos = axis_info(module)
    write_argument_hints(infos)
    for loop in loops_inner_first(module):
        schedule = LoopSchedule.read(loop)
        if schedule is not None:
            _lower(loop, schedule, infos)


def _lower(loop: scf.ForOp, schedule: LoopSchedule, infos: ModuleAxisInfo) -> None:
    loop = lower_mmas(loop, schedule)
    loop = lower_loads(loop, schedule, infos)
    loop = lower_tma_descriptors(loop, schedule)
    schedule.write(loop)
