"""Share the rows or columns of dots among consumers (nvgpu-test-ws-data-partition).

Before:  %d = ttng.warp_group_dot …            After:  %d = ttng.warp_group_dot …   64 rows, task 1
         128 rows, tasks 1 and 2                       %e = ttng.warp_group_dot …   64 rows, task 2

A step of `nvgpu-warp-specialization`, as Triton's test pass runs it alone.

Preserves values. Source: Triton, third_party/nvidia/hopper, WSDataPartition.cpp.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from weft.errors import PassError
from weft.ir import locations, tt
from weft.ir.builtin import ModuleOp
from weft.passes.nvidia.warp_specialization.data_partition import share_among_consumers

__all__ = ["WsDataPartition"]

_MIN_GROUPS = 3  # a producer and two consumers


class WsDataPartition(Struct, frozen=True):
    """Share the rows or columns of dots among consumers.

    Attributes:
        num_warp_groups: The number of groups of warps; below 3 nothing changes.
    """

    num_warp_groups: int = 0

    name: ClassVar[str] = "nvgpu-test-ws-data-partition"

    def run(self, module: ModuleOp) -> None:
        """Divide the operations in place.

        Raises:
            PassError: The consumers cannot share the work of a function.
        """
        if self.num_warp_groups < _MIN_GROUPS:
            return
        for function in module.ops:
            if not isinstance(function, tt.FuncOp):
                continue
            if not share_among_consumers(function, self.num_warp_groups - 1):
                raise PassError(
                    f"{self.name}: the consumers cannot share the work of @{function.symbol}",
                    location=locations.position(function.location),
                )
