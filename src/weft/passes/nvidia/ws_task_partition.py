"""Choose the tasks of loads and dots on Hopper (nvgpu-test-ws-task-partition).

Before:  %a = tt.descriptor_load …             After:  … {async_task_id = array<i32: 0>}
         %d = ttng.warp_group_dot …                    … {async_task_id = array<i32: 1, 2>}

The first step of `nvgpu-warp-specialization`, as Triton's test pass runs it alone.

Preserves values. Source: Triton, third_party/nvidia/hopper, WSTaskPartition.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.passes.nvidia.warp_specialization.task_partition import choose_tasks

__all__ = ["WsTaskPartition"]


class WsTaskPartition(Struct, frozen=True):
    """Choose the tasks of loads and dots.

    Attributes:
        num_warp_groups: The number of groups of warps; below 2 nothing changes.
    """

    num_warp_groups: int = 0

    name: ClassVar[str] = "nvgpu-test-ws-task-partition"

    def run(self, module: ModuleOp) -> None:
        """Annotate the operations in place."""
        if self.num_warp_groups < 2:
            return
        for function in module.ops:
            if isinstance(function, tt.FuncOp):
                choose_tasks(function, self.num_warp_groups)
