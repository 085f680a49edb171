"""`triton.backends.nvidia.driver`: the devices, and the folders that C code needs.

gcc launcher.c -I include_dirs[0] -L library_dirs()[0] -lcuda      # of triton.tools.compile
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from weft.compat.backends.compiler import GPUTarget
from weft.compat.backends.driver import GPUDriver
from weft.compat.runtime.build import compile_module_from_src
from weft.compat.unsupported import unsupported_names
from weft.errors import LaunchError
from weft.launch.drivers.active import uses_hip
from weft.launch.drivers.cuda.driver import CudaDriver as _Driver

__all__ = [
    "CudaDriver",
    "GPUTarget",
    "compile_module_from_src",
    "dirname",
    "include_dirs",
    "libcuda_dirs",
    "libdevice_dir",
    "libraries",
    "library_dirs",
    "ty_to_cpp",
]

__getattr__ = unsupported_names(
    "triton.backends.nvidia.driver",
    "triton.runtime.driver.active describes the device; compiled[grid](…) launches",
)


_LIBRARY = "libcuda.so.1"
_PACKAGES = ("cu13", "cuda_runtime", "cuda_nvcc")


def _folders(names: Iterable[str], file: str) -> list[str]:
    """List the folders of the toolkit, and of NVIDIA's Python packages, that have a file."""
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    packages = find_spec("nvidia")
    for folder in (packages.submodule_search_locations or ()) if packages else ():
        roots += [os.path.join(folder, each) for each in _PACKAGES]
    folders = [os.path.join(root, name) for root in roots if root for name in names]
    return [each for each in folders if os.path.exists(os.path.join(each, file))]


dirname = str(Path(__file__).parent)
libdevice_dir = next(iter(_folders(["nvvm/libdevice"], "libdevice.10.bc")), dirname)
libraries = [_LIBRARY]
include_dirs = _folders(["include"], "cuda.h")


@cache
def libcuda_dirs() -> list[str]:
    """List the folders of the CUDA driver's library.

    Raises:
        LaunchError: There is none on this machine.
    """
    command = ["/sbin/ldconfig", "-p"]
    has_listing = os.path.exists(command[0])
    listing = subprocess.check_output(command, text=True) if has_listing else ""
    folders = [
        os.path.dirname(line.split()[-1]) for line in listing.splitlines() if _LIBRARY in line
    ]
    folders += os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    existing = [each for each in folders if each and os.path.exists(os.path.join(each, _LIBRARY))]
    if not existing:
        raise LaunchError(
            "libcuda.so cannot found!",
            found=f"no {_LIBRARY}",
            hint='set up the GPU\'s driver and run "/sbin/ldconfig"',
        )
    return existing


def library_dirs() -> list[str]:
    """List the folders of libdevice and of the CUDA driver's library."""
    return [libdevice_dir, *libcuda_dirs()]


def ty_to_cpp(ty: str) -> str:
    """Get the C++ type of an argument of a launcher; see `DriverBase.map_python_to_cpp_type`."""
    return CudaDriver().map_python_to_cpp_type(ty)


class CudaDriver(GPUDriver):
    """NVIDIA GPUs."""

    _pointer_type: ClassVar[str] = "CUdeviceptr"

    @classmethod
    @override
    def is_active(cls) -> bool:
        """Check whether launches go to NVIDIA's GPUs."""
        return _Driver.is_installed() and not uses_hip() and cls.torch_has_gpu()
