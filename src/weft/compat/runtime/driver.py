"""The device that launches go to, asked as Triton's scripts ask for it.

device = driver.active.get_active_torch_device()          cuda:0, or cpu where torch has no GPU
driver.active.utils.get_device_properties(device.index)["multiprocessor_count"]
driver.active.get_current_target().backend                "cuda", or "cpu"
"""

from __future__ import annotations

import os
import sys
from typing import Any

from weft.compat.backends.compiler import GPUTarget
from weft.errors import LaunchError
from weft.launch.devices import current_gpu, current_target
from weft.launch.drivers.cuda.driver import CudaDriver

__all__ = ["active"]

# What Triton calls a property, and what CUDA calls the attribute.
_ATTRIBUTES = {
    "max_shared_mem": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "max_num_regs": "MAX_REGISTERS_PER_BLOCK",
    "multiprocessor_count": "MULTIPROCESSOR_COUNT",
    "warpSize": "WARP_SIZE",
    "sm_clock_rate": "CLOCK_RATE",
    "mem_clock_rate": "MEMORY_CLOCK_RATE",
    "mem_bus_width": "GLOBAL_MEMORY_BUS_WIDTH",
}
_NO_BOUND = 1 << 20  # of what the CPU device does not have; large enough that no script meets it


class _Properties:
    """What a device has."""

    def get_device_properties(self, device: int | None = None) -> dict[str, int]:
        """Return the properties of a GPU by number; those of this machine where there is none."""
        if current_gpu(used=False) is None:
            return {**dict.fromkeys(_ATTRIBUTES, _NO_BOUND), "warpSize": 1} | {
                "multiprocessor_count": os.cpu_count() or 1
            }
        driver, number = CudaDriver.get(), int(device or 0)
        return {name: driver.attribute(number, asked) for name, asked in _ATTRIBUTES.items()}


class _Active:
    """The device in use."""

    utils = _Properties()

    def get_current_device(self) -> int:
        """Return the number of torch's current GPU; 0 where there is none."""
        return current_gpu(used=False) or 0

    def get_active_torch_device(self) -> Any:
        """Return torch's name of the device that launches go to."""
        torch, gpu = _torch(), current_gpu(used=False)
        return torch.device("cpu") if gpu is None else torch.device("cuda", gpu)

    def get_device_interface(self) -> Any:
        """Return torch's module for the device: torch.cuda, or torch.cpu."""
        torch = _torch()
        return torch.cpu if current_gpu(used=False) is None else torch.cuda

    def get_current_target(self) -> GPUTarget:
        """Return what kernels are compiled for by a launch."""
        chip = current_target()
        return GPUTarget(chip.backend, chip.arch, chip.threads_per_warp)


def _torch() -> Any:
    """Return torch.

    Raises: LaunchError: it is not imported.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError(
            "the device has torch's name, and torch is not imported", found="no torch"
        )
    return torch


active = _Active()
