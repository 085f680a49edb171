"""`triton.backends.amd.driver`: the devices, and the folders that C code needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from weft.compat.backends.compiler import GPUTarget
from weft.compat.backends.driver import GPUDriver
from weft.compat.runtime.build import compile_module_from_src
from weft.compat.unsupported import unsupported_names
from weft.launch.drivers.active import uses_hip

__all__ = [
    "GPUTarget",
    "HIPDriver",
    "compile_module_from_src",
    "dirname",
    "include_dirs",
    "ty_to_cpp",
]

__getattr__ = unsupported_names(
    "triton.backends.amd.driver",
    "triton.runtime.driver.active describes the device; compiled[grid](…) launches",
)


dirname = str(Path(__file__).parent)
_ROOTS = (os.environ.get("ROCM_PATH"), os.environ.get("HIP_PATH"), "/opt/rocm")
include_dirs = [
    os.path.join(root, "include")
    for root in _ROOTS
    if root and os.path.exists(os.path.join(root, "include/hip/hip_runtime.h"))
]


def ty_to_cpp(ty: str) -> str:
    """Get the C++ type of an argument of a launcher; see `DriverBase.map_python_to_cpp_type`."""
    return HIPDriver().map_python_to_cpp_type(ty)


class HIPDriver(GPUDriver):
    """AMD GPUs."""

    _pointer_type: ClassVar[str] = "hipDeviceptr_t"

    @classmethod
    @override
    def is_active(cls) -> bool:
        """Check whether launches go to AMD's GPUs."""
        return uses_hip() and cls.torch_has_gpu()
