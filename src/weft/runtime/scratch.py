"""Global memory that a launch brings for its programs: descriptors that kernels make lie there.

It comes from torch where torch is loaded, whose memory is ready in the order of its stream and
counts in its statistics; else from the driver's own pool, in the order of the stream as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.runtime.drivers.cuda import CudaDriver
    from weft.runtime.drivers.cuda_launch import Starter

__all__ = ["with_scratch"]


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
