"""Global memory that a launch brings for its programs: descriptors that kernels make lie there.

It comes from torch where torch is loaded, whose memory is ready in the order of its stream and
counts in its statistics; else from the driver's own pool, in the order of the stream as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft.errors import LaunchError

if TYPE_CHECKING:
    from weft.launch.drivers.cuda.driver import CudaDriver
    from weft.launch.drivers.cuda.launcher import Starter

__all__ = ["set_allocator", "with_scratch"]

_ALIGNMENT = 128  # of what an allocator gives, in bytes


class _Chosen:
    """What brings the memory in place of torch and the driver, where a program says it."""

    allocator: Callable[[int, int, int | None], Any] | None = None


def set_allocator(allocator: Callable[[int, int, int | None], Any] | None) -> None:
    """Let memory for kernels' programs come from a function; None: from where it comes else.

    Args: allocator: takes bytes, an alignment in bytes and a stream; what it gives has a
          `data_ptr()` and lives until the kernel is launched. It is called once per launch of a
          kernel that wants memory, which then raises a LaunchError if it gives none.
    """
    _Chosen.allocator = allocator


def with_scratch(start: Starter, size: int, device: int, driver: CudaDriver) -> Starter:
    """Return what starts a kernel that wants memory of its own as its last argument.

    Args: start: takes the address behind the other arguments.  size: bytes for each program.
    """

    def launch(x: int, y: int, z: int, stream: int, *arguments: Any) -> None:
        _with_memory(
            x * y * z * size,
            stream,
            device,
            driver,
            lambda address: start(x, y, z, stream, *arguments, address),
        )

    return launch


def _with_memory(
    size: int, stream: int, device: int, driver: CudaDriver, use: Callable[[int], None]
) -> None:
    if _Chosen.allocator is not None:
        given = _Chosen.allocator(size, _ALIGNMENT, stream)
        if not hasattr(given, "data_ptr"):
            raise LaunchError(
                "the function of weft.set_allocator gives no memory",
                found=type(given).__name__,
                accepted=["an object with data_ptr(), such as torch.empty(size, dtype=torch.int8)"],
            )
        use(given.data_ptr())
        return
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "empty") or not torch.cuda.is_initialized():
        address = driver.allocate_on(stream, size)
        try:
            use(address)
        finally:
            driver.free_on(stream, address)
        return
    memory = torch.empty(size, dtype=torch.uint8, device=f"cuda:{device}")
    use(memory.data_ptr())
    if stream != torch._C._cuda_getCurrentRawStream(device):
        memory.record_stream(torch.cuda.ExternalStream(stream, device=device))
