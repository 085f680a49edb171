"""The device of a launch.

    gpu_of_arrays(values)       every array on GPU 1 → 1; all in this process's memory → None
    current_target()            the target of torch's current GPU, or the CPU device

The arrays decide. Arrays on two devices are an error, except for pinned host memory, which a GPU
reads in place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from weft.compiler.architecture import override_architecture
from weft.compiler.options import CPU
from weft.errors import LaunchError
from weft.launch.arrays import is_array, is_descriptor
from weft.launch.drivers.active import active_driver
from weft.targets import Target, target

__all__ = ["arrays_in", "current_gpu", "current_target", "gpu_of", "gpu_of_arrays", "gpu_target"]

_HOST_DEVICES = ("cpu", "pinned", "")


def gpu_of_arrays(values: Mapping[str, object]) -> int | None:
    """Find the GPU that a launch's arrays are on; None if they are on the host or there are none.

    Args:
        values: The arguments by parameter.

    Raises:
        LaunchError: They are on several devices, or on one that weft does not support.
    """
    first_on: dict[int | None, str] = {}
    for name, array in arrays_in(values):
        device = gpu_of(array, name)
        if device is None and _is_pinned(array):
            continue
        first_on.setdefault(device, name)
    if len(first_on) > 1:
        raise _several_devices_error(first_on)
    return next(iter(first_on), None)


def _is_pinned(array: object) -> bool:
    return callable(is_pinned := getattr(array, "is_pinned", None)) and bool(is_pinned())


def _several_devices_error(first_on: Mapping[int | None, str]) -> LaunchError:
    gpu = next(device for device in first_on if device is not None)
    stray = next(name for device, name in first_on.items() if device != gpu)
    return LaunchError(
        f"Pointer argument {stray} cannot be accessed: the arrays are on several devices",
        found=", ".join(f"{name} on {_device_name(device)}" for device, name in first_on.items()),
        accepted=[f"all on {_device_name(gpu)}"],
        hint=f'pass a copy there, such as {stray}.to("cuda:{gpu}")',
    )


def _device_name(gpu: int | None) -> str:
    return "the CPU" if gpu is None else f"GPU {gpu}"


def arrays_in(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield name and value of the arrays among the arguments of a launch.

    Items of tuples and the bases of descriptors are among them.
    """
    for name, value in values.items():
        if isinstance(value, tuple):
            yield from arrays_in({f"{name}[{n}]": item for n, item in enumerate(value)})
        elif is_descriptor(value):
            yield name, value.base
        elif is_array(value):
            yield name, value


def gpu_of(array: object, parameter: str) -> int | None:
    """Get the number of the GPU that an array is on; None for the host.

    Args:
        array: The array.
        parameter: The kernel's parameter, for the message.

    Raises:
        LaunchError: It is on a device of another kind.
    """
    device = getattr(array, "device", None)
    device_type = str(getattr(device, "type", "") or "")
    if device_type == "cuda":  # torch calls AMD's GPUs "cuda", too
        return int(getattr(device, "index", 0) or 0)
    if device_type in _HOST_DEVICES:
        return None
    raise LaunchError(
        f"weft cannot launch kernels on the device of parameter {parameter}",
        found=f"an array on {device_type}",
        accepted=["an NVIDIA or AMD GPU", "the CPU"],
    )


def current_gpu(initialized_only: bool = True) -> int | None:
    """Get torch's current GPU; None if torch is not imported or has no GPU.

    Args:
        initialized_only: Only if the program has used a GPU already.
    """
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not (cuda.is_initialized() if initialized_only else cuda.is_available()):
        return None
    return int(cuda.current_device())


def gpu_target(gpu: int) -> Target:
    """Get the target of a GPU.

    Raises:
        UnknownTargetError: weft does not support the GPU.
    """
    return target(active_driver().target_name(gpu))


def current_target() -> Target:
    """Get the target that launches compile for: that of torch's GPU, or the CPU device.

    `knobs.runtime.override_arch` replaces the chip of a GPU.
    """
    gpu = current_gpu(initialized_only=False)
    return target(CPU) if gpu is None else override_architecture(gpu_target(gpu))
