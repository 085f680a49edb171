"""Make the loads and MMAs of scheduled loops asynchronous (tritongpu-test-pipeline-lower-loop).

Before:  %a = tt.load %p {loop.stage = 0}      After:  ttg.async_copy_global_to_local %p, %m[%i]
         … = tt.dot %a, … {loop.stage = 2}             ttg.async_wait …
                                                       %a = ttg.local_load %m[%j]
                                                       … = tt.dot %a, …

The first step of `tritongpu-pipeline`, as Triton's test pass runs it alone: the loops are not
expanded, and keep their schedule.

Preserves values. Source: Triton, LowerLoops.cpp and TestPipelineLowerLoop.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir.builtin import ModuleOp
from weft.passes.loops.pipeline import lower_loops

__all__ = ["PipelineLowerLoop"]


class PipelineLowerLoop(Struct, frozen=True):
    """Makes the loads and MMAs of scheduled loops asynchronous."""

    name: ClassVar[str] = "tritongpu-test-pipeline-lower-loop"

    def run(self, module: ModuleOp) -> None:
        """Lower the loops in place.

        Raises:
            PassError: A schedule is incomplete.
        """
        lower_loops(module)
