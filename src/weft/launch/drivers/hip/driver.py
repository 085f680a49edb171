"""The HIP runtime through ctypes: load modules, launch kernels, measure.

    driver = HipDriver.get()
    function = driver.load(hsaco, "add", shared_bytes=0, device=0)

Each call returns a hipError_t, 0 for success, and writes its result to memory that it is given.
The runtime uses the primary context of the current device, as torch does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from msgspec import Struct, field

from weft.errors import LaunchError
from weft.launch.drivers.gpu_driver import (
    ArgumentSource,
    DeviceProperties,
    Event,
    GpuFunction,
    LaunchConfig,
    Launcher,
    driver_error,
)
from weft.launch.drivers.hip import library as hip_library
from weft.launch.drivers.hip.launcher import make_launcher
from weft.launch.drivers.hip.library import HipLibrary

__all__ = ["HipDriver"]


class _Event:
    """A hipEvent_t, which is destroyed with this object.

    The runtime keeps an event that work refers to until that work ends.

    Args:
        handle: The event.
        destroy: hipEventDestroy.
    """

    def __init__(self, handle: int, destroy: Callable[[int], object]) -> None:
        self._as_parameter_, self._destroy = handle, destroy  # what ctypes passes

    def __del__(self) -> None:
        self._destroy(self._as_parameter_)


# hipDeviceAttribute_t
_CLOCK_RATE, _L2_BYTES, _BUS_WIDTH, _MEMORY_CLOCK_RATE = 5, 19, 59, 60
_MULTIPROCESSORS, _REGISTERS, _SHARED_BYTES, _WARP_SIZE = 63, 71, 74, 87
# hipFunction_attribute
_FUNCTION_MAX_THREADS, _FUNCTION_LOCAL_BYTES, _FUNCTION_REGISTERS = 0, 3, 4
_POINTER_DEVICE_ORDINAL = 9  # HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_EVENT_DISABLE_TIMING = 2  # hipEventDisableTiming
# hipDeviceProp_tR0600 has 1,472 bytes in ROCm 7, and gcnArchName at byte 1,160 since ROCm 6.
_PROPERTIES_BYTES, _ARCHITECTURE_OFFSET, _ARCHITECTURE_BYTES = 4096, 1160, 256
_OUT_OF_RESOURCES = "hipErrorLaunchOutOfResources"
# Errors of earlier work, which the runtime reports to the next call.
_ASYNCHRONOUS_ERRORS = ("hipErrorIllegalAddress", "hipErrorLaunchFailure")


class HipDriver(Struct):
    """The HIP runtime; one instance per process.

    Attributes:
        api: The functions of libamdhip64.
        images: The code objects of the loaded modules, which the runtime reads after the load, too.
            Modules stay loaded until the process ends.
    """

    api: HipLibrary
    images: list[bytes] = field(default_factory=list[bytes])

    @classmethod
    @cache
    def get(cls) -> HipDriver:
        """Get the initialized driver.

        Raises:
            LaunchError: The library or a GPU is missing.
        """
        driver = cls(hip_library.load_library())
        driver._check(driver.api.hipInit(0))
        return driver

    @staticmethod
    def is_installed() -> bool:
        """Check whether the library is on this machine."""
        return hip_library.is_installed()

    def _check(self, code: int, action: str = "") -> None:
        """Check the result of a call.

        Args:
            code: The hipError_t.
            action: What the call does, for the message: "launch add".

        Raises:
            LaunchError: The call failed.
            OutOfResourcesError: It failed with hipErrorLaunchOutOfResources.
        """
        if code == 0:
            return
        name = (self.api.hipGetErrorName(code) or b"").decode() or f"error {code}"
        reason = (self.api.hipGetErrorString(code) or b"").decode() or name
        # Else torch would report this error at its next check, in another operation.
        self.api.hipGetLastError()
        hint = "an earlier kernel caused it" if name in _ASYNCHRONOUS_ERRORS else None
        is_out_of_resources = name == _OUT_OF_RESOURCES
        raise driver_error(
            "HIP runtime", action, name, reason, is_out_of_resources=is_out_of_resources, hint=hint
        )

    def target_name(self, device: int) -> str:
        """Query the target of a device, such as "hip:gfx942".

        The runtime adds features of the chip: "gfx942:sramecc+:xnack-".
        """
        properties = ctypes.create_string_buffer(_PROPERTIES_BYTES)
        self._check(self.api.hipGetDevicePropertiesR0600(properties, device), f"use GPU {device}")
        end = _ARCHITECTURE_OFFSET + _ARCHITECTURE_BYTES
        text = properties.raw[_ARCHITECTURE_OFFSET:end].partition(b"\0")[0].decode()
        return f"hip:{text.partition(':')[0]}"

    def device_name(self, device: int) -> str:
        """Query the runtime's name of a device, such as "AMD Instinct MI300X"."""
        buffer = ctypes.create_string_buffer(256)
        self._check(self.api.hipDeviceGetName(buffer, len(buffer), device), f"use GPU {device}")
        return buffer.value.decode()

    def _attribute(self, device: int, attribute: int) -> int:
        value = ctypes.c_int()
        self._check(self.api.hipDeviceGetAttribute(value, attribute, device), f"use GPU {device}")
        return value.value

    def properties(self, device: int) -> DeviceProperties:
        """Query the properties of a device."""
        return DeviceProperties(
            multiprocessors=self._attribute(device, _MULTIPROCESSORS),
            warp_size=self._attribute(device, _WARP_SIZE),
            shared_bytes=self._attribute(device, _SHARED_BYTES),
            registers=self._attribute(device, _REGISTERS),
            l2_bytes=self._attribute(device, _L2_BYTES),
            clock_khz=self._attribute(device, _CLOCK_RATE),
            memory_clock_khz=self._attribute(device, _MEMORY_CLOCK_RATE),
            memory_bus_bits=self._attribute(device, _BUS_WIDTH),
        )

    def device_of_address(self, address: int) -> int:
        """Query the number of the device that an address belongs to."""
        device = ctypes.c_int()
        pointer = ctypes.addressof(device)
        self._check(self.api.hipPointerGetAttribute(pointer, _POINTER_DEVICE_ORDINAL, address))
        return device.value

    def set_device(self, device: int) -> int:
        """Make a device the calling thread's, and return the previous one."""
        previous = ctypes.c_int()
        self._check(self.api.hipGetDevice(previous))
        if previous.value != device:
            self._check(self.api.hipSetDevice(device), f"use GPU {device}")
        return previous.value

    @contextmanager
    def context(self, device: int) -> Iterator[None]:
        """Use a device in the block, and then the previous one again."""
        previous = self.set_device(device)
        try:
            yield
        finally:
            self.set_device(previous)

    def load(self, image: bytes, name: str, shared_bytes: int, device: int) -> GpuFunction:
        """Load a kernel on a device.

        Args:
            image: An hsaco.
            name: The kernel's symbol.
            shared_bytes: Shared memory (LDS) that a launch asks for; nothing is set in advance.
            device: The number of the device.
        """
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.images.append(image)
        with self.context(device):
            self._check(self.api.hipModuleLoadData(module, image), f"load {name}")
            self._check(
                self.api.hipModuleGetFunction(function, module, name.encode()), f"find {name}"
            )
            values: list[int] = []
            for each in (_FUNCTION_REGISTERS, _FUNCTION_LOCAL_BYTES, _FUNCTION_MAX_THREADS):
                value = ctypes.c_int()
                self._check(self.api.hipFuncGetAttribute(value, each, function))
                values.append(value.value)
        return GpuFunction(name, function.value or 0, module.value or 0, device, *values)

    def launcher(
        self,
        function: GpuFunction,
        config: LaunchConfig,
        formats: Sequence[str],
        sources: Sequence[ArgumentSource] | None = None,
        value_count: int = 0,
    ) -> Launcher:
        """Create the function that launches a kernel; see `GpuDriver.launcher`.

        Raises:
            LaunchError: The launch needs clusters, or programmatic dependent launch.
        """
        if config.num_ctas > 1 or config.programmatic:
            raise LaunchError(
                f"{function.name} cannot be launched on an AMD GPU",
                found=f"num_ctas={config.num_ctas}, launch_pdl={config.programmatic}",
                accepted=["num_ctas=1, launch_pdl=False"],
            )

        def check(code: int) -> None:
            self._check(code, f"launch {function.name}")

        return make_launcher(self.api, function, config, formats, check, self.set_device, sources)

    def wait_for_stream(self, stream: int, other: int, device: int) -> None:
        """Let a stream wait for the work that another one has been given so far."""
        with self.context(device):
            event = self._create_event(_EVENT_DISABLE_TIMING)
            self._check(self.api.hipEventRecord(event, other))
            self._check(self.api.hipStreamWaitEvent(stream, event, 0))

    def _create_event(self, flags: int) -> _Event:
        event = ctypes.c_void_p()
        self._check(self.api.hipEventCreateWithFlags(event, flags))
        return _Event(event.value or 0, self.api.hipEventDestroy)

    def create_event(self) -> Event:
        """Create an event with timing on the current device."""
        return Event(self._create_event(0))

    def record(self, event: Event, stream: int) -> None:
        """Record an event on a stream."""
        self._check(self.api.hipEventRecord(event, stream))

    def elapsed_ms(self, start: Event, end: Event) -> float:
        """Compute the time between two events, after waiting for the second.

        Raises:
            LaunchError: A kernel before it failed.
        """
        self._check(self.api.hipEventSynchronize(end), "run the kernel")
        time = ctypes.c_float()
        self._check(self.api.hipEventElapsedTime(time, start, end))
        return time.value

    def synchronize(self, stream: int) -> None:
        """Wait until a stream has finished its work.

        Raises:
            LaunchError: A kernel on it failed.
        """
        self._check(self.api.hipStreamSynchronize(stream), "run the kernel")

    def allocate(self, size: int) -> int:
        """Allocate memory on the current device; return its address."""
        address = ctypes.c_void_p()
        self._check(self.api.hipMalloc(address, size), f"allocate {size} bytes")
        return address.value or 0

    def free(self, address: int) -> None:
        """Free memory."""
        self._check(self.api.hipFree(address))

    def allocate_async(self, stream: int, size: int) -> int:
        """Allocate memory in stream order; return its address."""
        address = ctypes.c_void_p()
        self._check(self.api.hipMallocAsync(address, size, stream), f"allocate {size} bytes")
        return address.value or 0

    def free_async(self, stream: int, address: int) -> None:
        """Free memory in stream order."""
        self._check(self.api.hipFreeAsync(address, stream))

    def clear(self, address: int, size: int, stream: int) -> None:
        """Set memory to zero on a stream; `size` in bytes, a multiple of 4."""
        self._check(self.api.hipMemsetD32Async(address, 0, size // 4, stream))
