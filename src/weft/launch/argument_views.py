"""Arguments of a launch with the arrays of other libraries viewed as torch tensors are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.language.kernel_function import KernelFunction
from weft.launch.array_protocols import ArrayView, Device, is_protocol_array, view_array
from weft.launch.arrays import is_descriptor, tuple_like
from weft.launch.devices import current_gpu
from weft.launch.streams import dlpack_stream
from weft.launch.tensor_descriptor import with_base

__all__ = ["current_device", "view_arguments", "warmup_arguments"]


def view_arguments(values: Mapping[str, object]) -> dict[str, Any]:
    """Replace the arrays that only DLPack or the CUDA array interface can read by views.

    Args:
        values: The arguments by parameter.

    Raises:
        LaunchError: An element type, device or feature that weft does not support.
    """
    return {name: _view_argument(value, name) for name, value in values.items()}


def _view_argument(value: object, name: str) -> object:
    if isinstance(value, tuple):
        items = [_view_argument(item, f"{name}[{n}]") for n, item in enumerate(value)]
        return tuple_like(value, items)
    if is_descriptor(value) and is_protocol_array(value.base):
        return with_base(value, _view_argument(value.base, name))
    if not is_protocol_array(value):
        return value
    return view_array(value, name, dlpack_stream(value))


def warmup_arguments(kernel: KernelFunction, values: Mapping[str, object]) -> dict[str, object]:
    """Replace the element types among the arguments of a warm-up by aligned arrays of them.

    Args:
        kernel: The kernel.
        values: The arguments by parameter.
    """
    arguments = dict(values)
    for parameter in kernel.parameters:
        value = values[parameter.name]
        if not parameter.is_constexpr and _is_element_type(value):
            arguments[parameter.name] = ArrayView(0, value, current_device(), (), ())
    return arguments


def current_device() -> Device:
    """Get the device that launches go to: torch's current GPU, or the CPU device."""
    gpu = current_gpu(initialized_only=False)
    return Device("cpu") if gpu is None else Device("cuda", gpu)


def _is_element_type(value: object) -> bool:
    """Check whether a value is a torch or numpy dtype."""
    cls = type(value)
    return (cls.__module__, cls.__name__) == ("torch", "dtype") or hasattr(value, "isnative")
