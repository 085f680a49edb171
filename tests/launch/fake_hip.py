"""Fakes of libamdhip64 and of torch for ROCm, which record their calls.

gpu = FakeHip(monkeypatch, devices=2)
kernel[(4,)](Tensor(), 100, BLOCK=128)
gpu.launches[-1].grid, gpu.launches[-1].arguments

Its functions are C functions with the prototypes of `library.PROTOTYPES`, so that ctypes converts
the driver's arguments as it does for the library.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from tests.launch.fake_cuda import Parameter, Tensor
from weft.launch.drivers.hip import library
from weft.launch.drivers.hip.driver import HipDriver

NAMES = {1: "hipErrorInvalidValue", 101: "hipErrorInvalidDevice", 209: "hipErrorNoBinaryForGpu",
         700: "hipErrorIllegalAddress", 701: "hipErrorLaunchOutOfResources"}  # fmt: skip


@dataclass(frozen=True)
class Launch:
    """The arguments of one launch."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    stream: int
    function: int
    device: int
    cooperative: bool
    arguments: tuple[Any, ...]


class FakeHip:
    """The functions of libamdhip64 in use, and a fake torch in sys.modules."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        devices: int = 1,
        architecture: str = "gfx942:sramecc+:xnack-",
    ) -> None:
        self.devices, self.architecture = devices, architecture
        self.device = self.torch_device = 0
        self.max_threads, self.shared = 1024, 65536
        self.streams = dict.fromkeys(range(devices), 0)
        self.formats = "PP"  # of the arguments, which the runtime knows from the code object
        self.launches: list[Launch] = []
        self.loaded: list[bytes] = []
        self.requests: list[tuple[Any, ...]] = []
        self.last_error = 0
        self.live_events = 0
        self.refuse: list[int] = []
        self.clock = 0.0
        self._events: list[float] = []
        self._memory: dict[int, Any] = {}
        functions: dict[str, Any] = {
            name: ctypes.CFUNCTYPE(ctypes.c_int, *library.PROTOTYPES[name])(self._recorder(name))
            for name in library.PROTOTYPES
        }
        functions["hipGetErrorName"] = lambda code: NAMES[code].encode()
        functions["hipGetErrorString"] = lambda code: NAMES[code].lower().encode()
        monkeypatch.setattr(library, "load_library", lambda: SimpleNamespace(**functions))
        HipDriver.get.cache_clear()
        monkeypatch.setitem(sys.modules, "torch", self._torch())

    def _recorder(self, name: str) -> Callable[..., int]:
        """Wrap a function so that an error stays until hipGetLastError."""
        function = getattr(self, name)

        def call(*arguments: Any) -> int:
            code = function(*arguments)
            self.last_error = 0 if name == "hipGetLastError" else code or self.last_error
            return code

        return call

    def _torch(self) -> Any:
        return SimpleNamespace(
            Tensor=Tensor,
            nn=SimpleNamespace(Parameter=Parameter),
            version=SimpleNamespace(hip="7.0", cuda=None),
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

    def hipGetLastError(self):
        return self.last_error

    def hipInit(self, flags):
        return 0

    def hipGetDevice(self, output):
        output[0] = self.device
        return 0

    def hipSetDevice(self, device):
        if device >= self.devices:
            return 101
        self.device = device
        return 0

    def hipDeviceGetName(self, output, length, device):
        ctypes.memmove(output, b"AMD Instinct MI300X\0", 20)
        return 0

    def hipDeviceGetAttribute(self, output, attribute, device):
        values = {63: 304, 87: 64, 74: self.shared, 71: 65536, 19: 4 << 20, 5: 2_100_000,
                  60: 1_300_000, 59: 8192}  # fmt: skip
        output[0] = values[attribute]
        return 0

    def hipGetDevicePropertiesR0600(self, output, device):
        if device >= self.devices:
            return 101
        text = self.architecture.encode() + b"\0"
        ctypes.memmove(output + 1160, text, len(text))
        return 0

    def hipPointerGetAttribute(self, output, attribute, address):
        assert attribute == 9
        ctypes.c_int.from_address(output).value = address >> 40
        return 0

    def hipModuleLoadData(self, output, image):
        if self.refuse:
            return self.refuse.pop(0)
        self.loaded.append(image)
        output[0] = 1000 + len(self.loaded)
        return 0

    def hipModuleGetFunction(self, output, module, name):
        output[0] = 1000 + module
        return 0

    def hipFuncGetAttribute(self, output, attribute, function):
        output[0] = {4: 48, 3: 24, 0: self.max_threads}[attribute]
        return 0

    def _launched(self, cooperative, function, *rest):
        if self.refuse:
            return self.refuse.pop(0)
        *sizes, shared, stream, arguments = rest
        values = [
            struct.unpack(format_, ctypes.string_at(arguments[n], struct.calcsize(format_)))[0]
            for n, format_ in enumerate(self.formats)
        ]
        self.launches.append(
            Launch(
                tuple(sizes[:3]), tuple(sizes[3:]), shared, stream or 0, function, self.device,
                cooperative, tuple(values),
            )
        )  # fmt: skip
        self.clock += 1.0
        return 0

    def hipModuleLaunchKernel(self, function, *rest):
        assert not rest[-1], "the arguments are passed by their addresses"
        return self._launched(False, function, *rest[:-1])

    def hipModuleLaunchCooperativeKernel(self, function, *rest):
        return self._launched(True, function, *rest)

    def hipEventCreateWithFlags(self, output, flags):
        self._events.append(0.0)
        self.live_events += 1
        output[0] = len(self._events)
        return 0

    def hipEventRecord(self, event, stream):
        self.requests.append(("record", stream or 0))
        self._events[event - 1] = self.clock
        return 0

    def hipEventSynchronize(self, event):
        return self.refuse.pop(0) if self.refuse else 0

    def hipEventElapsedTime(self, output, start, end):
        output[0] = self._events[end - 1] - self._events[start - 1]
        return 0

    def hipEventDestroy(self, event):
        self.requests.append(("destroy", event))
        self.live_events -= 1
        return 0

    def hipStreamWaitEvent(self, stream, event, flags):
        self.requests.append(("wait", stream or 0))
        return 0

    def hipStreamSynchronize(self, stream):
        return 0

    def hipMalloc(self, output, size):
        memory = ctypes.create_string_buffer(size)
        output[0] = ctypes.addressof(memory)
        self._memory[ctypes.addressof(memory)] = memory
        return 0

    def hipFree(self, address):
        del self._memory[address]
        return 0

    def hipMallocAsync(self, output, size, stream):
        self.requests.append(("allocate", size, stream or 0))
        output[0] = 1 << 30
        return 0

    def hipFreeAsync(self, address, stream):
        self.requests.append(("free", address, stream or 0))
        return 0

    def hipMemsetD32Async(self, address, value, count, stream):
        ctypes.memset(address, value, 4 * count)
        return 0
