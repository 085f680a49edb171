"""The CUDA driver through `cuda.bindings`: load modules, launch kernels, measure.

    driver = CudaDriver.get()
    function = driver.load(ptx, "add", shared_bytes=0, device=0)
    launcher = driver.launcher(function, LaunchConfig(128, 0), ["P", "i"])
    launcher(1024, 1, 1, stream, address, n)

Contexts are the primary ones of the devices, which torch and cupy use, too.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from types import ModuleType
from typing import Any, SupportsInt

from msgspec import Struct, field

from weft.errors import LaunchError
from weft.launch.drivers.cuda.launcher import driver_launch_function, make_launcher
from weft.launch.drivers.gpu_driver import (
    ArgumentSource,
    DeviceProperties,
    Event,
    GpuFunction,
    LaunchConfig,
    Launcher,
    driver_error,
)

__all__ = ["CudaDriver"]

_DEFAULT_SHARED_BYTES = 48 * 1024  # a kernel that needs more must ask for it
_PORTABLE_CLUSTER_SIZE = 8  # a kernel in larger clusters must ask for it
_DISABLE_TIMING = 2  # CU_EVENT_DISABLE_TIMING
_OUT_OF_RESOURCES = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
# Errors of earlier work, which the driver reports to the next call.
_ASYNCHRONOUS_ERRORS = (
    "CUDA_ERROR_ILLEGAL_ADDRESS",
    "CUDA_ERROR_LAUNCH_FAILED",
    "CUDA_ERROR_MISALIGNED_ADDRESS",
)


def _import_bindings() -> ModuleType:
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise LaunchError(
            "the Python bindings of the CUDA driver are missing",
            found=str(error),
            hint="pip install weft[gpu]",
        ) from None


class CudaDriver(Struct):
    """The CUDA driver; one instance per process.

    Attributes:
        api: The module `cuda.bindings.driver`.
        contexts: The primary context of each device in use.
        capabilities: The compute capability of each device that was asked for.
    """

    api: ModuleType
    contexts: dict[int, SupportsInt] = field(default_factory=dict)
    capabilities: dict[int, int] = field(default_factory=dict)

    @classmethod
    @cache
    def get(cls) -> CudaDriver:
        """Get the initialized driver.

        Raises:
            LaunchError: The bindings or the driver are missing.
        """
        driver = cls(_import_bindings())
        try:
            reply = driver.api.cuInit(0)
        except RuntimeError as error:  # the bindings found no libcuda
            raise LaunchError(
                "there is no CUDA driver on this machine", found=str(error).strip()
            ) from None
        driver._check(reply)
        return driver

    def _check(self, reply: Sequence[Any], action: str = "") -> Any:  # values of the bindings
        """Check the result of a driver call.

        Args:
            reply: The CUresult and the values that the call returned.
            action: What the call does, for the message: "launch add".

        Returns:
            The value, or the values.

        Raises:
            LaunchError: The call failed.
            OutOfResourcesError: It failed with CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES.
        """
        code, *values = reply
        if code == self.api.CUresult.CUDA_SUCCESS:
            return values[0] if len(values) == 1 else tuple(values)
        text = self.api.cuGetErrorString(code)[1]
        reason = text.decode() if isinstance(text, bytes) else str(code)
        hint = None
        if code.name in _ASYNCHRONOUS_ERRORS:
            hint = "an earlier kernel caused it: run under compute-sanitizer"
        is_out_of_resources = code.name == _OUT_OF_RESOURCES
        raise driver_error(
            "CUDA driver", action, code.name, reason,
            is_out_of_resources=is_out_of_resources, hint=hint,
        )  # fmt: skip

    def _device_handle(self, device: int) -> SupportsInt:
        return self._check(self.api.cuDeviceGet(device), f"use GPU {device}")

    @staticmethod
    def is_installed() -> bool:
        """Check whether the driver's library is on this machine."""
        try:
            driver_launch_function()
        except OSError:
            return False
        return True

    def _attribute(self, device: int, name: str) -> int:
        attribute = getattr(self.api.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        handle = self._device_handle(device)
        return int(self._check(self.api.cuDeviceGetAttribute(attribute, handle)))

    def properties(self, device: int) -> DeviceProperties:
        """Query the properties of a device.

        Raises:
            LaunchError: There is no such device.
        """
        return DeviceProperties(
            multiprocessors=self._attribute(device, "MULTIPROCESSOR_COUNT"),
            warp_size=self._attribute(device, "WARP_SIZE"),
            shared_bytes=self._attribute(device, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            registers=self._attribute(device, "MAX_REGISTERS_PER_BLOCK"),
            l2_bytes=self._attribute(device, "L2_CACHE_SIZE"),
            clock_khz=self._attribute(device, "CLOCK_RATE"),
            memory_clock_khz=self._attribute(device, "MEMORY_CLOCK_RATE"),
            memory_bus_bits=self._attribute(device, "GLOBAL_MEMORY_BUS_WIDTH"),
        )

    def target_name(self, device: int) -> str:
        """Query the target of a device, such as "cuda:90"."""
        return f"cuda:{self.capability(device)}"

    def capability(self, device: int) -> int:
        """Query a device's compute capability, such as 90."""
        if device not in self.capabilities:
            major = self._attribute(device, "COMPUTE_CAPABILITY_MAJOR")
            minor = self._attribute(device, "COMPUTE_CAPABILITY_MINOR")
            self.capabilities[device] = 10 * major + minor
        return self.capabilities[device]

    def device_name(self, device: int) -> str:
        """Query the driver's name of a device, such as "NVIDIA H200"."""
        text = self._check(self.api.cuDeviceGetName(256, self._device_handle(device)))
        return bytes(text).partition(b"\0")[0].decode()

    def device_of_address(self, address: int) -> int:
        """Query the number of the device that an address belongs to."""
        attribute = self.api.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self._check(self.api.cuPointerGetAttribute(attribute, address)))

    def _primary_context(self, device: int) -> SupportsInt:
        context = self.contexts.get(device)
        if context is None:
            handle = self._device_handle(device)
            context = self._check(self.api.cuDevicePrimaryCtxRetain(handle))
            self.contexts[device] = context
        return context

    def set_context(self, device: int) -> None:
        """Make a device's primary context the calling thread's."""
        self._check(self.api.cuCtxSetCurrent(self._primary_context(device)))

    @contextmanager
    def context(self, device: int) -> Iterator[None]:
        """Use a device's primary context in the block, and then the previous one again.

        A thread without a context keeps that of the device.
        """
        previous = self._check(self.api.cuCtxGetCurrent())
        primary = self._primary_context(device)
        if int(previous) != int(primary):
            self._check(self.api.cuCtxSetCurrent(primary))
        try:
            yield
        finally:
            if int(previous) not in (0, int(primary)):
                self._check(self.api.cuCtxSetCurrent(previous))

    def load(self, image: bytes, name: str, shared_bytes: int, device: int) -> GpuFunction:
        """Load a kernel on a device.

        Args:
            image: PTX text, or a cubin.
            name: The kernel's symbol.
            shared_bytes: Dynamic shared memory that the kernel needs.
            device: The number of the device.

        Raises:
            LaunchError: The driver cannot assemble or load it.
        """
        attributes = self.api.CUfunction_attribute
        with self.context(device):
            module = self._check(self.api.cuModuleLoadData(image + b"\0"), f"load {name}")
            handle = self._check(
                self.api.cuModuleGetFunction(module, name.encode()), f"find {name}"
            )
            if shared_bytes > _DEFAULT_SHARED_BYTES:
                limit = attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                reply = self.api.cuFuncSetAttribute(handle, limit, shared_bytes)
                self._check(reply, f"reserve {shared_bytes} bytes of shared memory for {name}")
            registers, local_bytes, max_threads = (
                int(self._check(self.api.cuFuncGetAttribute(attribute, handle)))
                for attribute in (
                    attributes.CU_FUNC_ATTRIBUTE_NUM_REGS,
                    attributes.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                    attributes.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                )
            )
        return GpuFunction(name, handle, module, device, registers, local_bytes, max_threads)

    def launcher(
        self,
        function: GpuFunction,
        config: LaunchConfig,
        formats: Sequence[str],
        sources: Sequence[ArgumentSource] | None = None,
        value_count: int = 0,
    ) -> Launcher:
        """Create the function that launches a kernel; see `make_launcher`.

        Raises:
            LaunchError: The device does not support clusters of this size.
        """
        if config.num_ctas > _PORTABLE_CLUSTER_SIZE:
            attributes = self.api.CUfunction_attribute
            non_portable = attributes.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            with self.context(function.device):
                reply = self.api.cuFuncSetAttribute(function.handle, non_portable, 1)
                self._check(reply, f"run {function.name} in clusters of {config.num_ctas} blocks")

        def raise_error(code: int) -> None:
            self._check((self.api.CUresult(code),), f"launch {function.name}")

        set_context = partial(self.set_context, function.device)
        return make_launcher(
            int(function.handle), config, formats, raise_error, set_context, sources, value_count
        )

    def wait_for_stream(self, stream: int, other: int, device: int) -> None:
        """Let a stream wait for the work that another one has been given so far."""
        with self.context(device):
            event = self._check(self.api.cuEventCreate(_DISABLE_TIMING))
            self._check(self.api.cuEventRecord(event, self.api.CUstream(other)))
            self._check(self.api.cuStreamWaitEvent(self.api.CUstream(stream), event, 0))
            self._check(self.api.cuEventDestroy(event))

    def create_event(self) -> Event:
        """Create an event with timing in the current context."""
        return self._check(self.api.cuEventCreate(0))

    def record(self, event: Event, stream: int) -> None:
        """Record an event on a stream."""
        self._check(self.api.cuEventRecord(event, self.api.CUstream(stream)))

    def elapsed_ms(self, start: Event, end: Event) -> float:
        """Compute the time between two events, after waiting for the second.

        Raises:
            LaunchError: A kernel before it failed.
        """
        self._check(self.api.cuEventSynchronize(end), "run the kernel")
        return float(self._check(self.api.cuEventElapsedTime(start, end)))

    def synchronize(self, stream: int) -> None:
        """Wait until a stream has finished its work.

        Raises:
            LaunchError: A kernel on it failed.
        """
        self._check(self.api.cuStreamSynchronize(self.api.CUstream(stream)), "run the kernel")

    def allocate(self, size: int) -> int:
        """Allocate memory in the current context; return its address."""
        return int(self._check(self.api.cuMemAlloc(size), f"allocate {size} bytes"))

    def allocate_async(self, stream: int, size: int) -> int:
        """Allocate memory in stream order; return its address."""
        reply = self.api.cuMemAllocAsync(size, self.api.CUstream(stream))
        return int(self._check(reply, f"allocate {size} bytes"))

    def free_async(self, stream: int, address: int) -> None:
        """Free memory in stream order."""
        self._check(self.api.cuMemFreeAsync(address, self.api.CUstream(stream)))

    def free(self, address: int) -> None:
        """Free memory."""
        self._check(self.api.cuMemFree(address))

    def clear(self, address: int, size: int, stream: int) -> None:
        """Set memory to zero on a stream; `size` in bytes, a multiple of 4."""
        reply = self.api.cuMemsetD32Async(address, 0, size // 4, self.api.CUstream(stream))
        self._check(reply)
