"""`triton.runtime.driver`: query the device that launches go to.

device = driver.active.get_active_torch_device()          # cuda:0; cpu if torch has no GPU
driver.active.utils.get_device_properties(device.index)["multiprocessor_count"]
driver.active.get_current_target().backend                # "cuda" or "cpu"
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from weft.compat.backends.compiler import GPUTarget
from weft.errors import LaunchError
from weft.launch.devices import current_gpu, current_target
from weft.launch.drivers.cuda.driver import CudaDriver

__all__ = ["active"]

# Property of Triton → CU_DEVICE_ATTRIBUTE.
_ATTRIBUTES = {
    "max_shared_mem": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "max_num_regs": "MAX_REGISTERS_PER_BLOCK",
    "multiprocessor_count": "MULTIPROCESSOR_COUNT",
    "warpSize": "WARP_SIZE",
    "sm_clock_rate": "CLOCK_RATE",
    "mem_clock_rate": "MEMORY_CLOCK_RATE",
    "mem_bus_width": "GLOBAL_MEMORY_BUS_WIDTH",
}
# The CPU device has no limit on these; programs compute with them, so they are large numbers.
_UNLIMITED = 1 << 20


class _Utils:
    """`driver.active.utils`."""

    def get_device_properties(self, device: int | None = None) -> dict[str, int]:
        """Query the properties of a GPU by its number; of the CPU device if there is no GPU."""
        if current_gpu(initialized_only=False) is None:
            unlimited = dict.fromkeys(_ATTRIBUTES, _UNLIMITED)
            return unlimited | {"warpSize": 1, "multiprocessor_count": os.cpu_count() or 1}
        driver, gpu = CudaDriver.get(), int(device or 0)
        return {name: driver.attribute(gpu, attribute) for name, attribute in _ATTRIBUTES.items()}


class _ActiveDriver:
    """`driver.active`."""

    utils = _Utils()

    def get_current_device(self) -> int:
        """Get the number of torch's current GPU; 0 if there is none."""
        return current_gpu(initialized_only=False) or 0

    def get_active_torch_device(self) -> Any:  # torch.device
        """Get the torch.device that launches go to."""
        torch, gpu = _torch(), current_gpu(initialized_only=False)
        return torch.device("cpu") if gpu is None else torch.device("cuda", gpu)

    def get_device_interface(self) -> ModuleType:
        """Get the torch module of the device: torch.cuda or torch.cpu."""
        torch = _torch()
        return torch.cpu if current_gpu(initialized_only=False) is None else torch.cuda

    def get_current_target(self) -> GPUTarget:
        """Get the target that launches compile for."""
        chip = current_target()
        return GPUTarget(chip.backend, chip.arch, chip.threads_per_warp)


def _torch() -> ModuleType:
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError("a torch device needs torch", found="torch is not imported")
    return torch


active = _ActiveDriver()
