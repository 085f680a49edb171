"""`triton.backends.driver`: query the devices that launches go to.

All classes answer for the device that torch's arrays are on: NVIDIA's, AMD's, or the CPU device.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

from weft.compat.backends.compiler import GPUTarget
from weft.compat.unsupported import unsupported_names
from weft.errors import LaunchError
from weft.launch.devices import current_gpu, current_target
from weft.launch.drivers.active import active_driver

__all__ = ["DriverBase", "GPUDriver"]

__getattr__ = unsupported_names(
    "triton.backends.driver",
    "triton.runtime.driver.active describes the device",
)

# Property of Triton → field of DeviceProperties.
_PROPERTIES = {
    "max_shared_mem": "shared_bytes",
    "max_num_regs": "registers",
    "multiprocessor_count": "multiprocessors",
    "warpSize": "warp_size",
    "sm_clock_rate": "clock_khz",
    "mem_clock_rate": "memory_clock_khz",
    "mem_bus_width": "memory_bus_bits",
}
# Name of a type in a signature → its C++ type.
_CPP_TYPES = {
    "i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
    "fp16": "double", "bf16": "double", "fp32": "double", "f32": "double", "fp64": "double",
}  # fmt: skip
# The CPU device has no limit on these; programs compute with them, so they are large numbers.
_UNLIMITED = 1 << 20
_CACHE_BYTES = 256 << 20  # more than the L2 cache of any GPU


class _Utils:
    """`driver.active.utils`."""

    def get_device_properties(self, device: int | None = None) -> dict[str, int]:
        """Query the properties of a GPU by its number; of the CPU device if there is no GPU."""
        if current_gpu(initialized_only=False) is None:
            unlimited = dict.fromkeys(_PROPERTIES, _UNLIMITED)
            return unlimited | {"warpSize": 1, "multiprocessor_count": os.cpu_count() or 1}
        properties = active_driver().properties(int(device or 0))
        return {name: getattr(properties, field) for name, field in _PROPERTIES.items()}


class DriverBase(ABC):
    """The devices of a kind.

    Attributes:
        utils: Queries their properties.
    """

    utils = _Utils()
    _pointer_type: ClassVar[str] = "void*"

    @classmethod
    @abstractmethod
    def is_active(cls) -> bool:
        """Check whether launches go to devices of this kind."""

    def get_current_device(self) -> int:
        """Get the number of torch's current GPU; 0 if there is none."""
        return current_gpu(initialized_only=False) or 0

    def set_current_device(self, device: int) -> None:
        """Select torch's current GPU."""
        if current_gpu(initialized_only=False) is not None:
            _torch().cuda.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """Get the handle of torch's current stream of a GPU; 0 if there is none."""
        if current_gpu(initialized_only=False) is None:
            return 0
        return int(_torch().cuda.current_stream(device).cuda_stream)

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """Get the compute capability of a GPU; (0, 0) if there is none."""
        if current_gpu(initialized_only=False) is None:
            return 0, 0
        return _torch().cuda.get_device_capability(device)

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

    def get_benchmarker(self) -> Callable[..., object]:
        """Get `triton.testing.do_bench`."""
        from weft.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:  # torch.Tensor
        """Allocate a tensor whose clearing replaces the contents of the L2 cache."""
        torch = _torch()
        device = self.get_active_torch_device()
        return torch.empty(_CACHE_BYTES // 4, dtype=torch.int, device=device)

    def clear_cache(self, cache: Any) -> None:  # torch.Tensor
        """Clear the tensor of `get_empty_cache_for_benchmark`."""
        cache.zero_()

    def map_python_to_cpp_type(self, ty: str) -> str:
        """Get the C++ type of an argument of a launcher, by the name in a signature.

        Raises:
            LaunchError: It is the name of no type.
        """
        if ty.startswith("*"):
            return self._pointer_type
        if ty.startswith("tensordesc"):
            return "CUtensorMap"
        if ty not in _CPP_TYPES:
            raise LaunchError("unknown type of an argument", found=ty, accepted=_CPP_TYPES)
        return _CPP_TYPES[ty]

    @staticmethod
    def torch_has_gpu() -> bool:
        """Check whether torch is imported and has a GPU.

        This initializes no GPU: torch.compile asks in worker processes, which must not.
        """
        cuda = getattr(sys.modules.get("torch"), "cuda", None)
        return cuda is not None and bool(cuda.is_available())


class GPUDriver(DriverBase):
    """GPUs of a kind."""

    def assemble_tensormap_to_arg(self, tensormaps_info: object, args: object) -> object:
        """Get the arguments of a launch: weft's launcher creates the tensor maps."""
        return args


def _torch() -> ModuleType:
    torch = sys.modules.get("torch")
    if torch is None:
        raise LaunchError("a torch device needs torch", found="torch is not imported")
    return torch
