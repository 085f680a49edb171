"""Global scratch memory: kernels keep the tensor descriptors that they create in it.

The memory comes from torch if torch is imported: it is then ready in stream order and counts in
torch's statistics. Otherwise it comes from the driver's memory pool, also in stream order.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from weft.errors import LaunchError

if TYPE_CHECKING:
    from weft.launch.drivers.gpu_driver import GpuDriver, Launcher

__all__ = ["Allocator", "set_allocator", "with_scratch"]

_ALIGNMENT = 128  # bytes

Allocator = Callable[[int, int, int | None], object]
"""Maps size and alignment in bytes and a stream to an object with `data_ptr()`."""


class _State:
    """The allocator that the program has set."""

    allocator: Allocator | None = None


def set_allocator(allocator: Allocator | None) -> None:
    """Set the function that allocates global scratch memory.

    Args:
        allocator: Takes the size and the alignment in bytes and the stream, and returns an object
            with `data_ptr()`, which stays alive until the kernel is launched. It is called once per
            launch of a kernel that needs scratch memory; the launch raises a LaunchError if the
            result has no `data_ptr()`. None restores the default.
    """
    _State.allocator = allocator


def with_scratch(launcher: Launcher, size: int, gpu: int, driver: GpuDriver) -> Launcher:
    """Wrap the launcher of a kernel so that each launch allocates its scratch memory.

    Args:
        launcher: Takes the address of the memory as its last argument.
        size: Bytes per program.
        gpu: The number of the GPU.
        driver: The driver of the GPU.
    """

    def launch(x: int, y: int, z: int, stream: int, *arguments: object) -> None:
        def launch_at(address: int) -> None:
            launcher(x, y, z, stream, *arguments, address)

        _allocate(x * y * z * size, stream, gpu, driver, launch_at)

    return launch


def _allocate(
    size: int, stream: int, gpu: int, driver: GpuDriver, use: Callable[[int], None]
) -> None:
    """Allocate memory, call `use` with its address, and free it in stream order."""
    torch = sys.modules.get("torch")
    if _State.allocator is not None:
        memory = _State.allocator(size, _ALIGNMENT, stream)
        get_address = getattr(memory, "data_ptr", None)
        if get_address is None:
            raise LaunchError(
                "the allocator of weft.set_allocator returned no memory",
                found=type(memory).__name__,
                accepted=["an object with data_ptr(), such as torch.empty(size, dtype=torch.int8)"],
            )
        use(get_address())
    elif torch is not None and hasattr(torch, "empty") and torch.cuda.is_initialized():
        memory = torch.empty(size, dtype=torch.uint8, device=f"cuda:{gpu}")
        use(memory.data_ptr())
        # torch frees memory in the order of its current stream; the launch may be on another one.
        if stream != torch._C._cuda_getCurrentRawStream(gpu):
            memory.record_stream(torch.cuda.ExternalStream(stream, device=gpu))
    else:
        address = driver.allocate_async(stream, size)
        try:
            use(address)
        finally:
            driver.free_async(stream, address)
