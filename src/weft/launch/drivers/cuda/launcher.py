"""Launch a kernel with one call: cuLaunchKernelEx on memory that is laid out in advance.

    bytes 0 … 55     CUlaunchConfig: grid, block, shared memory, stream, launch attributes
    bytes 64 …       the arguments, each aligned as its type requires
    then             the addresses of the arguments, the launch attributes

A kernel of the user's PTX, which replaces weft's, may have two more parameters: Triton's kernels
end with pointers to scratch memory. So the addresses end with two of a null pointer, which the
driver reads only if the kernel has these parameters.

One `struct.pack_into` writes configuration and arguments, and ctypes passes four pointers. That
takes a third of the time of cuLaunchKernel with its eleven arguments. Each thread has its own
memory, since the call releases the GIL; the driver copies it before it returns.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from weft.launch.argument_packing import overflow_to_infinity
from weft.launch.drivers.gpu_driver import ArgumentSource, LaunchConfig, Launcher

__all__ = ["driver_launch_function", "make_launcher"]

DriverFunction = Callable[..., int]

_ALIGNMENT = 64
_CONFIG_FORMAT = "7I4xPPI4x8x"
_ATTRIBUTE_BYTES = 72  # CUlaunchAttribute: the id in 8 bytes, the value in 64
_SPARE_PARAMETERS = 2
# CUlaunchAttributeID
_COOPERATIVE, _CLUSTER_DIMENSION, _CLUSTER_SCHEDULING, _PROGRAMMATIC_STREAM = 2, 4, 5, 6
_SCHEDULING_POLICY_SPREAD = 1
# CUDA_ERROR_INVALID_CONTEXT, _INVALID_HANDLE, _CONTEXT_IS_DESTROYED: the calling thread has no
# context, or that of another GPU.
_CONTEXT_ERRORS = (201, 400, 709)


def _launch_attributes(config: LaunchConfig) -> list[bytes]:
    """Encode the launch attributes of a configuration as CUlaunchAttribute."""
    attributes: list[tuple[int, tuple[int, ...]]] = []
    if config.cooperative:
        attributes.append((_COOPERATIVE, (1,)))
    if config.programmatic:
        attributes.append((_PROGRAMMATIC_STREAM, (1,)))
    if config.num_ctas > 1:
        attributes.append((_CLUSTER_DIMENSION, (config.num_ctas, 1, 1)))
        attributes.append((_CLUSTER_SCHEDULING, (_SCHEDULING_POLICY_SPREAD,)))
    return [
        struct.pack(f"I4x{len(value)}i", id_, *value).ljust(_ATTRIBUTE_BYTES, b"\0")
        for id_, value in attributes
    ]


class _LaunchBuffer:
    """The memory that one thread passes to the driver for one kernel.

    Attributes:
        buffer: The memory.
        view: Its bytes, from the aligned start.
        config: Pointer to the CUlaunchConfig.
        parameters: Pointer to the addresses of the arguments.
        attributes: Address of the launch attributes; 0 for none.
    """

    __slots__ = ("attributes", "buffer", "config", "parameters", "view")

    def __init__(self, layout: struct.Struct, offsets: Sequence[int], attributes: bytes) -> None:
        pointers = -(-layout.size // 8) * 8
        end = pointers + 8 * (len(offsets) + _SPARE_PARAMETERS)
        null = end + len(attributes)
        self.buffer = ctypes.create_string_buffer(null + 8 + _ALIGNMENT)
        start = -ctypes.addressof(self.buffer) % _ALIGNMENT
        base = ctypes.addressof(self.buffer) + start
        self.view = memoryview(self.buffer).cast("B")[start:]
        self.view[end : end + len(attributes)] = attributes
        for n, offset in enumerate([*offsets, *[null] * _SPARE_PARAMETERS]):
            struct.pack_into("P", self.view, pointers + 8 * n, base + offset)
        self.config = ctypes.c_void_p(base)
        self.parameters = ctypes.c_void_p(base + pointers)
        self.attributes = base + end if attributes else 0


# The body of a launcher. `{values}` are the launch values, `{arguments}` the arguments among and
# computed from them. The code is generated for each kernel, since a call or a loop over the
# arguments would take as long as everything else.
_LAUNCHER_SOURCE = """
def launch(x, y, z, stream, {values}):
    try:
        view, attributes, config, parameters, _ = local.buffer
    except AttributeError:
        view, attributes, config, parameters, _ = create_buffer()
    try:
        pack(view, 0, {grid}, {threads}, 1, 1, {shared}, stream, attributes, {count}, {arguments})
    except OverflowError:
        fitting = overflow_to_infinity(({arguments}))
        pack(view, 0, {grid}, {threads}, 1, 1, {shared}, stream, attributes, {count}, *fitting)
    code = call(config, kernel, parameters, None)
    if code:
        handle_error(code, config, parameters)
"""


def make_launcher(
    handle: int,
    config: LaunchConfig,
    formats: Sequence[str],
    raise_error: Callable[[int], None],
    set_context: Callable[[], None],
    sources: Sequence[ArgumentSource] | None = None,
    value_count: int = 0,
) -> Launcher:
    """Generate the function that launches a kernel.

    Args:
        handle: The CUfunction.
        config: How it is launched.
        formats: The `struct` formats of its arguments.
        raise_error: Raises the error for a CUresult.
        set_context: Makes the GPU's context the calling thread's.
        sources: The arguments as functions of the launch values; None if these are the arguments.
        value_count: The number of launch values, if `sources` are given.
    """
    layout = struct.Struct(_CONFIG_FORMAT + "".join(formats))
    offsets = [
        struct.calcsize(_CONFIG_FORMAT + "".join(formats[:n]) + f"0{formats[n][-1]}")
        for n in range(len(formats))
    ]
    attributes = _launch_attributes(config)
    local, kernel = threading.local(), ctypes.c_void_p(handle)
    call = driver_launch_function()

    def create_buffer() -> tuple[object, ...]:
        buffer = _LaunchBuffer(layout, offsets, b"".join(attributes))
        local.buffer = (buffer.view, buffer.attributes, buffer.config, buffer.parameters, buffer)
        return local.buffer

    def handle_error(code: int, config: ctypes.c_void_p, parameters: ctypes.c_void_p) -> None:
        if code in _CONTEXT_ERRORS:
            set_context()
            code = call(config, kernel, parameters, None)
        if code:
            raise_error(code)

    if sources is None:
        sources, value_count = [(n, None) for n in range(len(formats))], len(formats)
    scope: dict[str, object] = {
        "call": call,
        "create_buffer": create_buffer,
        "handle_error": handle_error,
        "kernel": kernel,
        "local": local,
        "overflow_to_infinity": functools.partial(overflow_to_infinity, formats),
        "pack": layout.pack_into,
        **{f"encode{n}": encode for n, encode in sources if encode is not None},
    }
    source = _LAUNCHER_SOURCE.format(
        values="".join(f"v{n}, " for n in range(value_count)),
        arguments="".join(
            f"v{n}, " if encode is None else f"*encode{n}(v{n}), " for n, encode in sources
        ),
        grid="x, y, z" if config.num_ctas == 1 else f"x * {config.num_ctas}, y, z",
        threads=config.threads,
        shared=config.shared_bytes,
        count=len(attributes),
    )
    exec(source, scope)
    return cast("Launcher", scope["launch"])


@cache
def driver_launch_function() -> DriverFunction:
    """Get cuLaunchKernelEx of the loaded driver."""
    function = ctypes.CDLL("libcuda.so.1").cuLaunchKernelEx
    function.restype = ctypes.c_int
    return function
