"""The driver that launches use: NVIDIA's or AMD's.

torch decides if the program has imported a build for GPUs, since its tensors belong to one of the
two. Else it is AMD's if only AMD's library is installed.
"""

from __future__ import annotations

import sys

from weft.launch.drivers.cuda.driver import CudaDriver
from weft.launch.drivers.gpu_driver import GpuDriver
from weft.launch.drivers.hip.driver import HipDriver

__all__ = ["active_driver", "uses_hip"]


def active_driver() -> GpuDriver:
    """Get the driver of this machine's GPUs.

    Raises:
        LaunchError: There is none, or it cannot be initialized.
    """
    return HipDriver.get() if uses_hip() else CudaDriver.get()


def uses_hip() -> bool:
    """Check whether the GPUs of launches are AMD's."""
    version = getattr(sys.modules.get("torch"), "version", None)
    for attribute, is_hip in (("hip", True), ("cuda", False)):
        if getattr(version, attribute, None):
            return is_hip
    return HipDriver.is_installed() and not CudaDriver.is_installed()
