"""`triton.backends`: what compiles for a kind of device, and what launches there.

backends["nvidia"].compiler(GPUTarget("cuda", 90, 32)).parse_options({"num_warps": 8})
backends["nvidia"].driver.is_active()
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.compat.backends.amd.compiler import HIPBackend
from weft.compat.backends.amd.driver import HIPDriver
from weft.compat.backends.compiler import BaseBackend, GPUTarget
from weft.compat.backends.cpu import CPUBackend, CPUDriver
from weft.compat.backends.driver import DriverBase
from weft.compat.backends.nvidia.compiler import CUDABackend
from weft.compat.backends.nvidia.driver import CudaDriver
from weft.compat.unsupported import unsupported_names

__all__ = ["Backend", "BaseBackend", "DriverBase", "GPUTarget", "backends"]

__getattr__ = unsupported_names(
    "triton.backends", "docs/guides/add_a_target.md: a chip is a folder of facts"
)


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of device.

    Attributes:
        compiler: Its compile options and specialization rules.
        driver: Its devices.
    """

    compiler: type[BaseBackend]
    driver: type[DriverBase]


backends: dict[str, Backend] = {
    "nvidia": Backend(CUDABackend, CudaDriver),
    "amd": Backend(HIPBackend, HIPDriver),
    "cpu": Backend(CPUBackend, CPUDriver),
}
"""The kinds of devices by the name of Triton's back end; "cpu" is the embedded CPU device."""
