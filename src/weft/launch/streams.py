"""The stream of a launch, and the order with work on other streams."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TypeGuard

from weft.launch.array_protocols import LEGACY_STREAM, ArrayView
from weft.launch.array_types import DlpackArray
from weft.launch.devices import arrays_in
from weft.launch.drivers.active import active_driver

__all__ = ["dlpack_stream", "is_ready_on_current_stream", "launch_stream", "torch_stream"]

_GPU_DEVICES = (2, 10, 13)  # DLDeviceType: kDLCUDA, kDLROCM, kDLCUDAManaged


def torch_stream(gpu: int) -> int | None:
    """Get torch's current stream of a GPU; None if torch is not imported or has no GPUs."""
    torch = sys.modules.get("torch")
    current_stream = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    return None if current_stream is None else int(current_stream(gpu))


def launch_stream(gpu: int, values: Mapping[str, object]) -> int:
    """Choose the stream of a launch, and let it wait for the streams of the arguments.

    If every array names the stream on which it is ready, the launch takes that of the first.
    Otherwise it takes torch's current stream, or the default stream without torch.

    Args:
        gpu: The number of the GPU.
        values: The arguments by parameter, viewed (argument_views.py).
    """
    arrays = [array for _, array in arrays_in(values)]
    views = [array for array in arrays if isinstance(array, ArrayView)]
    ready_on = [view.stream for view in views if view.stream is not None]
    if ready_on and len(views) == len(arrays):
        stream = ready_on[0]
    else:
        stream = torch_stream(gpu) or 0
    for other in dict.fromkeys(ready_on):
        if other != stream:
            active_driver().wait_for_stream(stream, other, gpu)
    return stream


def dlpack_stream(array: object) -> int | None:
    """Get the stream to pass to an array's `__dlpack__`, on which its data will be used.

    Returns:
        None if the array needs no stream: it is on the host, or names its own stream.
    """
    if not _needs_stream(array):
        return None
    device_type, index = map(int, array.__dlpack_device__())
    return torch_stream(index) or 0 if device_type in _GPU_DEVICES else None


def _needs_stream(array: object) -> TypeGuard[DlpackArray]:
    has_own_stream = hasattr(array, "__cuda_array_interface__")
    return hasattr(type(array), "__dlpack_device__") and not has_own_stream


def is_ready_on_current_stream(stream: int | None, gpu: int) -> bool:
    """Check whether data can be used on torch's current stream without waiting.

    Args:
        stream: The stream on which the data is ready; None if it is ready.
        gpu: The number of the GPU.
    """
    if stream is None:
        return True
    current = torch_stream(gpu) or 0
    return stream == current or (stream == LEGACY_STREAM and not current)
