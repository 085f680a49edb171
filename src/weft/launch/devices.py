"""On which device a launch runs, and in which order with what else runs there.

    gpu_of(values)                   every array on GPU 1 → 1; all in this process's memory → None
    stream_of(1, values)             torch's current stream of GPU 1, where torch is used at all

The arrays decide. Arrays on two devices are an error that names an argument of each, but for host
memory that is pinned: a GPU reads it where it lies.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from weft.errors import LaunchError
from weft.language.kernel_function import KernelFunction
from weft.launch.array_protocols import Device, ForeignArray, is_foreign_array, viewed
from weft.launch.arrays import is_array, is_descriptor
from weft.launch.drivers.cuda.driver import CudaDriver
from weft.launch.tensor_descriptor import described_by
from weft.targets import Target, target

__all__ = [
    "arrays_of",
    "current_gpu",
    "current_target",
    "device_of",
    "gpu_of",
    "opened",
    "stand_ins",
    "stream_for",
    "stream_of",
    "torch_stream",
]

_HOST = ("cpu", "pinned", "")


def opened(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with the arrays of other libraries as weft sees them."""
    return {name: _opened(value, name) for name, value in values.items()}


def stand_ins(kernel: KernelFunction, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a warm-up with aligned arrays in place of element types."""
    found = dict(values)
    for parameter in kernel.parameters:
        value = values[parameter.name]
        if not parameter.is_constexpr and _is_element_type(value):
            gpu = current_gpu(used=False)
            device = Device("cpu") if gpu is None else Device("cuda", gpu)
            found[parameter.name] = ForeignArray(0, value, device, (), ())
    return found


def _is_element_type(value: object) -> bool:
    """Tell whether a value is torch's or numpy's name of an element type."""
    kind = type(value)
    return (kind.__module__, kind.__name__) == ("torch", "dtype") or hasattr(value, "isnative")


def _opened(value: Any, name: str) -> Any:
    if isinstance(value, tuple):
        items = [_opened(item, f"{name}[{at}]") for at, item in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if is_descriptor(value) and is_foreign_array(value.base):
        return described_by(value, _opened(value.base, name))
    if not is_foreign_array(value):
        return value
    return viewed(value, name, stream_for(value))


def stream_for(value: Any) -> int | None:
    """Return the stream that an array's library is told of before the array is used there.

    None where the array needs no word: its bytes are the host's, or it says its stream itself.
    """
    if not hasattr(type(value), "__dlpack_device__") or hasattr(value, "__cuda_array_interface__"):
        return None
    kind, index = value.__dlpack_device__()
    return torch_stream(int(index)) or 0 if int(kind) in (2, 13) else None


def gpu_of(values: Mapping[str, Any]) -> int | None:
    """Return the number of the GPU that a launch's arrays are on; None if they are on none.

    Raises: LaunchError: they are on several devices, or on one that weft has no kernels for.
    """
    found: dict[int | None, str] = {}
    pinned: list[str] = []
    for name, value in arrays_of(values):
        device = device_of(value, name)
        if device is None and callable(asked := getattr(value, "is_pinned", None)) and asked():
            pinned.append(name)
        else:
            found.setdefault(device, name)
    if len(found) > 1:
        raise _several(found)
    return next(iter(found), None) if found else None


def _several(found: Mapping[int | None, str]) -> LaunchError:
    places = [f"{name} on {_place(n)}" for n, name in found.items()]
    to, stray = next((n for n in found if n is not None), None), list(found.items())
    away = next(name for n, name in stray if n != to)
    return LaunchError(
        "the arrays of one launch must be on one device",
        found=", ".join(places),
        accepted=[f"all on {_place(to)}"],
        hint=f'pass a copy there, such as {away}.to("cuda:{to}")',
    )


def _place(number: int | None) -> str:
    return "the CPU" if number is None else f"GPU {number}"


def arrays_of(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arrays among the arguments of a launch, and their names."""
    for name, value in values.items():
        if isinstance(value, tuple):
            yield from arrays_of({f"{name}[{at}]": item for at, item in enumerate(value)})
        elif is_descriptor(value):
            yield name, value.base
        elif is_array(value):
            yield name, value


def device_of(value: Any, name: str) -> int | None:
    """Return the number of the GPU that an array is on.

    Raises: LaunchError: it is on a device of another kind.
    """
    device = getattr(value, "device", None)
    kind = str(getattr(device, "type", "") or "")
    if kind == "cuda":
        if getattr(getattr(sys.modules.get("torch"), "version", None), "hip", None):
            kind = "hip"
        else:
            return int(getattr(device, "index", 0) or 0)
    if kind in _HOST:
        return None
    raise LaunchError(
        f"parameter {name} is on a device that weft cannot launch kernels on",
        found=f"an array on {kind}",
        accepted=["a CUDA device", "the CPU"],
        hint="weft compile --target makes AMD code without a GPU" if kind == "hip" else None,
    )


def current_gpu(used: bool = True) -> int | None:
    """Return torch's current GPU, for a launch without arrays; None where torch has none.

    Args: used: only if the program has used a GPU by now.
    """
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not (cuda.is_initialized() if used else cuda.is_available()):
        return None
    return int(cuda.current_device())


def current_target() -> Target:
    """Return the target of the device that launches go to: torch's GPU, or the CPU device."""
    gpu = current_gpu(used=False)
    return target("cpu" if gpu is None else f"cuda:{CudaDriver.get().capability(gpu)}")


def stream_of(device: int, values: Mapping[str, Any]) -> int:
    """Return the stream that a launch goes to.

    The one that the arrays say they are ready on where all of them are of libraries that say so,
    else torch's current one, else the default one. It waits for what other arrays say of theirs.
    """
    arrays = [value for _, value in arrays_of(values)]
    ready = [each.stream for each in arrays if isinstance(each, ForeignArray)]
    known = [stream for stream in ready if stream is not None]
    if known and len(ready) == len(arrays):
        stream = known[0]
    else:
        stream = torch_stream(device) or 0
    for other in dict.fromkeys(known):
        if other != stream:
            CudaDriver.get().wait(stream, other, device)
    return stream


def torch_stream(device: int) -> int | None:
    """Return torch's current stream of a GPU; None where torch is not used, or has none."""
    torch = sys.modules.get("torch")
    ask = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    return None if torch is None or ask is None else int(ask(device))
