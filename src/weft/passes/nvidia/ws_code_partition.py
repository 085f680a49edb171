"""Give each task a region, and buffers for what passes between them (nvgpu-test-ws-code-partition).

Before:  %a = tt.descriptor_load … {async_task_id = array<i32: 0>}
         %d = ttng.warp_group_dot %a … {async_task_id = array<i32: 1>}
After:   ttg.warp_specialize(%buffer, …)
         default     { nvws.producer_acquire …, ttng.async_tma_copy …, nvws.producer_commit … }
         partition0  { nvws.consumer_wait …, ttng.warp_group_dot …, nvws.consumer_release … }

A step of `nvgpu-warp-specialization`, as Triton's test pass runs it alone; tokens stay. Values of
other operations than TMA loads are passed as well, which the next step could not lower.

Preserves values. Source: Triton, third_party/nvidia/hopper, WSCodePartition.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.passes.nvidia.warp_specialization.code_partition import insert_communication
from weft.passes.nvidia.warp_specialization.specialize import specialize_regions

__all__ = ["WsCodePartition"]


class WsCodePartition(Struct, frozen=True):
    """Give each task a region, and buffers for what passes between them.

    Attributes:
        num_buffers: The number of buffers in loops without `tt.num_stages`; 0 changes nothing.
        num_warp_groups: Accepted as in Triton, which ignores it.
        requested_registers: Accepted as in Triton, which ignores it.
    """

    num_buffers: int = 0
    num_warp_groups: int = 0
    requested_registers: int = 232

    name: ClassVar[str] = "nvgpu-test-ws-code-partition"

    def run(self, module: ModuleOp) -> None:
        """Split the functions in place."""
        if self.num_buffers == 0:
            return
        for function in module.ops:
            if isinstance(function, tt.FuncOp) and insert_communication(
                function, self.num_buffers, tma_only=False
            ):
                specialize_regions(function)
