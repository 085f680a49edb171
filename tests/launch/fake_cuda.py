"""Fakes of the CUDA driver and of torch, which record their calls.

gpu = FakeCuda(monkeypatch, devices=2)
kernel[(4,)](gpu.tensor("f32"), 100, BLOCK=128)
gpu.launches[-1].grid, gpu.launches[-1].read("Pi")
"""

from __future__ import annotations

import ctypes
import importlib
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from weft.codegen.backend import ptxas
from weft.launch.drivers.cuda import launcher
from weft.launch.drivers.cuda.driver import CudaDriver


class Code(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_INVALID_DEVICE = 101
    CUDA_ERROR_INVALID_CONTEXT = 201
    CUDA_ERROR_INVALID_PTX = 218
    CUDA_ERROR_ILLEGAL_ADDRESS = 700
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701


class Names:
    """An enumeration of the driver: each name is its own value."""

    def __getattr__(self, name: str) -> str:
        return name


@dataclass(frozen=True)
class Launch:
    """The arguments of one launch."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    stream: int
    attributes: list[tuple[int, bytes]]
    function: int
    context: int
    parameters: list[bytes]

    def read(self, formats: Sequence[str]) -> tuple[Any, ...]:
        """Return the arguments, by the format of each."""
        values: list[Any] = []
        for format_, data in zip(formats, self.parameters, strict=False):
            values += struct.unpack_from(format_, data)
        return tuple(values)


CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)


def _bytes_at(address: int | None, first: int | None) -> bytes:
    """Read the bytes at the address of an argument, and some more.

    The number of arguments is not known; an address far from the first is not one of them.
    """
    if not address or not first or abs(address - first) > 4096:
        return b""
    return ctypes.string_at(address, 128)


class Tensor:
    """A tensor of the fake torch."""

    def __init__(
        self, dtype: str = "torch.float32", device: int = 0, address: int = 1 << 20
    ) -> None:
        self.dtype, self.index, self.address = dtype, device, address
        self.device = SimpleNamespace(type="cuda" if device >= 0 else "cpu", index=max(device, 0))

    def __repr__(self) -> str:  # so that test ids are the same in every process
        return f"Tensor({self.dtype}, {self.index}, {self.address:#x})"

    def data_ptr(self) -> int:
        return self.address

    def get_device(self) -> int:
        return self.index


class Parameter(Tensor):
    """A torch.nn.Parameter."""


class FakeCuda:
    """The functions of `cuda.bindings.driver`, and a fake torch in sys.modules."""

    CUresult = Code
    CUdevice_attribute = CUfunction_attribute = CUpointer_attribute = Names()
    CUstream = staticmethod(int)

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, devices: int = 1, capability: int = 90
    ) -> None:
        self.devices, self.capability = devices, capability
        self.name, self.memory_clock = "NVIDIA H200", 1_000_000
        self.shared, self.registers, self.max_threads = 232448, 32, 1024
        self.context, self.torch_device, self.streams = 0, 0, {n: 0 for n in range(devices)}
        self.launches: list[Launch] = []
        self.loaded: list[bytes] = []
        self.requests: list[tuple[Any, ...]] = []
        self.refuse: list[Code] = []
        self.arguments = 16  # how many addresses of arguments are read
        self.assembler: Any = None
        self.clock = 0.0
        self.time_of: Callable[[], float] = lambda: 1.0
        self._kept: dict[int, Any] = {}
        self._callback = CALLBACK(self._launched)
        monkeypatch.setattr(launcher, "driver_launch_function", lambda: self._callback)
        import_module = importlib.import_module
        monkeypatch.setattr(
            importlib,
            "import_module",
            lambda name, *rest: (
                self if name == "cuda.bindings.driver" else import_module(name, *rest)
            ),
        )
        monkeypatch.setattr(ptxas, "ptxas_for", lambda chip: self.assembler)
        CudaDriver.get.cache_clear()
        monkeypatch.setitem(sys.modules, "torch", self._torch())

    def _torch(self) -> Any:
        return SimpleNamespace(
            Tensor=Tensor,
            nn=SimpleNamespace(Parameter=Parameter),
            version=SimpleNamespace(hip=None),
            cuda=SimpleNamespace(
                is_initialized=lambda: True,
                is_available=lambda: True,
                current_device=lambda: self.torch_device,
            ),
            _C=SimpleNamespace(
                _cuda_getDevice=lambda: self.torch_device,
                _cuda_getCurrentRawStream=lambda device: self.streams[device],
            ),
        )

    def _launched(self, config: int, function: int, parameters: int, extra: int) -> int:
        words = struct.unpack("7I4xPPI", ctypes.string_at(config, 52))
        places = [words[8] + 72 * n for n in range(words[9])]
        attributes = [
            (ctypes.c_uint.from_address(at).value, ctypes.string_at(at + 8, 12)) for at in places
        ]
        if self.refuse:
            return self.refuse.pop(0)
        if not self.context:
            return Code.CUDA_ERROR_INVALID_CONTEXT
        where = (ctypes.c_void_p * self.arguments).from_address(parameters)
        self.launches.append(
            Launch(
                words[:3], words[3:6], words[6], words[7], attributes, function, self.context,
                [_bytes_at(each, where[0]) for each in where],
            )
        )  # fmt: skip
        self.clock += self.time_of()
        return 0

    def cuInit(self, flags: int) -> tuple[Code]:
        return (Code.CUDA_SUCCESS,)

    def cuGetErrorString(self, code: Code) -> tuple[Code, bytes]:
        return Code.CUDA_SUCCESS, code.name.lower().encode()

    def cuDeviceGet(self, device: int) -> tuple[Code, int]:
        known = device < self.devices
        return (Code.CUDA_SUCCESS if known else Code.CUDA_ERROR_INVALID_DEVICE), device

    def cuDeviceGetAttribute(self, name: str, device: int) -> tuple[Code, int]:
        values = {
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": self.capability // 10,
            "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": self.capability % 10,
            "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": self.shared,
            "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE": 1 << 20,
            "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT": 132,
            "CU_DEVICE_ATTRIBUTE_WARP_SIZE": 32,
            "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK": 65536,
            "CU_DEVICE_ATTRIBUTE_CLOCK_RATE": 1_980_000,
            "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE": self.memory_clock,
            "CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH": 4096,
        }
        return Code.CUDA_SUCCESS, values[name]

    def cuDeviceGetName(self, length: int, device: int) -> tuple[Code, bytes]:
        return Code.CUDA_SUCCESS, self.name.encode().ljust(length, b"\0")

    def cuPointerGetAttribute(self, name: str, address: int) -> tuple[Code, int]:
        return Code.CUDA_SUCCESS, address >> 40

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[Code, int]:
        return Code.CUDA_SUCCESS, 100 + device

    def cuCtxGetCurrent(self) -> tuple[Code, int]:
        return Code.CUDA_SUCCESS, self.context

    def cuCtxSetCurrent(self, context: int) -> tuple[Code]:
        self.context = context
        return (Code.CUDA_SUCCESS,)

    def cuModuleLoadData(self, image: bytes) -> tuple[Code, int]:
        if self.refuse:
            return self.refuse.pop(0), 0
        self.loaded.append(image)
        return Code.CUDA_SUCCESS, 1000 + len(self.loaded)

    def cuModuleGetFunction(self, module: int, name: bytes) -> tuple[Code, int]:
        return Code.CUDA_SUCCESS, 1000 + module

    def cuFuncSetAttribute(self, function: int, name: str, value: int) -> tuple[Code]:
        self.requests.append((name, value))
        return (Code.CUDA_SUCCESS,)

    def cuFuncGetAttribute(self, name: str, function: int) -> tuple[Code, int]:
        values = {
            "CU_FUNC_ATTRIBUTE_NUM_REGS": self.registers,
            "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES": 0,
            "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK": self.max_threads,
        }
        return Code.CUDA_SUCCESS, values[name]

    def cuEventCreate(self, flags: int) -> tuple[Code, list[float]]:
        return Code.CUDA_SUCCESS, [0.0]

    def cuEventRecord(self, event: list[float], stream: int) -> tuple[Code]:
        self.requests.append(("record", stream))
        event[0] = self.clock
        return (Code.CUDA_SUCCESS,)

    def cuStreamWaitEvent(self, stream: int, event: object, flags: int) -> tuple[Code]:
        self.requests.append(("wait", stream))
        return (Code.CUDA_SUCCESS,)

    def cuEventSynchronize(self, event: object) -> tuple[Code]:
        return (Code.CUDA_SUCCESS,)

    def cuStreamSynchronize(self, stream: int) -> tuple[Code]:
        return (Code.CUDA_SUCCESS,)

    def cuEventElapsedTime(self, start: list[float], end: list[float]) -> tuple[Code, float]:
        return Code.CUDA_SUCCESS, end[0] - start[0]

    def cuEventDestroy(self, event: object) -> tuple[Code]:
        return (Code.CUDA_SUCCESS,)

    def cuMemAlloc(self, size: int) -> tuple[Code, int]:
        memory = ctypes.create_string_buffer(size)
        self._kept[ctypes.addressof(memory)] = memory
        return Code.CUDA_SUCCESS, ctypes.addressof(memory)

    def cuMemAllocAsync(self, size: int, stream: int) -> tuple[Code, int]:
        self.requests.append(("allocate", size, stream))
        return Code.CUDA_SUCCESS, 1 << 30

    def cuMemFreeAsync(self, address: int, stream: int) -> tuple[Code]:
        self.requests.append(("free", address, stream))
        return (Code.CUDA_SUCCESS,)

    def cuMemFree(self, address: int) -> tuple[Code]:
        del self._kept[address]
        return (Code.CUDA_SUCCESS,)

    def cuMemsetD32Async(self, address: int, value: int, count: int, stream: int) -> tuple[Code]:
        ctypes.memset(address, value, 4 * count)
        return (Code.CUDA_SUCCESS,)


class CudaArray:
    """An array that has only `__cuda_array_interface__`."""

    def __init__(self, array: np.ndarray, device: int = 0, stream: int | None = None) -> None:
        self.array, self.stream = array, stream
        self.device = SimpleNamespace(id=device)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface = self.array.__array_interface__
        return {
            "shape": interface["shape"],
            "typestr": interface["typestr"],
            "data": interface["data"],
            "strides": interface["strides"],
            "version": 3,
            "stream": self.stream,
        }


class TensorMapEncoder:
    """cuTensorMapEncodeTiled, which records its calls and fills the map with their number."""

    def __init__(self, code: int = 0) -> None:
        self.code, self.requests = code, []

    def __call__(self, output: Any, data_type: int, rank: int, base: Any, *rest: Any) -> int:
        assert output.value % 64 == 0
        lists = [list(each)[:rank] for each in rest[:4]]
        self.requests.append((data_type, rank, base.value, *lists, *rest[4:]))
        ctypes.memset(output.value, len(self.requests), 128)
        return self.code
