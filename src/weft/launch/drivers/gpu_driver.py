"""What a driver of GPUs can do, for NVIDIA's and AMD's alike.

    driver = active_driver()                        # of active.py
    function = driver.load(artifact.image, "add", shared_bytes=0, device=0)
    launch = driver.launcher(function, LaunchConfig(128, 0), ["P", "i"])
    launch(1024, 1, 1, stream, address, n)

A device is the number of a GPU, a stream a CUstream or hipStream_t as a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NewType, Protocol, SupportsInt

from msgspec import Struct

from weft.errors import LaunchError, OutOfResourcesError
from weft.launch.argument_packing import Encoder

__all__ = [
    "ArgumentSource",
    "DeviceProperties",
    "Event",
    "GpuDriver",
    "GpuFunction",
    "LaunchConfig",
    "Launcher",
    "driver_error",
]

Event = NewType("Event", object)
"""A CUevent or hipEvent_t."""
Launcher = Callable[..., None]
"""Takes x, y and z of the grid, the stream, and the arguments."""
ArgumentSource = tuple[int, Encoder | None]
"""The index of a launch value, and what encodes it; None if it is passed unchanged."""


class DeviceProperties(Struct, frozen=True):
    """What a driver says about a device.

    Attributes:
        multiprocessors: Streaming multiprocessors, or compute units.
        warp_size: Threads of a warp.
        shared_bytes: Most shared memory of a block, in bytes.
        registers: Registers that a block can have, of 32 bits.
        l2_bytes: Size of the L2 cache, in bytes.
        clock_khz: Highest clock rate, in kHz.
        memory_clock_khz: Highest clock rate of the memory, in kHz; 0 if unknown.
        memory_bus_bits: Width of the memory bus, in bits.
    """

    multiprocessors: int
    warp_size: int
    shared_bytes: int
    registers: int
    l2_bytes: int
    clock_khz: int
    memory_clock_khz: int
    memory_bus_bits: int


class GpuFunction(Struct, frozen=True):
    """A kernel loaded on a device. The module stays loaded as long as this object lives.

    Attributes:
        name: Its symbol.
        handle: The CUfunction or hipFunction_t.
        module: The CUmodule or hipModule_t.
        device: The number of the device.
        registers: Registers of a thread.
        local_bytes: Local (scratch) memory of a thread, in bytes.
        max_threads: Most threads that a block can have.
    """

    name: str
    handle: SupportsInt
    module: SupportsInt
    device: int
    registers: int
    local_bytes: int
    max_threads: int


class LaunchConfig(Struct, frozen=True):
    """The part of a launch configuration that the kernel determines.

    Attributes:
        threads: Threads of a block.
        shared_bytes: Dynamic shared memory of a block.
        num_ctas: Blocks of a cluster.
        cooperative: Whether all blocks must run at once.
        programmatic: Whether it may start before the previous launch on the stream ends.
    """

    threads: int
    shared_bytes: int
    num_ctas: int = 1
    cooperative: bool = False
    programmatic: bool = False


class GpuDriver(Protocol):
    """A driver of GPUs. Each call raises a LaunchError if the driver reports an error."""

    def target_name(self, device: int) -> str:
        """Query the target of a device: "cuda:90", "hip:gfx942"."""
        ...

    def device_name(self, device: int) -> str:
        """Query the driver's name of a device, such as "NVIDIA H200"."""
        ...

    def properties(self, device: int) -> DeviceProperties:
        """Query the properties of a device."""
        ...

    def device_of_address(self, address: int) -> int:
        """Query the number of the device that an address belongs to."""
        ...

    def context(self, device: int) -> AbstractContextManager[None]:
        """Use a device in the block, and then the previous one again."""
        ...

    def load(self, image: bytes, name: str, shared_bytes: int, device: int) -> GpuFunction:
        """Load a kernel on a device.

        Args:
            image: PTX text, a cubin or an hsaco.
            name: The kernel's symbol.
            shared_bytes: Dynamic shared memory that the kernel needs.
            device: The number of the device.
        """
        ...

    def launcher(
        self,
        function: GpuFunction,
        config: LaunchConfig,
        formats: Sequence[str],
        sources: Sequence[ArgumentSource] | None = None,
        value_count: int = 0,
    ) -> Launcher:
        """Create the function that launches a kernel.

        Args:
            function: The kernel.
            config: How it is launched.
            formats: The `struct` formats of its arguments.
            sources: The arguments as functions of the launch values; None if these are the
                arguments.
            value_count: The number of launch values, if `sources` are given.
        """
        ...

    def wait_for_stream(self, stream: int, other: int, device: int) -> None:
        """Let a stream wait for the work that another one has been given so far."""
        ...

    def create_event(self) -> Event:
        """Create an event with timing on the current device."""
        ...

    def record(self, event: Event, stream: int) -> None:
        """Record an event on a stream."""
        ...

    def elapsed_ms(self, start: Event, end: Event) -> float:
        """Compute the time between two events, after waiting for the second."""
        ...

    def synchronize(self, stream: int) -> None:
        """Wait until a stream has finished its work."""
        ...

    def allocate(self, size: int) -> int:
        """Allocate memory on the current device; return its address."""
        ...

    def free(self, address: int) -> None:
        """Free memory."""
        ...

    def allocate_async(self, stream: int, size: int) -> int:
        """Allocate memory in stream order; return its address."""
        ...

    def free_async(self, stream: int, address: int) -> None:
        """Free memory in stream order."""
        ...

    def clear(self, address: int, size: int, stream: int) -> None:
        """Set memory to zero on a stream; `size` in bytes, a multiple of 4."""
        ...


def driver_error(
    driver: str, action: str, name: str, reason: str, *, is_out_of_resources: bool, hint: str | None
) -> LaunchError | OutOfResourcesError:
    """Create the error for a call of a driver that failed.

    Args:
        driver: The driver, for the message: "CUDA driver".
        action: What the call does, for the message: "launch add"; "" if it has no name.
        name: The driver's name of the error: "CUDA_ERROR_ILLEGAL_ADDRESS".
        reason: The driver's text for it.
        is_out_of_resources: Whether the launch needs more than the device has.
        hint: What to do about other errors.
    """
    message = f"the {driver} cannot {action}: {reason}" if action else f"{driver}: {reason}"
    if is_out_of_resources:
        return OutOfResourcesError(message, found=name)
    return LaunchError(message, found=name, hint=hint)
