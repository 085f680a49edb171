"""Propagate tasks to what annotated operations are computed from (nvgpu-test-taskid-propagate).

Before:  %o = arith.addi %i, %c                After:  … {async_task_id = array<i32: 0, 1>}
         tt.store … {async_task_id = array<i32: 1>}

A step of `nvgpu-warp-specialization`, as Triton's test pass runs it alone.

Preserves values. Source: Triton, third_party/nvidia/hopper, WSTaskIdPropagate.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import arith, tt
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk
from weft.passes.nvidia.warp_specialization.task_ids import remove_tasks, set_tasks, tasks_of
from weft.passes.nvidia.warp_specialization.task_propagation import propagate_tasks

__all__ = ["TaskidPropagate"]


class TaskidPropagate(Struct, frozen=True):
    """Propagate tasks to what annotated operations are computed from.

    Attributes:
        num_warp_groups: The number of groups of warps; 0 removes the tasks.
    """

    num_warp_groups: int = 0

    name: ClassVar[str] = "nvgpu-test-taskid-propagate"

    def run(self, module: ModuleOp) -> None:
        """Annotate the operations in place."""
        for function in module.ops:
            if isinstance(function, tt.FuncOp):
                self._propagate(function)

    def _propagate(self, function: tt.FuncOp) -> None:
        annotated = [op for op in walk(function) if tasks_of(op)]
        for op in annotated:
            set_tasks(op, tasks_of(op))
            if self.num_warp_groups == 0:
                remove_tasks(op)
        has_anchor = any(not isinstance(op, arith.ConstantOp) for op in annotated)
        if self.num_warp_groups and has_anchor:
            propagate_tasks(function)
