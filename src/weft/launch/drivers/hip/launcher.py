"""Launch a kernel by hipModuleLaunchKernel, which takes the address of each argument.

    formats "P", "i", "f"       bytes 0, 8 and 12 of a buffer of 16 bytes

The runtime copies the arguments before it returns, with the sizes that the code object names.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

from weft.launch.argument_packing import overflow_to_infinity
from weft.launch.drivers.gpu_driver import ArgumentSource, GpuFunction, LaunchConfig, Launcher
from weft.launch.drivers.hip.library import HipLibrary

__all__ = ["make_launcher"]


def make_launcher(
    api: HipLibrary,
    function: GpuFunction,
    config: LaunchConfig,
    formats: Sequence[str],
    check: Callable[[int], None],
    set_device: Callable[[int], int],
    sources: Sequence[ArgumentSource] | None = None,
) -> Launcher:
    """Create the function that launches a kernel.

    Args:
        api: The functions of libamdhip64.
        function: The kernel.
        config: How it is launched.
        formats: The `struct` formats of its arguments.
        check: Raises the error for a hipError_t other than success.
        set_device: Makes a device the calling thread's.
        sources: The arguments as functions of the launch values; None if these are the arguments.
    """
    layout = struct.Struct("".join(formats))
    offsets = [
        struct.calcsize("".join(formats[:n]) + f"0{formats[n][-1]}") for n in range(len(formats))
    ]
    handle = int(function.handle)

    def launch(x: int, y: int, z: int, stream: int, *values: Any) -> None:
        arguments: Sequence[Any] = values if sources is None else _encode(sources, values)
        buffer = ctypes.create_string_buffer(max(1, layout.size))
        try:
            layout.pack_into(buffer, 0, *arguments)
        except OverflowError:
            layout.pack_into(buffer, 0, *overflow_to_infinity(formats, arguments))
        base = ctypes.addressof(buffer)
        addresses = (ctypes.c_void_p * max(1, len(offsets)))(*(base + each for each in offsets))
        sizes = (x, y, z, config.threads, 1, 1, config.shared_bytes)
        set_device(function.device)
        if config.cooperative:
            check(api.hipModuleLaunchCooperativeKernel(handle, *sizes, stream, addresses))
        else:
            check(api.hipModuleLaunchKernel(handle, *sizes, stream, addresses, None))

    return launch


def _encode(sources: Sequence[ArgumentSource], values: Sequence[Any]) -> list[Any]:
    """Compute the arguments of the entry from the values of a launch."""
    arguments: list[Any] = []
    for index, encode in sources:
        if encode is None:
            arguments.append(values[index])
        else:
            arguments.extend(encode(values[index]))
    return arguments
